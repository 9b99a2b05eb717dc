/**
 * Versions whose checksums are right and whose content is not: each index file damaged, and the manifest. A running server refuses
 * each and serves on what it has; a start ends with exit code 1. Nothing hangs.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unpack } from 'msgpackr'
import * as v from 'valibot'
import { bytesColumn, indexFile } from '../../src/indexes/format.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { type Manifest, manifestText, readCurrent } from '../../src/indexes/manifest.ts'
import { Checksum } from '../../src/indexes/plain-file.ts'
import { versionNameOf } from '../../src/indexes/publish/versions.ts'
import { askAll } from '../../src/process/trial/questions.ts'
import { Trial, tryVersion } from '../../src/process/trial/trial.ts'
import { someOf } from '../support/amount.ts'
import { accounts, runHere, temporaryFolder, withLimits } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { fixtureIndex, sampleIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { columnsOf, makeCurrent } from '../support/versions.ts'

/** What an index file holds: its columns, as bytes, and its meta. */
// biome-ignore lint/suspicious/noExplicitAny: a meta has values of any kind
type Content = Record<string, any>

const indexDir = await fixtureIndex()
const good = await loadVersion(indexDir, (await readCurrent(indexDir))!)

const numbersOf = (column: Buffer) => new Uint32Array(column.buffer, column.byteOffset, column.length / 4)
const half = (column: Buffer) => column.subarray(0, (column.length >> 3) * 4)
const swapped = (column: Buffer) => {
  const numbers = numbersOf(column)
  const last = numbers.length - 2
  ;[numbers[1], numbers[last]] = [numbers[last]!, numbers[1]!]
  return column
}
/** The day of a series is a varint, and this is a large one. */
const laterDays = (column: Buffer) => column.fill(0xfe)
const full = (column: Buffer) => {
  numbersOf(column).forEach((slot, i, slots) => {
    if (slot === 0) slots[i] = 0xffffffff
  })
  return column
}
const changed =
  (name: string, change: (column: Buffer) => Buffer) =>
  (content: Content): void => {
    content[name] = change(content[name])
  }

type Damage = readonly [file: string, what: string, said: RegExp, change: (content: Content) => void]

