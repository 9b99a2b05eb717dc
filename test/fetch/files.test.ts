/** The sources that are large files: on by range, proved by what their publishers say of them, and no token anywhere. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fetchedSources } from '../../build/fetch/fetch.ts'
import type { FetchError } from '../../build/fetch/fetch-errors.ts'
import { FetchProgress } from '../../build/fetch/fetch-progress.ts'
import { Host } from '../../build/fetch/publisher-host.ts'
import { Mirror, readFetchState } from '../../build/fetch-state.ts'
import { gameSlugs } from '../../build/games/default-games.ts'
import { onlyDefaultGames } from '../../build/games/folder-games.ts'
import { packageVersion } from '../../src/version.ts'
import { temporaryFolder } from '../support/command.ts'
import { type Fault, leadingTo, replying } from '../support/file-server.ts'
import { runFetch } from './fetch-process.ts'
import { clock, fetchHere, lineOf, notesOf, shortPatience } from './fetching.ts'
import { breakingOff, PublicSource } from './public-source.ts'

const token = 'q7w8e9r0t1y2u3i4o5p6a7s8d9f0g1h2j3k4l5z6'

const again = ': look at the address yourself, and run it again'
const rules = ': find out why before you ask again: see its rules in docs/data.md, or ask the publisher'
const packed = (bytes: number): Buffer => gzipSync(randomBytes(bytes), { level: 0 })
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

describe('Scryfall', () => {
  const content = packed(2_000_000)
  const path = '/file/default-cards-20261123.jsonl.gz'
  const list = (address: string, stamp: string, size = content.length) =>
    JSON.stringify({ updated_at: stamp, jsonl_download_uri: address, compressed_size: size })

  it('A fetch of Scryfall resumes a download, takes the file from --from, and sends one request if nothing is new', async () => {
    const address = `https://data.scryfall.io${path}`
    const source = await PublicSource.start(new Map<string, string | Buffer>([[path, content]]))
    source.set('/bulk-data/default_cards', list(address, '2026-11-22T09:05:12.000+00:00'))
    source.fault = breakingOff(path, 2)
    const mirror = temporaryFolder()
    const { bytes, state } = await fetchHere('scryfall', source, mirror, { games: ['mtg'] })
    const task = { names: ['default_cards.jsonl.gz'], games: ['mtg'], revision: sha256(content), date: '2026-11-22' }
    assert.deepEqual(fetchedSources.scryfall.imports(state, onlyDefaultGames), [task])
    const file = join(mirror, 'default_cards.jsonl.gz')
    assert.ok(readFileSync(file).equals(content))
    assert.ok(bytes < content.length * 1.2, `${bytes} of ${content.length}`)
    assert.equal(statSync(file).mtime.toISOString(), '2026-11-22T09:05:12.000Z')
    assert.deepEqual([source.breaches, source.asked.length], [[], 4])
    source.forget()
    assert.equal((await fetchHere('scryfall', source, mirror, { games: ['mtg'] })).isNew, false)
    assert.equal(source.asked.length, 1)
    // The list has changed, and the file has not.
    source.set('/bulk-data/default_cards', list(address, '2026-11-22T21:05:12.000+00:00'))
    assert.equal((await fetchHere('scryfall', source, mirror, { games: ['mtg'] })).isNew, true)
    assert.deepEqual(source.asked.slice(1), ['/bulk-data/default_cards', path])
    assert.deepEqual(readdirSync(mirror).sort(), ['.lock.db', 'default_cards.jsonl.gz', 'fetch.json'])
  })

  const [listPath, stamp] = ['/bulk-data/default_cards', '2026-11-22T09:05:12.000+00:00']
  const damaged = Buffer.concat([content.subarray(0, -8), Buffer.alloc(8)])
  const elsewhere = 'names a file at https://evil.example, which is not followed: check whether the publisher has moved'
  const wrongs: readonly (readonly [line: string, list: string, content?: Buffer])[] = [
    [`${path} has ${content.length} bytes, its publisher says 5${again}`, list(`FROM${path}`, stamp, 5)],
    [`${path} is a damaged gzip (incorrect data check)${again}`, list(`FROM${path}`, stamp), damaged],
    [`${path} is an empty gzip${again}`, list(`FROM${path}`, stamp, 20), gzipSync('')],
    [`${listPath} ${elsewhere}`, list('https://evil.example/x', stamp)],
    [`${listPath} is no JSON${again}`, '<html>'],
    ...(
      [
        ['updated_at (Invalid key: Expected "updated_at" but received undefined)', '{}'],
        ['updated_at (must be a time)', list('', '2026-02-30T09:05:12Z')],
        ['updated_at (must be a time)', list('', '2026-11-22T25:05:12Z')],
        ['compressed_size (Invalid value: Expected >=1 but received 0)', list('', stamp, 0)],
      ] as const
    ).map(([wrong, text]) => [`${listPath} has a wrong ${wrong}: check whether its format has changed`, text] as const),
  ]
  for (const [line, list, sent = content] of wrongs) {
    it(`A fetch of Scryfall fails with one line: ${line}`, async () => {
      const source = await PublicSource.start(new Map<string, string | Buffer>([[path, sent]]))
      source.set(listPath, list.replace('FROM', source.url))
      const reported = await lineOf(fetchHere('scryfall', source, temporaryFolder(), { games: ['mtg'] }))
      assert.equal(reported, source.url + line)
    })
  }

  it('A fetch of Scryfall refuses a file that unpacks to more than the limit, and keeps nothing of it', async () => {
    const bomb = gzipSync(Buffer.alloc(2_000_000))
    const source = await PublicSource.start(new Map<string, string | Buffer>([[path, bomb]]))
    source.set(listPath, list(source.url + path, stamp, bomb.length))
    const out = temporaryFolder()
    const args = ['fetch', 'scryfall', '--games', 'mtg', '--out', out, '--from', source.url]
    const { code, stderr } = await runFetch(args, () => {}, {}, { sourceUnpackedBytesMax: 1_999_999 })
    assert.deepEqual([code, stderr.includes(`${path} unpacks to more than 0.001999999 GB${again}`)], [1, true], stderr)
    assert.ok(!existsSync(join(out, 'default_cards.jsonl.gz')))
  })
})

const hostOf = (from?: string) =>
  new Host({
    publisher: fetchedSources.scryfall,
    from,
    agent: 'tests/1.0',
    secret: 'a&b',
    clock,
    patience: shortPatience,
    mirror: new Mirror(temporaryFolder(), 'scryfall'),
    onWait: () => {},
  })

it('A fetch follows an address in a publisher’s list only to the publisher’s hosts, or to the host of --from', () => {
  const refused = (at: string) =>
    `list names a file at ${at}, which is not followed: check whether the publisher has moved`
  const cases: readonly (readonly [address: string, own: string, from: string])[] = [
    ['https://data.scryfall.io/x?y', 'https://data.scryfall.io/x?y', '/x?y'],
    ['https://scryfall.com/x', 'https://scryfall.com/x', '/x'],
    ['http://scryfall.com/x', refused('http://scryfall.com'), '/x'],
    ['https://me@scryfall.com/x', refused('https://scryfall.com'), '/x'],
    ...['https://scryfall.com:444', 'https://evilscryfall.com', 'https://scryfall.com.evil', 'https://127.0.0.1:9'].map(
      (at) => [`${at}/x`, refused(at), refused(at)] as const,
    ),
    ['http://127.0.0.1:9/x', refused('http://127.0.0.1:9'), 'http://127.0.0.1:9/x'],
    ['http://me@127.0.0.1:9/x', refused('http://127.0.0.1:9'), refused('http://127.0.0.1:9')],
    ['nowhere', refused('no address'), refused('no address')],
  ]
  for (const [address, ...expected] of cases) {
    const found = [undefined, 'http://127.0.0.1:9'].map((from) => {
      try {
        return hostOf(from).pathOf(address, 'list')
      } catch (error) {
        return (error as FetchError).message
      }
    })
    assert.deepEqual(found, expected, address)
  }
})

it('Messages of a fetch show addresses without secrets, and each source has its own hosts, pause and interval', () => {
  const host = hostOf('http://me:hidden@127.0.0.1:9/base/')
  assert.deepEqual([host.shown('/x?t=1'), host.clean('a&b or a%26b!')], ['http://127.0.0.1:9/base/x', '… or …!'])
  assert.equal(hostOf().shown('/x'), 'https://api.scryfall.com/x')
  const rules = Object.values(fetchedSources).map(
    ({ address, domains, pauseMs, intervalMs }) => `${address} ${domains} ${pauseMs} ms ${intervalMs / 3_600_000} h`,
  )
  const expected = `https://tcgcsv.com tcgcsv.com 150 ms 24 h
https://api.scryfall.com scryfall.com,scryfall.io 100 ms 12 h
https://mtgjson.com mtgjson.com 100 ms 12 h
https://www.pricecharting.com pricecharting.com 600000 ms 24 h`
  assert.deepEqual(rules, expected.split('\n'))
})

it('The progress line of a fetch shows how much is done, how fast, and how long the rest takes', () => {
  const progress = new FetchProgress('tcgcsv', true)
  progress.begin('groups', 4000)
  for (let i = 0; i < 1000; i++) progress.step()
  progress.add(3e6)
  assert.equal(progress.text(2000), '[#####---------------] 25 %, 1,000 of 4,000 groups, 3.0 MB, 1.5 MB/s, 6 s left')
  progress.begin('bytes', 8e6)
  assert.equal(progress.text(2000), '3.0 MB, 1.5 MB/s')
  progress.add(2e6)
  assert.equal(progress.text(2000), '[#####---------------] 25 %, 5.0 MB, 2.5 MB/s, 6 s left')
  progress.add(7e6)
  assert.equal(progress.text(2000), `[${'#'.repeat(20)}] 100 %, 12.0 MB, 6.0 MB/s, 0 s left`)
})

describe('MTGJSON', () => {
  const names = ['AllPrintings.json.gz', 'AllPrices.json.gz', 'AllPricesToday.json.gz']
  const files = () =>
    new Map<string, string | Buffer>(
      names.flatMap((name) => {
        const content = packed(300_000)
        return [
          [`/api/v5/${name}`, content] as const,
          [`/api/v5/${name}.sha256`, `${sha256(content).toUpperCase()} ${name}\n`] as const,
        ]
      }),
    )

  it('The first fetch of MTGJSON downloads 90 days of prices, and later ones only the newest day’s', async () => {
    const source = await PublicSource.start(files())
    const mirror = temporaryFolder()
    const fetched = () => fetchHere('mtgjson', source, mirror, { games: ['mtg'] })
    const task = (name: string) => {
      const revision = sha256(source.files.get(`/api/v5/${name}`)!)
      return { names: [names[0], name], games: ['mtg'], revision, date: undefined }
    }
    for (const [isNew, ...asked] of [
      [true, names[0], `${names[0]}.sha256`, names[1], `${names[1]}.sha256`],
      [true, names[0], names[2], `${names[2]}.sha256`],
      [false, names[0], names[2]],
    ]) {
      const found = (await fetched()).isNew
      assert.deepEqual([found, ...source.asked.splice(0)], [isNew, ...asked.map((name) => `/api/v5/${name}`)])
    }
    assert.deepEqual(fetchedSources.mtgjson.imports(readFetchState(mirror)!, onlyDefaultGames), [
      task(names[1]!),
      task(names[2]!),
    ])
    for (const name of names) assert.ok(readFileSync(join(mirror, name)).equals(source.files.get(`/api/v5/${name}`)!))
    assert.deepEqual(source.breaches, [])
  })

  it('A first fetch of MTGJSON that was killed after its last download sends no request when it is repeated', async () => {
    const [source, mirror] = [await PublicSource.start(files()), temporaryFolder()]
    const fetched = () => fetchHere('mtgjson', source, mirror, { games: ['mtg'] })
    const { state } = await fetched()
    assert.deepEqual(fetchedSources.mtgjson.imports(state, onlyDefaultGames).length, 1)
    writeFileSync(join(mirror, 'fetch.json'), JSON.stringify({ ...state, state: 'unfinished' }))
    source.forget()
    assert.deepEqual([(await fetched()).isNew, source.asked], [true, []])
  })

  it('A fetch of MTGJSON stays unfinished if it replaced only one of its files, since they are then of two days', async () => {
    const [source, mirror] = [await PublicSource.start(files()), temporaryFolder()]
    const fetched = () => fetchHere('mtgjson', source, mirror, { games: ['mtg'] })
    await fetched()
    for (const [path, content] of files()) source.set(path, content)
    const pathOfSum = `/api/v5/${names[2]}.sha256`
    const sum = source.files.get(pathOfSum)!
    source.set(pathOfSum, '<p>none</p>')
    await assert.rejects(fetched(), /is no checksum/)
    assert.equal(readFetchState(mirror)!.state, 'unfinished')
    source.set(pathOfSum, sum)
    await fetched()
    assert.equal(readFetchState(mirror)!.state, 'whole')
  })

  it('A fetch of MTGJSON refuses a wrong or missing checksum', async () => {
    const [source, path] = [await PublicSource.start(files()), `/api/v5/${names[0]}`]
    const [own, other] = [source.files.get(path)!, Buffer.of(1)].map(sha256)
    for (const [sum, line] of [
      [other!, ` has the checksum ${own}, its publisher says ${other}${again}`],
      ['<p>none</p>', '.sha256 is no checksum (none): look at the address yourself'],
    ] as const) {
      source.set(`${path}.sha256`, sum)
      const reported = await lineOf(fetchHere('mtgjson', source, temporaryFolder(), { games: ['mtg'] }))
      assert.equal(reported, source.url + path + line)
    }
  })
})

describe('PriceCharting', () => {
  /** @param others so many rows at its end are of another category */
  const guide = (console: string, rows = 40, others = 0) =>
    `id,console-name,product-name,loose-price,manual-only-price\n${Array.from({ length: rows }, (_, i) => `${i},${i < rows - others ? console : 'Magic 7th'},Card #${i},$1.00,$9.00\n`).join('')}`
  const pathOf = (slug: string) => `/price-guide/download-custom?t=${token}&category=${slug}`
  /** By PriceCharting's category, one of its consoles. */
  const consoles = {
    'lorcana-cards': 'Disney Lorcana First Chapter',
    'magic-cards': 'Magic Alpha',
    'one-piece-cards': 'One Piece Romance Dawn',
    'other-tcg-cards': 'Flesh and Blood Welcome to Rathe',
    'pokemon-cards': 'Pokemon Base Set',
    'yugioh-cards': 'YuGiOh Legend of Blue Eyes White Dragon',
  }
  const files = new Map(Object.entries(consoles).map(([slug, name]) => [pathOf(slug), guide(name, 40, 2)]))
  const options = { games: ['pokemon', 'mtg'] as const, token }

  it('A fetch of PriceCharting brings a guide for each game', async () => {
    const source = await PublicSource.start(files)
    const mirror = temporaryFolder()
    const loud = { ...options, quiet: false }
    const [{ isNew, state }, notes] = await notesOf(() => fetchHere('pricecharting', source, mirror, loud))
    assert.match(notes, /^\W*pricecharting\W+waits 10 minutes, by its publisher's rules\W*$/)
    const date = new Date(clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length)
    const tasks = (['pokemon', 'magic'] as const).map((name, i) => ({
      names: [`${name}-cards.csv`],
      games: [options.games[i]],
      date,
      revision: sha256(source.files.get(pathOf(`${name}-cards`))!),
    }))
    assert.deepEqual([isNew, fetchedSources.pricecharting.imports(state, onlyDefaultGames)], [true, tasks])
    assert.deepEqual(readdirSync(mirror).sort(), ['.lock.db', 'fetch.json', 'magic-cards.csv', 'pokemon-cards.csv'])
    assert.deepEqual([source.breaches, source.asked.length], [[], 2])
    assert.doesNotMatch(readFileSync(join(mirror, 'fetch.json'), 'utf8'), new RegExp(token))
    assert.equal((await fetchHere('pricecharting', source, mirror, options)).isNew, false)
  })

  it('A fetch of PriceCharting brings the guides of all categories', async () => {
    const source = await PublicSource.start(files)
    const mirror = temporaryFolder()
    const { state } = await fetchHere('pricecharting', source, mirror, { games: gameSlugs, token })
    const imported = fetchedSources.pricecharting.imports(state, onlyDefaultGames).flatMap(({ games }) => games)
    assert.deepEqual(imported.sort(), [...gameSlugs].sort())
    const guides = readdirSync(mirror).flatMap((name) => (name.endsWith('.csv') ? [name.slice(0, -4)] : []))
    assert.deepEqual(guides.sort(), Object.keys(consoles))
  })

  it('After a broken download, PriceCharting’s guide is downloaded anew from its start, because it may have changed', async () => {
    const path = pathOf('pokemon-cards')
    for (const hasTags of [false, 'weak'] as const) {
      const source = await PublicSource.start(files)
      source.packs = false
      source.hasTags = hasTags
      source.fault = breakingOff(path, 3)
      const mirror = temporaryFolder()
      const fetched = () => fetchHere('pricecharting', source, mirror, { games: ['pokemon'], token })
      assert.match((await lineOf(fetched()))!, /\(3 times\)/)
      source.fault = undefined
      source.set(path, guide('Pokemon Base Set').replaceAll('$1.00', '$2.00'))
      await fetched()
      assert.ok(readFileSync(join(mirror, 'pokemon-cards.csv')).equals(source.files.get(path)!))
      for (const { range } of source.headers) assert.equal(range, undefined)
    }
  })

  const columns = 'console-name and product-name and loose-price'
  const moved = ', which is not followed: check whether it has moved'
  const wrongs: readonly (readonly [what: string, fault: Fault, line: string])[] = [
    ['a web page', replying(200, `<html>t=${token}`), `is a web page instead of a price guide${again}`],
    [
      'a CSV without the columns of a guide',
      replying(200, `id,t=${token}\n1,2\n`),
      `is no price guide (line 1: must have the column ${columns})${again}`,
    ],
    [
      'a guide of another category',
      replying(200, guide('Pokemon', 40, 3)),
      `is not of pokemon-cards: 3 of 40 rows are of other categories${again}`,
    ],
    ['a guide without a row', replying(200, guide('Pokemon', 0)), `is a price guide without a row${again}`],
    ['a 403 whose text has the token', replying(403, `no ${token}!`), `answered 403 ("no …!")${rules}`],
    [
      'a redirect to another host with the token',
      leadingTo(`https://evil.example/?t=${token}`),
      `redirects to https://evil.example${moved}`,
    ],
  ]
  for (const [what, fault, line] of wrongs) {
    it(`A fetch of PriceCharting fails on ${what}, and its message does not show the token`, async () => {
      const source = await PublicSource.start(files)
      source.fault = fault
      const reported = await lineOf(fetchHere('pricecharting', source, temporaryFolder(), options))
      assert.equal(reported, `${source.url}/price-guide/download-custom ${line}`)
    })
  }

  it('A fetch of PriceCharting writes its token into no output, report or file', async () => {
    const source = await PublicSource.start(files)
    const refusing: Fault = ({ path, response }) => response.writeHead(403).end(`see ${path}`)
    source.fault = (asked) => (asked.before === 0 ? replying(503, '', { 'Retry-After': '0' })(asked) : refusing(asked))
    const [mirror, folder] = [temporaryFolder(), temporaryFolder()]
    const args = ['fetch', 'pricecharting', '--games', 'mtg', '--out', mirror, '--report', join(folder, 'report.json')]
    const env = { PRICECHARTING_TOKEN: token }
    const from = source.url.replace('//', '//me:hidden@')
    const given = [...args, '--from', from]
    const { code, stdout, stderr } = await runFetch(given, () => {}, env, { pricechartingPauseMs: 1 })
    const path = '/price-guide/download-custom'
    const refused = `${source.url}${path} answered 403 ("see ${path}?t=…&category=magic-cards")${rules}`
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `pricecharting: answered 503: waits 1 seconds\n${refused}\n`)
    const left = [mirror, folder].flatMap((at) =>
      readdirSync(at, { recursive: true, withFileTypes: true }).map((entry) =>
        entry.isFile() ? entry.name + readFileSync(join(entry.parentPath, entry.name), 'latin1') : entry.name,
      ),
    )
    assert.ok(left.length >= 3)
    for (const text of [stdout, stderr, ...left]) assert.doesNotMatch(text, new RegExp(`${token}|hidden`))
    const { authorization, 'user-agent': agent } = source.headers[0]!
    const basic = `Basic ${Buffer.from('me:hidden').toString('base64')}`
    assert.deepEqual([authorization, agent], [basic, `card-price-lookup/${packageVersion.replace('-dev', '')}`])
  })

  it('A fetch of PriceCharting sends no request without a token', async () => {
    const source = await PublicSource.start(files)
    const line = await lineOf(fetchHere('pricecharting', source, temporaryFolder(), { games: ['mtg'] }))
    assert.equal(line, 'PRICECHARTING_TOKEN is not set: it is part of the address of your price guides there')
  })
})
