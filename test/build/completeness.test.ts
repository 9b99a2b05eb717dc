/** Snapshots that are right line by line and wrong as a whole, by their cards or market prices; what an operator does then: --force. */
import assert from 'node:assert/strict'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type BuildResult, build } from '../../build/build.ts'
import { reportOf } from '../../build/build-command.ts'
import { Progress } from '../../build/progress.ts'
import { softwareVersion } from '../../src/version.ts'
import { copyOf, projectDir, runHere, temporaryFolder } from '../support/command.ts'
import { aCard, aSet, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { cards, cardsAt, currentOf, refused, refusedBefore, snapshotWith } from './compiled.ts'

const offer = ' (--force publishes it all the same)'
const fewer = 'more than a tenth fewer cards than in the current version:'

const versions = new Map<string, string>()

/** A folder of its own with a version of so many cards. */
async function published(pokemon: number, mtg: number): Promise<string> {
  const key = `${pokemon} ${mtg}`
  if (!versions.has(key)) {
    versions.set(key, temporaryFolder())
    await build(snapshotWith(pokemon, mtg), versions.get(key)!)
  }
  return copyOf(versions.get(key)!)
}

describe('A snapshot', () => {
  // Of pokemon and mtg: the current version's cards, the snapshot's, and what is said.
  const cases: readonly (readonly [before: readonly [number, number], now: readonly [number, number], said: string])[] =
    [
      [[100, 50], [90, 50], 'published'],
      [[100, 50], [89, 50], `${fewer} pokemon 89 of 100; nothing was published${offer}`],
      [[100, 900], [89, 920], `${fewer} pokemon 89 of 100; nothing was published${offer}`],
      [[99, 900], [1, 900], 'published'],
      [[100, 900], [0, 920], `${fewer} pokemon 0 of 100; nothing was published${offer}`],
      [[50, 50], [45, 45], 'published'],
      [[99, 900], [0, 899], `${fewer} all games 899 of 999; nothing was published${offer}`],
      [[1200, 100], [100, 100], `${fewer} pokemon 100 of 1,200, all games 200 of 1,300; nothing was published${offer}`],
      [[10, 0], [8, 0], `${fewer} all games 8 of 10; nothing was published${offer}`],
      [[0, 0], [10, 0], 'published'],
    ]
  for (const [before, now, said] of cases) {
    it(`A snapshot of ${now.join(' and ')} cards after one of ${before.join(' and ')}: ${said.slice(0, 90)}`, async () => {
      const indexDir = before[0] + before[1] > 0 ? await published(...before) : temporaryFolder()
      const left = readdirSync(indexDir)
      const snapshot = snapshotWith(...now)
      assert.equal(await refusedBefore(snapshot, indexDir), said)
      if (said === 'published') return
      assert.equal(await refused(snapshot, indexDir), said)
      const expected = [...left, 'build-failure.json'].sort()
      assert.deepEqual(readdirSync(indexDir).sort(), expected, 'nothing is published, the refusal alone is recorded')
      const { manifest } = await build(snapshot, indexDir, { force: true })
      assert.equal(currentOf(indexDir), manifest.version)
    })
  }

  for (const [what, count] of Object.entries({ cards: 150, sets: 2 })) {
    it(`A snapshot without ${what} is not published, even with --force`, async () => {
      const indexDir = await published(100, 50)
      const before = currentOf(indexDir)
      const snapshot = snapshotWith(100, 50)
      rmSync(join(snapshot, what), { recursive: true })
      const said = `the snapshot has 0 ${what}, the current version ${count}; nothing was published`
      for (const options of [{}, { force: true }]) assert.equal(await refused(snapshot, indexDir, options), said)
      assert.equal(currentOf(indexDir), before)
      assert.equal(await refused(snapshot, temporaryFolder()), `the snapshot has 0 ${what}; nothing was published`)
    })
  }

  it('A snapshot is compared with the version in use, not with the newest', async () => {
    const indexDir = temporaryFolder()
    const large = (await build(snapshotWith(200, 0), indexDir)).manifest.version
    await build(snapshotWith(100, 0), indexDir, { force: true })
    assert.equal(await refused(snapshotWith(99, 0), indexDir), 'published')
    writeFileSync(join(indexDir, 'current'), `${large}\n`)
    assert.match(await refused(snapshotWith(98, 0), indexDir), /pokemon 98 of 200/)
  })

  it('A snapshot is published with a warning if the current version can’t be read', async () => {
    const damages: readonly (readonly [name: string, content: string, said: string])[] = [
      ['current', 'nonsense', ' names no version ("nonsense")'],
      ['VERSION/lists.msgpack', 'damaged', ' has 7 bytes, its manifest says SIZE: is it still being copied?'],
      ['VERSION/manifest.json', '{"release":"0.1.0"}', `: built by release 0.1.0, this is ${softwareVersion}`],
    ]
    for (const [name, content, said] of damages) {
      const indexDir = await published(100, 0)
      const path = join(indexDir, name.replace('VERSION', currentOf(indexDir)))
      const warning = `not compared with: ${path}${said.replace('SIZE', String(statSync(path).size))}`
      writeFileSync(path, content)
      assert.deepEqual((await build(snapshotWith(10, 0), indexDir)).warnings, [warning])
      assert.deepEqual((await build(snapshotWith(10, 0), indexDir)).warnings, [])
    }
  })
})

it('A build on a terminal shows its steps, and at most five times a second how much it has read', async (context) => {
  const written: string[] = []
  let ms = 1000
  context.mock.method(performance, 'now', () => ms)
  const { mock } = context.mock.method(process.stderr, 'write', (text: string) => {
    if (text.startsWith('\r\u001b[2K')) written.push(text.slice('\r\u001b[2K'.length))
    return true
  })
  for (const isTTY of [false, true]) {
    assert.deepEqual(written, [])
    Object.assign(process.stderr, { isTTY })
    ms = 1000
    await build(snapshotOf({ ...aSnapshot, 'history/a.csv': 'date,id,market,low,high\n' }), temporaryFolder())
    const progress = new Progress()
    progress.step('reading')
    for (const [at, bytes] of Object.entries({ 1199: 1, 1200: 2, 1399: 3, 11000: 255 })) {
      ms = Number(at)
      progress.reading({ bytes, bytesTotal: 1000, file: 'history/a.csv' })
    }
  }
  mock.restore()
  Object.assign(process.stderr, { isTTY: false })
  const steps = ['reading sets and cards', 'writing the index', '']
  assert.deepEqual(written, [...steps, 'reading', 'history/a.csv  0 %  100 s left', 'history/a.csv  25 %  29 s left'])
})

it('A build warns if its newest date is earlier than that of the current version', async () => {
  const [snapshot, indexDir] = [snapshotOf(aSnapshot), temporaryFolder()]
  for (const [date, warnings] of [
    ['2026-11-20', []],
    ['2026-11-20', []],
    ['2026-11-19', ['as of moves backwards, from 2026-11-20 to 2026-11-19']],
    ['2026-11-21', []],
    [null, ['as of moves backwards, from 2026-11-21 to an unknown day']],
    ['2026-11-18', []],
  ] as const) {
    const rows = date === null ? '' : `${date},${aCard.id},1,1,1\n`
    snapshotOf({ 'history/a.csv': `date,id,market,low,high\n${rows}` }, snapshot)
    assert.deepEqual((await build(snapshot, indexDir)).warnings, warnings)
  }
})

it('The report of a build has the version’s date, counts, sizes and time', () => {
  const sizes = { 'cards-000': 1_234_000, 'history-000': 5000, 'history-001': 172 }
  const files = Object.entries(sizes).map(([name, bytes]) => ({ name: `${name}.msgpack`, bytes, sha256: '' }))
  const counts = { cards: 12_345, sets: 1234, historyRows: 4096 }
  const manifest = { format: 8, version: '2026-11-20-0123456789ab', asOf: '2026-11-20', builtAt: '', counts, files }
  const history = { files: 1001, filesRead: 1000, rows: 4096, rowsRead: 3000, dropped: 1002 }
  const result = { manifest, history, warnings: ['one', 'another'], seconds: 61.26 } as unknown as BuildResult
  const lines = [
    'version        2026-11-20-0123456789ab',
    'as of          2026-11-20',
    'cards          12,345',
    'sets           1,234',
    'history rows   4,096 kept, 1.26 bytes a row',
    'history files  1,001, 1,000 read with 3,000 rows',
    'dropped rows   1,002 of unknown cards',
    'index          1.2 MB',
    'time           61.3 s',
    'warning        one',
    'warning        another',
  ]
  const ahead = 'warning        the newest date, 2026-11-20, is after tomorrow, and every history window ends there'
  for (const today of ['2026-11-21', '2026-11-20', '2026-11-19'])
    assert.equal(reportOf(result, today), lines.join('\n'), today)
  for (const today of ['2026-11-18', '2015-12-31'])
    assert.equal(reportOf(result, today), [...lines, ahead].join('\n'), today)
  const empty = { ...manifest, asOf: null, counts: { ...counts, historyRows: 0 }, files: files.slice(0, 1) }
  const rows = reportOf({ ...result, manifest: empty as BuildResult['manifest'] }).split('\n')
  assert.deepEqual([rows[1], rows[4]], ['as of          unknown', 'history rows   0 kept, 0.00 bytes a row'])
  assert.match(
    reportOf({ ...result, manifest: { ...result.manifest, asOf: '2099-01-01' } }),
    /date, 2099-01-01, is after/,
  )
})

it('The build command builds into INDEX_DIR or --out, and takes --force', {
  timeout: 300_000,
}, async () => {
  const indexDir = await published(100, 0)
  const snapshot = snapshotWith(50, 0)
  const command = (...args: string[]) => runHere(['build', ...args], { INDEX_DIR: indexDir })
  const said = `${fewer} pokemon 50 of 100, all games 50 of 100; nothing was published${offer}\n`
  assert.deepEqual(await command('--snapshots', snapshot), { code: 1, stdout: '', stderr: said })
  const forced = await command('--snapshots', snapshot, '--force')
  assert.deepEqual([forced.code, forced.stderr], [0, ''])
  assert.match(forced.stdout, new RegExp(`^version +${currentOf(indexDir)}\nas of +unknown\ncards +50\n`))
  const out = temporaryFolder()
  assert.equal((await command('--snapshots', snapshot, '--out', out)).code, 0)
  assert.equal(currentOf(out), currentOf(indexDir))
  process.chdir(out)
  for (const none of ['snapshots', join(snapshot, 'sets/a.ndjson')]) {
    const isFile = none !== 'snapshots'
    const stderr = isFile
      ? `${none} must be a folder, and is a file\n`
      : 'the snapshot folder snapshots does not exist\n'
    const args = isFile ? ['--snapshots', none] : []
    assert.deepEqual(await command(...args), { code: 1, stdout: '', stderr })
  }
  process.chdir(projectDir)
})

describe('A snapshot and the previous version', () => {
  const unpriced = 'more than a tenth of the cards with a market price in the current version have none now:'
  const fallen = 'more than half of the market prices are below half of those in the current version:'
  const risen = 'more than half of the market prices are above twice those in the current version:'
  // Of pokemon: so many cards at each price, in the current version and in the snapshot; what 200 of mtg cost, which were at 1.
  const cases: readonly (readonly [before: string, now: string, mtg: number, said: string])[] = [
    ['100 at 1', '90 at 1, 10 at null', 1, 'published'],
    ['100 at 1', '89 at 1, 11 at null', 1, `${unpriced} pokemon 11 of 100`],
    ['100 at 1', '50 at 1, 50 at null', 1, `${unpriced} pokemon 50 of 100, all games 50 of 300`],
    // A card without a price before, or without a card now, counts on neither side.
    ['50 at 1, 50 at null', '45 at 1, 5 at null, 50 at 1', 1, 'published'],
    ['50 at 1, 50 at null', '44 at 1, 6 at null, 50 at 1', 1, `${unpriced} pokemon 6 of 50`],
    ['99 at 1', '99 at null', 1, `${unpriced} all games 99 of 299`],
    // A price of 0 is one.
    ['100 at 0', '100 at 0', 1, 'published'],
    ['100 at 0', '100 at 0.01', 1, `${risen} pokemon 100 of 100`],
    ['100 at 1', '100 at 0', 1, `${fallen} pokemon 100 of 100`],
    // Exactly a half, exactly twice, exactly as many as the others.
    ['100 at 1', '100 at 0.5', 1, 'published'],
    ['100 at 1', '51 at 0.49, 49 at 1', 1, `${fallen} pokemon 51 of 100`],
    ['100 at 1', '50 at 0.49, 50 at 1', 1, 'published'],
    ['100 at 1', '46 at 0.49, 44 at 1, 10 at null', 1, `${fallen} pokemon 46 of 90`],
    ['100 at 1', '100 at 2', 1, 'published'],
    ['100 at 1', '51 at 2.01, 49 at 1', 1, `${risen} pokemon 51 of 100`],
    ['100 at 1', '50 at 2.01, 50 at 1', 1, 'published'],
    ['100 at 1', '46 at 2.01, 44 at 1, 10 at null', 1, `${risen} pokemon 46 of 90`],
    ['99 at 1', '99 at 1000', 1, 'published'],
    ['99 at 1', '99 at 1000', 1000, `${risen} mtg 200 of 200, all games 299 of 299`],
    ['100 at 1', '11 at null, 89 at 1000', 1, `${unpriced} pokemon 11 of 100; ${risen} pokemon 89 of 89`],
  ]
  const priced = (text: string) =>
    text.split(', ').flatMap((part) => {
      const [count, price] = part.split(' at ')
      return new Array<number | null>(Number(count)).fill(JSON.parse(price!))
    })
  const versions = new Map<string, string>()
  for (const [before, now, mtgNow, said] of cases) {
    it(`A build of Pokémon cards priced "${now}" (cards at a price), after a version with "${before}", ends with: ${said}`, async () => {
      const snapshot = (pokemon: string, mtg: number) =>
        snapshotOf({
          'sets/a.ndjson': [aSet, { ...aSet, game: 'mtg' }],
          'cards/pokemon.ndjson': cardsAt('pokemon', priced(pokemon)),
          'cards/mtg.ndjson': cards('mtg', 200, mtg),
        })
      if (!versions.has(before)) {
        versions.set(before, temporaryFolder())
        await build(snapshot(before, 1), versions.get(before)!)
      }
      const last = snapshot(now, mtgNow)
      const expected = said === 'published' ? said : `${said}; nothing was published${offer}`
      assert.equal(await refusedBefore(last, versions.get(before)!), expected)
    })
  }

  it('A build compares the prices of the same cards, even if other cards were added or removed', async () => {
    const indexDir = temporaryFolder()
    const said = (first: number, factor: number) => {
      const numbers = Array.from({ length: 100 }, (_, i) => first + i)
      const cards = numbers.map((i) => ({ ...aCard, id: `pokemon-${i}`, prices: { market: factor * (1 + i) } }))
      return refused(snapshotOf({ ...aSnapshot, 'cards/a.ndjson': cards }), indexDir)
    }
    const wrong = `${fallen} pokemon 90 of 90, all games 90 of 90; nothing was published${offer}`
    assert.equal(await said(0, 1), 'published')
    assert.equal(await said(5, 2), 'published', 'twice as much each')
    assert.equal(await said(15, 0.5), wrong)
  })
})
