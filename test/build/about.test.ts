/** `about.json`: its fields, the version that follows it, and what the server shows of it. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { readAbout } from '../../build/read/about.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { type About, aboutOf, writeAboutFile } from '../../src/indexes/about-file.ts'
import { readCardsPart } from '../../src/indexes/cards-file.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { fileOf, loadVersion } from '../../src/indexes/load.ts'
import { aboutCharsMax, imageHostsMax, lineBytesMax, logoBytesMax } from '../../src/limits.ts'
import { softwareVersion } from '../../src/version.ts'
import { temporaryFolder } from '../support/command.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'

const snapshotWith = (about?: string | Buffer) =>
  snapshotOf({ ...aSnapshot, ...(about === undefined ? {} : { 'about.json': about }) })

/** As a build reads it, and what is wrong with it. */
async function readOf(about?: string | Buffer): Promise<{ about: About; wrong: readonly string[] }> {
  const problems = new Problems()
  return { about: await readAbout(snapshotWith(about), problems), wrong: problems.shown }
}

const all = { currency: 'EUR', title: 'Karten & Preise', contact: 'mailto:preise@laden.example' }
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')

const hosts = Array.from({ length: imageHostsMax }, (_, i) => `https://${i}.example`)
const longest = '🃏'.repeat(aboutCharsMax / 2)

