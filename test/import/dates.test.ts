/** Which day prices are of: a mirror’s, where a wrong one would replace the history of another day, and those of an archive. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { gameSlugs } from '../../build/games/default-games.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { type MirrorGroup, type MirrorPrice, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  assertRefused,
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  file,
  historyOf,
  importInto,
  runImportHere,
} from '../support/import.ts'
import {
  archiveDays,
  changed,
  mirrorDay,
  mirrorFiles,
  withGroups,
  writeArchive,
  writeFiles,
  writeMirror,
} from '../support/mirror.ts'
import { allPrices, allPrintings } from './magic.ts'

/** Two games, whose groups have all forms but one. */
const own = mirrorGroups.filter(({ category }) => category === 3 || category === 71)
const mirror = writeMirror(own)
const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [mirror])

const withOwn = (group: number, product: number, prices: readonly MirrorPrice[]) =>
  withGroups({ [group]: changed(product, { prices }) }, own)
const historyName = (day: string): string => `${day}-tcgcsv.csv.gz`
const nextDay = '2026-11-21'

/** Alakazam of the Base Set has another price, and nothing tells that anything was modified. */
const repriced = withOwn(604, 42346, [{ subType: 'Holofoil', market: 45 }])

/** @param modified the day of each `modifiedOn` */
function filesOf({ groups = own, lastUpdated, modified }: Mirrored): Map<string, string | Buffer> {
  const files = mirrorFiles(groups)
  if (lastUpdated !== undefined) files.set('last-updated.txt', lastUpdated)
  if (modified !== undefined) {
    const moved = (text: string): string => text.replaceAll(`${mirrorDay}T08`, `${modified}T08`)
    for (const [name, content] of files)
      files.set(name, typeof content === 'string' ? moved(content) : gzipSync(moved(`${gunzipSync(content)}`)))
  }
  return files
}

interface Mirrored {
  readonly groups?: readonly MirrorGroup[]
  readonly lastUpdated?: string
  readonly modified?: string
}

describe('The day of a mirror', () => {
  const cases: readonly (readonly [lastUpdated: string | undefined, date: string | undefined, updatedAt: string])[] = [
    [undefined, undefined, `${mirrorDay}T00:00:00Z`],
    ['2026-11-22T20:05:33+0000\n', undefined, '2026-11-22T20:05:33Z'],
    ['2026-11-01T20:05:33+0000', undefined, '2026-11-01T20:05:33Z'],
    ['2026-11-22T20:05:33.25+00:00\n', undefined, '2026-11-22T20:05:33Z'],
    ['2026-11-22T20:05:33Z', undefined, '2026-11-22T20:05:33Z'],
    ['2026-11-22T20:05:33', undefined, '2026-11-22T00:00:00Z'],
    ['2026-11-22T20:05:33+0200', undefined, '2026-11-22T00:00:00Z'],
    ['2026-11-22T29:05:33+0000', undefined, '2026-11-22T00:00:00Z'],
    ['2026-11-22', undefined, '2026-11-22T00:00:00Z'],
    ['2026-11-22T20:05:33+0000', '2026-11-02', '2026-11-02T00:00:00Z'],
    ['<html>', '2026-11-02', '2026-11-02T00:00:00Z'],
  ]
  for (const [lastUpdated, date, updatedAt] of cases) {
    const said = lastUpdated === undefined ? 'no last-updated.txt' : `${lastUpdated.trim()} in last-updated.txt`
    it(`Cards of a mirror with ${said}, imported with ${date === undefined ? 'no --date' : `--date ${date}`}, are of ${updatedAt}`, async () => {
      const out = temporaryFolder()
      const paths = [writeFiles(filesOf(lastUpdated === undefined ? {} : { lastUpdated }))]
      const day = updatedAt.slice(0, mirrorDay.length)
      assert.equal((await importInto(out, 'tcgcsv', paths, { date })).date, day)
      assert.deepEqual(Object.keys(contentOf(join(out, 'history'))), [historyName(day)])
      const found = [...cardsById(out).values()].map((card) => card.updatedAt)
      assert.deepEqual([...new Set(found)].sort(), [null, updatedAt].sort())
      assert.deepEqual((await importInto(out, 'tcgcsv', paths, { date })).changed, [])
    })
  }

  it('The day of a mirror is its newest modifiedOn, even if a group or a product in a CSV has it', async () => {
    for (const end of ['.csv', '/groups']) {
      const files = filesOf({})
      for (const [name, content] of files) {
        if (name.endsWith(end)) files.set(name, `${content}`.replaceAll(`${mirrorDay}T08`, `${nextDay}T08`))
      }
      const { date } = await importInto(temporaryFolder(), 'tcgcsv', [writeFiles(files)])
      assert.equal(date, nextDay, end)
    }
  })

  it('The day of a mirror is read from last-updated.txt beside its folder tcgplayer/', async () => {
    const outer = temporaryFolder()
    cpSync(mirror, join(outer, 'tcgplayer'), { recursive: true })
    writeFileSync(join(outer, 'last-updated.txt'), '2026-11-22T20:05:33+0000')
    assert.equal((await importInto(temporaryFolder(), 'tcgcsv', [outer])).date, '2026-11-22')
  })

  it('A mirror whose last-updated.txt has no date is refused', async () => {
    for (const text of ['', 'yesterday', '2026-02-30T00:00:00+0000']) {
      const dir = writeFiles(filesOf({ lastUpdated: text }))
      const line = `${dir}/last-updated.txt: line 1: must begin with a date, YYYY-MM-DD ("${text}")`
      assert.ok((await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [dir]))).startsWith(`${line}\n`), line)
    }
  })
})

