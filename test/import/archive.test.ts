/** Archive days of TCGCSV become history of cards that are known. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Report } from '../../build/import/import-report.ts'
import { temporaryFolder } from '../support/command.ts'
import { contentOf, copyOf, errorsOf, historyOf, importInto } from '../support/import.ts'
import { archiveDays, mirrorDay, writeArchive, writeMirror } from '../support/mirror.ts'

const archive = writeArchive()
const day = archiveDays[1]!
const mirrored = temporaryFolder()
const imported = temporaryFolder()
let atOnce: Report
before(async () => {
  await importInto(mirrored, 'tcgcsv', [writeMirror()])
  cpSync(mirrored, imported, { recursive: true })
  atOnce = (await importInto(imported, 'tcgcsv-archive', [archive])).report
})

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

describe('archive days', () => {
  it('are a file each, beside the day of the mirror', () => {
    assert.deepEqual(
      Object.keys(contentOf(join(imported, 'history'))),
      [...archiveDays, mirrorDay].map((date) => `${date}-tcgcsv.csv.gz`),
    )
    assert(historyOf(imported, `${day}-tcgcsv.csv.gz`).includes(`${day},pokemon-swsh12-139-holofoil,4.44,3.1,25.51`))
    assert.equal(atOnce.game('pokemon').prices, archiveDays.length * 17)
  })

  it('change nothing else, and nothing at all a second time', async () => {
    const out = copyOf(imported)
    const { changed } = await importInto(out, 'tcgcsv-archive', [archive])
    assert.deepEqual(changed, [])
    for (const [name, content] of Object.entries(contentOf(mirrored))) assert.equal(contentOf(out)[name], content, name)
  })

  it('have prices of no known card left out, reported once each', () => {
    // Sealed products and code cards are none, and their prices are in every day.
    const counted = atOnce.game('pokemon').leftOut
    assert.deepEqual([...counted], [['price of no known card', 3 * archiveDays.length]])
    const reported = atOnce.records.filter(({ game }) => game === 'pokemon')
    assert.deepEqual(reported.map(({ record }) => record).sort(), ['42400 Normal', '451400 Normal', '451402 Normal'])
    for (const { file } of reported) assert(file?.startsWith(join(archive, archiveDays[0]!)))
  })

  it('replace the day that is there, and with --games those games of it alone', async () => {
    const folder = oneDay(day, (text) => text.replace('44.01', '1.01'))
    writeFileSync(join(folder, '71/22937/prices'), '{"success":true,"errors":[],"results":[]}')
    const out = copyOf(imported)
    await importInto(out, 'tcgcsv-archive', [folder], { games: new Set(['pokemon'] as const) })
    const name = `${day}-tcgcsv.csv.gz`
    const expected = historyOf(imported, name).map((row) =>
      row.replace('pokemon-bs-001-holofoil,44.01', 'pokemon-bs-001-holofoil,1.01'),
    )
    assert.notDeepEqual(expected, historyOf(imported, name))
    assert.deepEqual(historyOf(out, name), expected)
    await importInto(out, 'tcgcsv-archive', [folder])
    assert.deepEqual(
      historyOf(out, name),
      expected.filter((row) => !row.includes('lorcana-1-42')),
    )
  })

  it('have the day of their folder, or of --date', async () => {
    const out = copyOf(mirrored)
    await importInto(out, 'tcgcsv-archive', [oneDay('unpacked')], { date: '2025-02-03' })
    assert.equal(historyOf(out, '2025-02-03-tcgcsv.csv.gz').length, historyOf(imported, `${day}-tcgcsv.csv.gz`).length)
  })

  const withCut = () => {
    const folder = copyOf(archive)
    cpSync(
      oneDay(day, (text) => text.slice(0, 99)),
      join(folder, archiveDays[4]!),
      { recursive: true },
    )
    return folder
  }
  const cut = new RegExp(`${archiveDays[4]}/3/604/prices: line 1, byte 99: the file is cut short`)
  const noDay = /unpacked: is not an archive day \(YYYY-MM-DD\) and contains none/
  const missing = /3\/604\/prices: is missing; --partial continues without it/
  const refused: readonly (readonly [what: string, paths: () => string[], expected: RegExp])[] = [
    ['a day twice', () => [archive, oneDay()], new RegExp(`${day}: is the same day as .*${day}`)],
    ['a folder that is no day', () => [oneDay('unpacked')], noDay],
    ['a folder that is not there', () => [join(archive, 'nowhere')], /nowhere: does not exist/],
    ['a group without prices', () => [oneDay(day, () => null)], missing],
    ['a file cut short in one of many', () => [withCut()], cut],
  ]
  for (const [what, paths, expected] of refused) {
    it(`with ${what} are refused, and the folder stays as it was`, async () => {
      const out = copyOf(imported)
      assert.match(await errorsOf(importInto(out, 'tcgcsv-archive', paths())), expected)
      assert.deepEqual(contentOf(out), contentOf(imported))
    })
  }

  it('with a price twice have the first, and the second is listed as wrong', async () => {
    const row = (productId: number, marketPrice: number) => ({ productId, marketPrice, subTypeName: 'Holofoil' })
    const others = Array.from({ length: 20 }, (_, i) => row(900_000 + i, 1))
    const results = [{ ...row(42346, 1), lowPrice: null, midPrice: null, highPrice: null }, ...others, row(42346, 2)]
    const out = copyOf(mirrored)
    const { report } = await importInto(out, 'tcgcsv-archive', [oneDay(day, () => JSON.stringify({ results }))], {
      games: new Set(['pokemon']),
    })
    const rows = historyOf(out, `${day}-tcgcsv.csv.gz`).filter((line) => line.includes('pokemon-bs'))
    assert.deepEqual(rows, [`${day},pokemon-bs-001-holofoil,1,,`])
    assert.deepEqual(
      report.records.flatMap(({ reason, place, record }) => (reason === 'wrong' ? [[place, record]] : [])),
      [['results[21].subTypeName', 'is there twice for its product ("Holofoil")']],
    )
  })

  it('with --partial may lack the prices of a group', async () => {
    const out = copyOf(imported)
    const { report } = await importInto(out, 'tcgcsv-archive', [oneDay(day, () => null)], { partial: true })
    assert.deepEqual(
      historyOf(out, `${day}-tcgcsv.csv.gz`),
      historyOf(imported, `${day}-tcgcsv.csv.gz`).filter((row) => !row.includes('pokemon-bs-')),
    )
    assert.equal(report.game('pokemon').doubtful, 1)
  })

  it('come after a mirror, which tells what a card is', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'cards'))
    assert.match(await errorsOf(importInto(out, 'tcgcsv-archive', [archive])), /has no cards of TCGplayer yet/)
  })
})