const inContent: readonly Damage[] = [
  ['ids.msgpack', 'a full table', /details must .* have an empty one/, changed('details', full)],
  ['ids.msgpack', 'an empty table', /the card with the index 0: /, changed('details', (slots) => slots.fill(0))],
  ['cards-000.msgpack', 'offsets out of order', /how many cards .* has: .*JSON/, changed('summariesAt', swapped)],
  ['cards-000.msgpack', 'rows cut short', /its line of CSV must begin with its id/, changed('rows', half)],
  ['search.msgpack', 'sets of half of the cards', /listCards by game,set must find it/, changed('setCards', half)],
  ['lists.msgpack', 'games of half of the cards', /opening it: .*"lists":12,/, changed('cardGame', half)],
  [
    'catalog.msgpack',
    'wrong counts',
    /how many .* has: \[30,3] instead of \[30,6]/,
    (content) => {
      content['gamesBody'] = Buffer.from(`${content['gamesBody']}`.replace(/"setCount":\d+/, '"setCount":0'))
    },
  ],
  ['history-000.msgpack', 'days of another millennium', /a series begins with day \d+$/, changed('series', laterDays)],
  ['changes.msgpack', 'half of the days', /opening it: .*"changes":15,/, changed('changedOn', half)],
  ['set-figures.msgpack', 'figures of half of the sets', /opening it: \[6,/, changed('cents', half)],
  ['bulk.msgpack', 'a download cut short', /how many cards and sets each game has: /, changed('gzip', half)],
  ['bulk.msgpack', 'other lines', /how many cards and sets each game has: /, (content) => content['lines'].reverse()],
  [
    'about.msgpack',
    'a contact that is no text',
    /the about file is damaged/,
    (content) => {
      content['contact'] = 7
    },
  ],
]
const inManifest: readonly (readonly [what: string, said: RegExp, change: (manifest: Manifest) => object])[] = [
  [
    'too many cards',
    /opening it: .*"search":30,.* instead of .*"search":31,/,
    ({ counts }) => ({ counts: { ...counts, cards: counts.cards + 1 } }),
  ],
  [
    'four names of one file',
    /files.\d+.name: is no file that/,
    (manifest) => ({ files: [...manifest.files, ...aliases(manifest)] }),
  ],
]
const aliases = ({ files }: Manifest) => ['a', 'b', 'c'].map((name) => ({ ...files[0]!, name: `${name}.msgpack` }))

/** The bytes of an index file after the change. */
function damaged({ files }: VersionFiles, file: string, change: (content: Content) => void): Buffer {
  const bytes = Buffer.from(files.get(file) ?? emptyAbout)
  const { kind, meta } = unpack(bytes.subarray(5, 5 + bytes.readUInt32BE(1))) as { kind: string; meta: object }
  const columns = columnsOf({ manifest: good.manifest, files: new Map([[file, bytes]]) })
  const content = { ...meta } as Content
  for (const { name, start, bytes: size } of columns) content[name] = Buffer.from(bytes.subarray(start, start + size))
  change(content)
  const views = Object.fromEntries(columns.map(({ name }) => [name, bytesColumn]))
  return Buffer.concat(indexFile(kind, views, v.any()).write(content))
}

const emptyAbout = Buffer.concat(indexFile('about', {}, v.any()).write({}))

/** Puts the good version with one file changed into the folder, under its own name and with its own checksums. Returns its name. */
function addDamaged(
  folder: string,
  file: string,
  content: Buffer | undefined,
  change = (_: Manifest): object => ({}),
): string {
  const { asOf, files } = good.manifest
  const replaced = { name: file, ...new Checksum().add(content ?? Buffer.alloc(0)).end() }
  const kept = files.filter(({ name }) => name !== file || content === undefined)
  const listed = content === undefined ? kept : [...kept, replaced]
  const manifest = { ...good.manifest, files: listed, ...change({ ...good.manifest, files: listed }) }
  const version = versionNameOf(asOf, manifest.files)
  mkdirSync(join(folder, version), { recursive: true })
  for (const { name } of kept) cpSync(join(indexDir, good.manifest.version, name), join(folder, version, name))
  if (content !== undefined) writeFileSync(join(folder, version, file), content)
  writeFileSync(join(folder, version, 'manifest.json'), manifestText({ ...manifest, version }))
  return version
}

const cases: readonly (readonly [what: string, said: RegExp, add: (folder: string) => string])[] = [
  ...inContent.map(([file, what, said, change]) => {
    return [
      `${file}: ${what}`,
      said,
      (folder: string) => addDamaged(folder, file, damaged(good, file, change)),
    ] as const
  }),
  ...inManifest.map(([what, said, change]) => {
    return [`the manifest: ${what}`, said, (folder: string) => addDamaged(folder, '', undefined, change)] as const
  }),
]

it('The sample and the fixture pass their trial', async () => {
  for (const folder of [indexDir, await sampleIndex()]) {
    const version = (await readCurrent(folder))!
    assert.equal((await tryVersion(folder, version, '')).manifest.version, version)
  }
})

const reversed = (column: Buffer) => {
  numbersOf(column).reverse()
  return column
}
const zeros = (column: Buffer) => column.fill(0)
/** Each letter is the next one of the alphabet. */
const otherLetters = (column: Buffer) =>
  column.forEach((byte, i) => {
    if (byte >= 0x61 && byte < 0x7a) column[i] = byte + 1
  }) ?? column
/** Columns of the right size with numbers in their bounds: only an answer shows that they are wrong. */
const onlyAnswersShow: readonly (readonly [string, string, (column: Buffer) => Buffer, question: RegExp, RegExp])[] = [
  ['ids.msgpack', 'details', zeros, /^the card with the index 0$/, /^-1 instead of 0$/],
  ['cards-000.msgpack', 'rows', otherLetters, /^the card with the index 0$/, /^its line of CSV must begin/],
  ['search.msgpack', 'setCards', reversed, /^what finds /, /^listCards by game,set must find it$/],
  ['search.msgpack', 'cardRarity', reversed, /^what finds /, /^listCards by game,set,rarity must find it$/],
  ['lists.msgpack', 'numberCards', reversed, /^what finds /, /^listCards by game,set,number must find it$/],
  ['lists.msgpack', 'cardMarket', zeros, /^what finds /, /^listCards by game,set,min_price must find it$/],
  ['search.msgpack', 'postings', zeros, /^what finds /, /^its name must find it$/],
  ['lists.msgpack', 'suggestions', otherLetters, /^what finds /, /^its name must be suggested$/],
  ['catalog.msgpack', 'sets', otherLetters, /^what finds /, /^\[null,null\] instead of /],
  ['history-000.msgpack', 'series', laterDays, /^the history and the changes of /, /^a series begins with day /],
  ['ids.msgpack', 'items', reversed, /^a batch$/, /^\[\] instead of \[/],
  ['lists.msgpack', 'keyText', otherLetters, /^a match$/, /^names must match$/],
  ['lists.msgpack', 'byPrice', reversed, /^what finds /, /^listCards by game,set,max_price must find it$/],
  ['lists.msgpack', 'byName', reversed, /^cards by name$/, /^all must be of the game$/],
]

it('The trial of a version fails at the expected question if a damaged column causes wrong answers', async () => {
  const sample = await sampleIndex()
  const right = await loadVersion(sample, (await readCurrent(sample))!)
  for (const [file, column, damage, question, said] of onlyAnswersShow) {
    const bytes = damaged(right, file, changed(column, damage))
    const files = new Map(right.files).set(file, new Uint8Array(new SharedArrayBuffer(bytes.length)))
    files.get(file)!.set(bytes)
    let asked = ''
    const answered = askAll({ ...right, files }, (begun) => {
      asked = begun
    })
    await assert.rejects(answered, { message: said }, `${file} ${column}`)
    assert.match(asked, question, `${file} ${column}`)
  }
})

it('The trial of a version notices each damage, and names the question that shows it', async () => {
  for (const [what, said, add] of cases) {
    const folder = temporaryFolder()
    const name = add(folder)
    let asked = 'loading it'
    const answered = loadVersion(folder, name).then((version) =>
      askAll(version, (begun) => {
        asked = begun
      }),
    )
    const noticed = await answered.then(String, ({ message }: Error) => `${asked}: ${message}`)
    assert.match(noticed, said, what)
  }
})

it('A trial fails if its thread ends without an answer', { timeout: 300_000 }, async () => {
  const trial = new Trial()
  await trial.load(indexDir, good.manifest.version)
  const tried = trial.pass('it')
  const failed = assert.rejects(tried, { message: /^it fails its trial: .+: the thread ended$/ })
  await trial.end()
  await failed
})

it('The damages that the trial’s tests make cover every index file', () => {
  const files = new Set(inContent.map(([file]) => file))
  assert.deepEqual(
    [...good.files.keys()].filter((name) => !files.has(name)),
    [],
  )
})

describe('The trial in a running server', () => {
  let service: Service
  const storeDir = temporaryFolder()
  const served = temporaryFolder()

  before(async () => {
    cpSync(indexDir, served, { recursive: true })
    const limits = withLimits({ currentPollMs: 20 }, 'test/support/no-priority.cjs')
    service = await startService({ INDEX_DIR: served, STORE_DIR: storeDir, ...limits })
  })
  after(async () => assert.equal(await service.stop(), 0))

  it('A running server refuses damaged versions, names the question, and keeps serving its own', async () => {
    const { key } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')
    const ask = (path: string) => send(service.address, path, { headers: { 'x-api-key': key } })
    for (const [what, said, add] of someOf(cases, 4)) {
      const version = add(served)
      makeCurrent(served, version)
      const line = () =>
        service
          .log()
          .split('\n')
          .find((text) => text.includes(version))
      await until(`${what} is refused`, () => line() !== undefined)
      assert.match(JSON.parse(line()!).msg, /^the version that current names is rejected; retrying: .+$/, what)
      assert.match(JSON.parse(line()!).msg, said, what)
      assert.equal((await send(service.address, '/healthz')).json.version, good.manifest.version, what)
      assert.deepEqual([(await ask('/v1/cards/nope')).status, (await ask('/v1/search?q=forest')).status], [404, 200])
    }
  })

  it('A running server tries and serves a good version even if its trial can’t get a lower priority', async () => {
    const sample = await sampleIndex()
    const version = (await readCurrent(sample))!
    cpSync(join(sample, version), join(served, version), { recursive: true })
    makeCurrent(served, version)
    const servedNow = async () => (await send(service.address, '/healthz')).json.version
    await until('the version is served', async () => (await servedNow()) === version)
  })
})

/** Alone, a start ends within 1.5 s, but on a busy machine it waits for its turn. A start that hangs never ends. */
const startMsMax = 120_000

describe('The trial at a start', () => {
  for (const [what, said, add] of someOf(cases, 2)) {
    it(`A start on a damaged version exits with 1 and one line: ${what}`, { timeout: startMsMax }, async () => {
      const folder = temporaryFolder()
      makeCurrent(folder, add(folder))
      const started = startService({ INDEX_DIR: folder, STORE_DIR: temporaryFolder() })
      await assert.rejects(started, ({ message }: Error) => {
        const [line, ...more] = message.replace('the server exited 1: ', '').trim().split('\n')
        assert.deepEqual([message.startsWith('the server exited 1: '), more], [true, []], message)
        assert.match(line!, said)
        return true
      })
    })
  }
})

describe('The trial of a download', () => {
  it('A download becomes current only after its trial, by a server and by a pull', async () => {
    const folder = temporaryFolder()
    cpSync(indexDir, folder, { recursive: true })
    const files = await FileServer.start(folder)
    const mine = temporaryFolder()
    const pull = () => runHere(['pull', files.url], { INDEX_DIR: mine })
    assert.equal((await pull()).code, 0)
    const [, , add] = cases[1]!
    const version = add(folder)
    makeCurrent(folder, version)
    const { code, stderr } = await pull()
    assert.deepEqual([code, /^http\S+ fails its trial: .+\n$/.test(stderr)], [1, true], stderr)
    const sent = files.bytesSent()
    const settings = { INDEX_DIR: mine, STORE_DIR: temporaryFolder(), INDEX_URL: files.url }
    const service = await startService(settings)
    await service.logs(/could not be downloaded; retrying: http\S+ fails its trial: /)
    assert.equal((await send(service.address, '/healthz')).json.version, good.manifest.version)
    assert.equal(readFileSync(join(mine, 'current'), 'utf8').trim(), good.manifest.version)
    assert.ok(!readdirSync(mine).includes(version), 'it can’t be rolled back to')
    assert.ok(files.bytesSent() - sent < 10_000, 'what was downloaded is not downloaded again')
    makeCurrent(folder, good.manifest.version)
    assert.equal(await service.stop(), 0)
    await files.stop()
  })
})