describe('A mirror with other prices than the last one, of the same day', () => {
  const firstPrice = withOwn(3170, 451399, [{ subType: 'Holofoil', market: 8 }])
  const noPrice = withOwn(604, 42346, [])
  const lowPrice = { subType: 'Holofoil', market: 44.1, low: 31, mid: 45.5, high: 99.99 }
  const refused: readonly (readonly [what: string, mirror: Mirrored])[] = [
    ['a price changed', { groups: repriced }],
    ['a card has its first price', { groups: firstPrice }],
    ['a low price changed', { groups: withOwn(604, 42346, [lowPrice]) }],
    ['a card has no price any more', { groups: noPrice }],
    ['a price changed and its day is earlier', { groups: repriced, modified: '2026-11-19' }],
  ]
  for (const [what, mirror] of refused) {
    it(`An import of a mirror that is no newer than the last one asks for --date if ${what}`, async () => {
      const out = copyOf(imported)
      const dir = writeFiles(filesOf(mirror))
      const day = mirror.modified ?? mirrorDay
      await assertRefused(
        importInto(out, 'tcgcsv', [dir]),
        `${dir}: is dated ${day}, but its prices differ from the last import, of ${mirrorDay}: name their day with --date`,
      )
      assert.deepEqual(contentOf(out), contentOf(imported))
      await importInto(out, 'tcgcsv', [dir], { date: nextDay })
      assert.deepEqual(Object.keys(contentOf(join(out, 'history'))), [historyName(mirrorDay), historyName(nextDay)])
      assert.deepEqual(historyOf(out, historyName(mirrorDay)), historyOf(imported, historyName(mirrorDay)))
    })
  }

  it('A mirror with changed prices is imported if its last-updated.txt is newer, or with --date', async () => {
    const out = copyOf(imported)
    const stamped = writeFiles(filesOf({ groups: repriced, lastUpdated: `${nextDay}T20:05:33+0000` }))
    await importInto(out, 'tcgcsv', [stamped])
    assert(historyOf(out, historyName(nextDay)).includes(`${nextDay},pokemon-bs-001-holofoil,45,,`))
    await importInto(out, 'tcgcsv', [mirror], { date: nextDay })
    assert(historyOf(out, historyName(nextDay)).includes(`${nextDay},pokemon-bs-001-holofoil,44.1,30,99.99`))
  })

  it('A second mirror of a day is imported if it repeats the prices in the folder, or adds games that the folder lacks', async () => {
    const out = temporaryFolder()
    const games = new Set(['lorcana'] as const)
    await importInto(out, 'tcgcsv', [mirror], { games })
    await importInto(out, 'tcgcsv', [writeMirror(repriced)], { games: new Set(gameSlugs), force: true })
    assert.match(await errorsOf(importInto(out, 'tcgcsv', [mirror])), /name their day with --date/)
    await importInto(out, 'tcgcsv', [mirror], { games, force: true })
  })
})

it('The day of a mirror of some games is compared with the last import of these games', async () => {
  const out = copyOf(imported)
  await importInto(out, 'tcgcsv', [mirror], { games: new Set(['lorcana'] as const), date: '2026-11-22' })
  const dir = writeFiles(filesOf({ groups: repriced, modified: nextDay }))
  const { date } = await importInto(out, 'tcgcsv', [dir], { games: new Set(['pokemon'] as const) })
  assert.equal(date, nextDay)
})