describe('about.json', () => {
  const plans = { free: 0, trader: 14.99 }
  const shown = {
    public: false,
    plans: { ...plans, business: null, other: 5 },
    accent: '#3149C6',
    status: '',
    images: ['https://cdn.example', 'http://127.0.0.1:8090/', 'HTTPS://CDN.example:8443'],
    terms: 'https://shop.example/terms',
  }
  const shownBack = {
    public: false,
    plans,
    accent: '#3149c6',
    terms: shown.terms,
    images: ['https://cdn.example', 'http://127.0.0.1:8090', 'https://cdn.example:8443'],
  }
  const taken: readonly (readonly [what: string, content: string | Buffer | undefined, about: About])[] = [
    ['without fields', '{}', {}],
    ['on several lines and with a byte order mark', `\ufeff${JSON.stringify(all, null, 2)}\n`, all],
    ['with one field', '{"currency":"USD"}', { currency: 'USD' }],
    ['with null and empty fields', '{"currency":null,"title":"","contact":"x"}', { contact: 'x' }],
    ['with unknown fields', '{"title":"x","language":["de"],"__proto__":{"currency":"X"}}', { title: 'x' }],
    ['with a short colour', '{"accent":"#A0c"}', { accent: '#aa00cc' }],
    ['with empty plans, images and colour', '{"plans":{},"images":[],"accent":"","logo":null,"public":null}', {}],
    ['of the largest size', `{}${' '.repeat(lineBytesMax - 2)}`, {}],
    ['with the highest price of a plan', '{"plans":{"free":10000000}}', { plans: { free: 10_000_000 } }],
    ['with the largest number of hosts', JSON.stringify({ images: hosts }), { images: hosts }],
  ]
  for (const [what, content, about] of taken) {
    it(`A build accepts about.json ${what}`, async () => assert.deepEqual(await readOf(content), { about, wrong: [] }))
  }

  it('A version has the fields of about.json, and /healthz has its currency', async () => {
    for (const [content, about, currency] of [
      [undefined, {}, ''],
      [JSON.stringify(all), all, '"currency":"EUR",'],
      [JSON.stringify(shown), shownBack, ''],
      [JSON.stringify({ title: longest }), { title: longest }, ''],
    ] as const) {
      const indexDir = temporaryFolder()
      const version = await loadVersion(indexDir, (await build(snapshotWith(content), indexDir)).manifest.version)
      assert.deepEqual(aboutOf(version), about)
      const extras = Buffer.from(readCardsPart(fileOf(version, 'cards-000.msgpack')).extras.bytes).toString()
      assert.ok(extras.startsWith(`,"printing":null,"currency":${currency === '' ? 'null' : '"EUR"'}`), extras)
      const health = Buffer.from((await openDataset(version)).health).toString()
      const data = `"version":"${version.manifest.version}","asOf":null,"cards":1,${currency}`
      assert.equal(health, `{"status":"ok",${data}"software":"${softwareVersion}"}`)
    }
  })

  const tooLong = `must have at most ${aboutCharsMax} characters`
  const noHosts = ['ftp://a.example', 'a.example', 'https://a.example/path', 'https://*.example', 'https://u@a.example']
  const noLogo = 'must be the name of an SVG or PNG file in the snapshot folder, at most 100 KB'
  const tooLight = 'text in this colour needs a contrast of 4.5 with the light grounds of the pages'
  const refused: readonly (readonly [content: string | Buffer, ...lines: string[]])[] = [
    ['{"currency":5}', 'currency: must be a string or null (5)'],
    ['{"title":[],"contact":{}}', 'title: must be a string or null ([])', 'contact: must be a string or null ({})'],
    ['{"contact":" \\n"}', 'contact: must not be blank (" \\n")'],
    ['{"title":"\\ud800"}', 'title: must not hold a lone surrogate ("\\ud800")'],
    [JSON.stringify({ title: 'x'.repeat(aboutCharsMax + 1) }), `title: ${tooLong} ("${'x'.repeat(76)}…)`],
    ['{"public":"no"}', 'public: must be true, false or null ("no")'],
    ['{"plans":[]}', 'plans: must be an object or null ([])'],
    ['{"plans":{"free":-1}}', 'plans.free: must be from 0 to 10000000 (-1)'],
    ['{"plans":{"free":10000000.01}}', 'plans.free: must be from 0 to 10000000 (10000000.01)'],
    ['{"plans":{"trader":14.999}}', 'plans.trader: must have at most two decimals (14.999)'],
    ['{"plans":{"business":"9"}}', 'plans.business: must be a number or null ("9")'],
    ['{"images":"https://a.example"}', 'images: must be an array of at most 20 hosts, or null ("https://a.example")'],
    [
      JSON.stringify({ images: [...hosts, 'https://a.example'] }),
      `images: must be an array of at most 20 hosts, or null (${JSON.stringify(hosts).slice(0, 77)}…)`,
    ],
    ['{"images":[7]}', 'images.0: must be a string (7)'],
    ...[...noHosts, 'https://a.example;script-src', 'https://a.example?x', 'https://a.example#x', 'https://'].map(
      (host): [string, string] => [
        JSON.stringify({ images: [host] }),
        `images.0: must be https:// or http:// and a host, without a path ("${host}")`,
      ],
    ),
    ...['red', '#3149c', '#31g', '3149c6', '#3149c6x'].map((colour): [string, string] => [
      JSON.stringify({ accent: colour }),
      `accent: must be a colour, #3149c6 ("${colour}")`,
    ]),
    ['{"accent":"#ffd400"}', `accent: must be darker: ${tooLight} ("#ffd400")`],
    ['{"terms":"shop.example/terms"}', 'terms: must be an http or https address ("shop.example/terms")'],
    ['{"status":"javascript:alert(1)"}', 'status: must be an http or https address ("javascript:alert(1)")'],
    ...['../logo.svg', '.svg', '.x.svg', 'logo.gif', 'a/logo.png', 'a\\logo.png', 'logo.svg.x', 'svg'].map(
      (name): [string, string] => [JSON.stringify({ logo: name }), `logo: ${noLogo} (${JSON.stringify(name)})`],
    ),
    ['{"logo":"logo.svg"}', 'logo: must be in the snapshot folder ("logo.svg")'],
    ['', 'file: must be JSON ("")'],
    ['{"title":"x"', 'file: must be JSON ("{\\"title\\":\\"x\\"")'],
    ['null', 'file: must be a JSON object (null)'],
    [Buffer.from('{"title":"\xff"}', 'latin1'), 'file: must be UTF-8'],
    [' '.repeat(lineBytesMax + 1), `file: must be at most ${lineBytesMax} bytes`],
  ]
  for (const [content, ...lines] of refused) {
    it(`A build refuses about.json: ${lines.join('; ').slice(0, 60)}`, async () => {
      const { wrong } = await readOf(content)
      assert.deepEqual(
        wrong,
        lines.map((line) => `about.json: ${line}`),
      )
    })
  }

  it('A version has the logo that about.json names', async () => {
    for (const [name, bytes, type] of [
      ['logo.svg', svg, 'image/svg+xml'],
      ['Logo.PNG', png, 'image/png'],
    ] as const) {
      const snapshot = snapshotWith(JSON.stringify({ title: 'x', logo: name }))
      writeFileSync(join(snapshot, name), bytes)
      const indexDir = temporaryFolder()
      const { manifest } = await build(snapshot, indexDir)
      const { logo, ...reported } = aboutOf(await loadVersion(indexDir, manifest.version))
      assert.deepEqual([reported, logo?.type, Buffer.from(logo!.bytes)], [{ title: 'x' }, type, bytes])
      writeFileSync(join(snapshot, name), Buffer.concat([bytes, Buffer.from(' ')]))
      assert.notEqual((await build(snapshot, indexDir)).manifest.version, manifest.version)
    }
  })

  it('A logo that is too large, of another type or unreadable is refused', async () => {
    const ofType = (type: string) => `must be a file of type ${type.toUpperCase()} ("logo.${type}")`
    const unread = "can't be read (EIO: i/o error, read)"
    for (const [name, bytes, problem] of [
      ['logo.svg', Buffer.alloc(logoBytesMax, svg), undefined],
      ['logo.svg', Buffer.alloc(logoBytesMax + 1, svg), `logo: must be at most 100 KB (${logoBytesMax + 1} bytes)`],
      ['logo.svg', png, `logo: ${ofType('svg')}`],
      ['logo.svg', Buffer.from('<svg>\xff', 'latin1'), `logo: ${ofType('svg')}`],
      ['logo.svg', Buffer.from('<svgs/>'), `logo: ${ofType('svg')}`],
      ['logo.png', svg, `logo: ${ofType('png')}`],
      ['logo.svg', '/dev', 'logo.svg: file: must be a plain file, or a link to one (a folder)'],
      // A plain file that no one can read, not even root.
      ['logo.svg', '/proc/self/mem', `logo: ${unread} ("logo.svg")`],
      ['about.json', '/proc/self/mem', `file: ${unread}`],
    ] as const) {
      const snapshot = snapshotWith(name === 'about.json' ? undefined : JSON.stringify({ logo: name }))
      if (typeof bytes === 'string') symlinkSync(bytes, join(snapshot, name))
      else writeFileSync(join(snapshot, name), bytes)
      const problems = new Problems()
      const { logo } = await readAbout(snapshot, problems)
      const lines = problem === undefined ? [] : [problem.replace(/^(logo|file):/, 'about.json: $1:')]
      assert.deepEqual(problems.shown, lines)
      assert.deepEqual(logo, problem === undefined ? { type: 'image/svg+xml', bytes } : undefined)
    }
  })
})