describe('A mirror dated in the future', () => {
  const today = dayOfMs(Date.now())
  const late = dateOfDay(today + 2)
  const tomorrow = dateOfDay(today + 1)
  const printings = file('AllPrintings.json', allPrintings())
  const unpacked = mirrorFiles(own.map((group) => ({ ...group, form: 'json' as const })))
  const archiveDay = (day: string): string => writeFiles(unpacked, join(temporaryFolder(), day))
  const cases: readonly (readonly [where: string, source: string, paths: (day: string) => string[]])[] = [
    ['last-updated.txt', 'tcgcsv', (day) => [writeFiles(filesOf({ lastUpdated: `${day}T20:05:33+0000` }))]],
    ['modifiedOn', 'tcgcsv', (day) => [writeFiles(filesOf({ modified: day }))]],
    ["an archive day's name", 'tcgcsv-archive', (day) => [archiveDay(day)]],
    [
      'MTGJSON’s meta date',
      'mtgjson',
      (day) => [file('p', allPrices().replace('e":"2026-11-20', `e":"${day}`)), printings],
    ],
    ['a day of MTGJSON', 'mtgjson', (day) => [file('q', allPrices().replaceAll('2026-11-18', day)), printings]],
  ]
  for (const [where, source, paths] of cases) {
    it(`An import refuses the day after tomorrow in ${where}, and accepts tomorrow`, async () => {
      const out = copyOf(imported)
      const errors = await errorsOf(importInto(out, source, paths(late)))
      assert.match(
        errors,
        new RegExp(
          `^.*: has prices of ${late}, which is after tomorrow; this machine's clock says \\S+: is it right\\?$`,
          'm',
        ),
      )
      assert.deepEqual(contentOf(out), contentOf(imported))
      await importInto(out, source, paths(tomorrow))
    })
  }

  it('The day after tomorrow in --date is wrong usage, and tomorrow is not', async () => {
    const out = temporaryFolder()
    const { code, stderr } = await runImportHere('tcgcsv', mirror, '--out', out, '--date', late)
    assert.equal(code, 2)
    assert(stderr.startsWith(`--date: must not be after tomorrow (${late})\n`), stderr)
    assert.equal((await runImportHere('tcgcsv', mirror, '--out', out, '--date', tomorrow)).code, 0)
  })
})

const archive = writeArchive(own)
const day = archiveDays[1]!
const archived = copyOf(imported)
const { report: atOnce } = await importInto(archived, 'tcgcsv-archive', [archive])

/** A copy of one day of the archive, with the prices of the Base Set changed, or without them. */
function oneDay(name = day, change: (text: string) => string | null = (text) => text): string {
  const folder = join(temporaryFolder(), name)
  cpSync(join(archive, day), folder, { recursive: true })
  const prices = join(folder, '3/604/prices')
  const changed = change(readFileSync(prices, 'utf8'))
  if (changed === null) rmSync(prices)
  else writeFileSync(prices, changed)
  return folder
}

describe('The days of an archive', () => {
  it('Each day of an imported archive becomes a history file of its own, beside that of the mirror’s day', () => {
    assert.deepEqual(Object.keys(contentOf(join(archived, 'history'))), [...archiveDays, mirrorDay].map(historyName))
    assert(historyOf(archived, `${day}-tcgcsv.csv.gz`).includes(`${day},pokemon-swsh12-139-holofoil,4.44,3.1,25.51`))
    assert.equal(atOnce.game('pokemon').prices, archiveDays.length * 17)
  })

  it('The import of an archive adds history days and changes no other file, and a second one changes nothing', async () => {
    const out = copyOf(archived)
    const { changed } = await importInto(out, 'tcgcsv-archive', [archive])
    assert.deepEqual(changed, [])
    for (const [name, content] of Object.entries(contentOf(imported))) assert.equal(contentOf(out)[name], content, name)
  })

  it('Prices of unknown cards in an archive are left out, and reported once each', () => {
    // Sealed products and code cards are none, and their prices are in every day.
    const counted = atOnce.game('pokemon').leftOut
    assert.deepEqual([...counted], [['price of no known card', 3 * archiveDays.length]])
    const reported = atOnce.records.filter(({ game }) => game === 'pokemon')
    assert.deepEqual(reported.map(({ record }) => record).sort(), ['42400 Normal', '451400 Normal', '451402 Normal'])
    for (const { file } of reported) assert(file?.startsWith(join(archive, archiveDays[0]!)))
  })

  it('A day of an archive replaces the same day of the history, or with --games only the prices of these games', async () => {
    const folder = oneDay(day, (text) => text.replace('44.01', '1.01'))
    writeFileSync(join(folder, '71/22937/prices'), '{"success":true,"errors":[],"results":[]}')
    const out = copyOf(archived)
    await importInto(out, 'tcgcsv-archive', [folder], { games: new Set(['pokemon'] as const) })
    const name = `${day}-tcgcsv.csv.gz`
    const expected = historyOf(archived, name).map((row) =>
      row.replace('pokemon-bs-001-holofoil,44.01', 'pokemon-bs-001-holofoil,1.01'),
    )
    assert.notDeepEqual(expected, historyOf(archived, name))
    assert.deepEqual(historyOf(out, name), expected)
    await importInto(out, 'tcgcsv-archive', [folder])
    const others = expected.filter((row) => !row.includes('lorcana-1-42'))
    assert.deepEqual(historyOf(out, name), others)
  })

  it('The folder of an archive day may have any name if --date gives the day', async () => {
    const out = copyOf(imported)
    await importInto(out, 'tcgcsv-archive', [oneDay('unpacked')], { date: '2025-02-03' })
    assert.equal(historyOf(out, '2025-02-03-tcgcsv.csv.gz').length, historyOf(archived, `${day}-tcgcsv.csv.gz`).length)
  })

  const withCut = () => {
    const folder = copyOf(archive)
    const one = oneDay(day, (text) => text.slice(0, 99))
    cpSync(one, join(folder, archiveDays[4]!), { recursive: true })
    return folder
  }
  const nothing = { productId: 1, subTypeName: 'Normal' }
  const unknown = JSON.stringify({ results: Array.from({ length: 20 }, () => nothing) })
  const prices = '3/604/prices'
  const noField = 'results: no price of the archive has lowPrice and midPrice and highPrice and marketPrice'
  /** `DIR` is the last path. */
  const refused: readonly (readonly [what: string, paths: () => string[], line: string])[] = [
    ['a day twice', () => [archive, oneDay()], `DIR: is the same day as ${join(archive, day)}`],
    [
      'a folder name that is no day',
      () => [oneDay(`${day}x`)],
      'DIR: is not an archive day (YYYY-MM-DD) and contains none',
    ],
    ['a path that does not exist', () => [join(archive, 'nowhere')], 'DIR: does not exist'],
    [
      'a group without prices',
      () => [oneDay(day, () => null)],
      `DIR/${prices}: is missing; --partial continues without it`,
    ],
    [
      'prices that lack the known fields',
      () => [join(writeFiles(new Map([[`${day}/${prices}`, unknown]])), day)],
      `DIR/${prices}: ${noField}`,
    ],
    ['a file cut short', () => [withCut()], `DIR/${archiveDays[4]}/${prices}: line 1, byte 99: the file is cut short`],
  ]
  for (const [what, paths, line] of refused) {
    it(`An import of an archive with ${what} is refused and changes nothing`, async () => {
      const [out, given] = [copyOf(archived), paths()]
      const errors = await errorsOf(importInto(out, 'tcgcsv-archive', given, { games: new Set(['pokemon']) }))
      assert.equal(errors.replace(given.at(-1)!, 'DIR'), `${line}\n1 error; nothing was written`)
      assert.deepEqual(contentOf(out), contentOf(archived))
    })
  }

  it('A price that an archive has twice counts once, and the second is reported as wrong', async () => {
    const row = (productId: number, marketPrice: number) => ({ productId, marketPrice, subTypeName: 'Holofoil' })
    const others = Array.from({ length: 40 }, (_, i) => row(900_000 + i, 1))
    const results = [
      { ...row(42346, 1), lowPrice: null, midPrice: null, highPrice: null },
      ...others,
      row(42346, 2),
      { productId: 'x' },
    ]
    const out = copyOf(imported)
    const { report } = await importInto(out, 'tcgcsv-archive', [oneDay(day, () => JSON.stringify({ results }))], {
      games: new Set(['pokemon']),
    })
    const rows = historyOf(out, `${day}-tcgcsv.csv.gz`).filter((line) => line.includes('pokemon-bs'))
    assert.deepEqual(rows, [`${day},pokemon-bs-001-holofoil,1,,`])
    const found = report.records.flatMap(({ reason, place, record }) => (reason === 'wrong' ? [[place, record]] : []))
    assert.deepEqual(found, [
      ['results[41].subTypeName', 'is there twice for its product ("Holofoil")'],
      ['results[42].productId', 'must be a whole number above 0 ("x")'],
    ])
  })

  it('An import of an archive with --partial accepts that a group’s prices are missing', async () => {
    const out = copyOf(archived)
    const without = oneDay(day, () => null)
    const { report } = await importInto(out, 'tcgcsv-archive', [without], { partial: true })
    assert.deepEqual(
      historyOf(out, `${day}-tcgcsv.csv.gz`),
      historyOf(archived, `${day}-tcgcsv.csv.gz`).filter((row) => !row.includes('pokemon-bs-')),
    )
    const reason = 'is missing: its prices of the day are unknown'
    const [doubtful] = report.records.filter(({ kind }) => kind === 'doubtful')
    const record = join(without, '3/604')
    const located = { game: 'pokemon', file: `${record}/prices`, place: null, reason, record }
    assert.deepEqual(doubtful, { kind: 'doubtful', ...located })
  })

  it('An import of an archive is refused in a folder into which no mirror was imported yet', async () => {
    const out = temporaryFolder()
    const wrong = 'has no cards of TCGplayer yet, whose history this would be: import a mirror first'
    await assertRefused(importInto(out, 'tcgcsv-archive', [archive]), `${out}: ${wrong}`)
  })
})