describe('A version', () => {
  it('A change of about.json gives a version another name, and equal snapshots give equal versions', async () => {
    const [indexDir, other] = [temporaryFolder(), temporaryFolder()]
    const snapshot = snapshotWith()
    const write = (about: object) => writeFileSync(join(snapshot, 'about.json'), JSON.stringify(about))
    const versions: string[] = []
    for (const about of [{}, { currency: 'USD' }, { currency: 'EUR' }, { currency: 'EUR', title: 'Ours' }, {}]) {
      write(about)
      versions.push((await build(snapshot, indexDir)).manifest.version)
    }
    rmSync(join(snapshot, 'about.json'))
    const [without, dollars, , , again] = versions
    assert.deepEqual([again, (await build(snapshot, indexDir)).manifest.version], [without, without])
    assert.equal(new Set(versions).size, 4)

    write({ currency: 'USD' })
    assert.equal((await build(snapshot, other)).manifest.version, dollars, 'the same snapshot gives the same version')
    const bytes = readFileSync(join(other, dollars!, 'about.msgpack'))
    assert.ok(bytes.equals(Buffer.concat(writeAboutFile({ currency: 'USD' }))))
  })

  it('A version whose about file is damaged is refused', async () => {
    const indexDir = temporaryFolder()
    const { manifest } = await build(snapshotWith('{"currency":"USD"}'), indexDir)
    const good = await loadVersion(indexDir, manifest.version)
    for (const change of [
      (bytes: Buffer) => bytes.write('currencx', bytes.indexOf('currency')),
      (bytes: Buffer) => bytes.fill(0),
    ]) {
      const wrong = Buffer.from(good.files.get('about.msgpack')!)
      change(wrong)
      const version = { ...good, files: new Map(good.files).set('about.msgpack', wrong) }
      await assert.rejects(openDataset(version), (error) => {
        return error instanceof IndexError && error.message.includes('the about file')
      })
    }
  })
})
