/** The day of a mirror's prices: a wrong one would replace the history of another day. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  file,
  historyOf,
  importInto,
  runImportHere,
} from '../support/import.ts'
import { changed, mirrorDay, mirrorFiles, withGroups, writeFiles, writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings } from './magic.ts'

const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [writeMirror()])

const historyName = (day: string): string => `${day}-tcgcsv.csv.gz`
const nextDay = '2026-11-21'

/** Alakazam of the Base Set has another price, and nothing tells that anything was modified. */
const repriced = withGroups({ 604: changed(42346, { prices: [{ subType: 'Holofoil', market: 45 }] }) })

/** @param modified the day of each `modifiedOn` */
function filesOf({ groups, lastUpdated, modified }: Mirrored): Map<string, string | Buffer> {
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

describe('the day of a mirror is', () => {
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
    it(`that of ${updatedAt}, of its cards too, with ${said} and ${date ?? 'no'} --date`, async () => {
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

  it('the newest modifiedOn, also of a product in a CSV, or of a group', async () => {
    for (const end of ['.csv', '/groups']) {
      const files = filesOf({})
      for (const [name, content] of files) {
        if (name.endsWith(end)) files.set(name, `${content}`.replaceAll(`${mirrorDay}T08`, `${nextDay}T08`))
      }
      const { date } = await importInto(temporaryFolder(), 'tcgcsv', [writeFiles(files)])
      assert.equal(date, nextDay, end)
    }
  })

  it('read beside tcgplayer/, where a mirror has that folder', async () => {
    const outer = temporaryFolder()
    cpSync(writeMirror(), join(outer, 'tcgplayer'), { recursive: true })
    writeFileSync(join(outer, 'last-updated.txt'), '2026-11-22T20:05:33+0000')
    assert.equal((await importInto(temporaryFolder(), 'tcgcsv', [outer])).date, '2026-11-22')
  })

  it('never guessed where last-updated.txt holds none', async () => {
    for (const text of ['', 'yesterday', '2026-02-30T00:00:00+0000']) {
      const dir = writeFiles(filesOf({ lastUpdated: text }))
      assert.match(
        await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [dir])),
        /last-updated\.txt: line 1: must begin with a date, YYYY-MM-DD \(".*"\)/,
      )
    }
  })
})

describe('a mirror that tells no newer day, with other prices than the last one,', () => {
  const firstPrice = withGroups({ 3170: changed(451399, { prices: [{ subType: 'Holofoil', market: 8 }] }) })
  const noPrice = withGroups({ 604: changed(42346, { prices: [] }) })
  const lowPrice = { subType: 'Holofoil', market: 44.1, low: 31, mid: 45.5, high: 99.99 }
  const refused: readonly (readonly [what: string, mirror: Mirrored])[] = [
    ['a price changed', { groups: repriced }],
    ['a card has its first price', { groups: firstPrice }],
    ['a low price changed', { groups: withGroups({ 604: changed(42346, { prices: [lowPrice] }) }) }],
    ['a card has no price any more', { groups: noPrice }],
    ['it is of the day before', { groups: repriced, modified: '2026-11-19' }],
  ]
  for (const [what, mirror] of refused) {
    it(`asks for --date: ${what}`, async () => {
      const out = copyOf(imported)
      const dir = writeFiles(filesOf(mirror))
      const day = mirror.modified ?? mirrorDay
      assert.equal(
        await errorsOf(importInto(out, 'tcgcsv', [dir])),
        `${dir}: is dated ${day}, but its prices differ from the last import, of ${mirrorDay}: name their day with --date\n` +
          '1 error; nothing was written',
      )
      assert.deepEqual(contentOf(out), contentOf(imported))
      await importInto(out, 'tcgcsv', [dir], { date: nextDay })
      assert.deepEqual(Object.keys(contentOf(join(out, 'history'))), [historyName(mirrorDay), historyName(nextDay)])
      assert.deepEqual(historyOf(out, historyName(mirrorDay)), historyOf(imported, historyName(mirrorDay)))
    })
  }

  it('is as good as in last-updated.txt, or by --date though the day is there', async () => {
    const out = copyOf(imported)
    const stamped = writeFiles(filesOf({ groups: repriced, lastUpdated: `${nextDay}T20:05:33+0000` }))
    await importInto(out, 'tcgcsv', [stamped])
    assert(historyOf(out, historyName(nextDay)).includes(`${nextDay},pokemon-bs-001-holofoil,45,,`))
    await importInto(out, 'tcgcsv', [writeMirror()], { date: nextDay })
    assert(historyOf(out, historyName(nextDay)).includes(`${nextDay},pokemon-bs-001-holofoil,44.1,30,99.99`))
  })

  it('is imported where its products were modified on a newer day', async () => {
    const out = copyOf(imported)
    const dir = writeFiles(filesOf({ groups: repriced, modified: nextDay }))
    assert.equal((await importInto(out, 'tcgcsv', [dir])).date, nextDay)
  })

  it('is imported where those of its own games are as they were, or new', async () => {
    const out = temporaryFolder()
    const games = new Set(['lorcana'] as const)
    await importInto(out, 'tcgcsv', [writeMirror()], { games })
    await importInto(out, 'tcgcsv', [writeMirror(repriced)])
    assert.match(await errorsOf(importInto(out, 'tcgcsv', [writeMirror()])), /name their day with --date/)
    await importInto(out, 'tcgcsv', [writeMirror()], { games })
  })
})

it('a mirror of some games is compared with the last one of these games', async () => {
  const out = copyOf(imported)
  await importInto(out, 'tcgcsv', [writeMirror()], { games: new Set(['lorcana'] as const), date: '2026-11-22' })
  const dir = writeFiles(filesOf({ groups: repriced, modified: nextDay }))
  const { date } = await importInto(out, 'tcgcsv', [dir], { games: new Set(['pokemon'] as const) })
  assert.equal(date, nextDay)
})

describe('a day after tomorrow is refused', () => {
  const today = dayOfMs(Date.now())
  const late = dateOfDay(today + 2)
  const tomorrow = dateOfDay(today + 1)
  const printings = file('AllPrintings.json', allPrintings())
  const archiveDay = (day: string): string => {
    const folder = join(temporaryFolder(), day)
    cpSync(writeMirror(mirrorGroups.map((group) => ({ ...group, form: 'json' as const }))), folder, { recursive: true })
    return folder
  }
  const cases: readonly (readonly [where: string, source: string, paths: (day: string) => string[]])[] = [
    ['last-updated.txt', 'tcgcsv', (day) => [writeFiles(filesOf({ lastUpdated: `${day}T20:05:33+0000` }))]],
    ['modifiedOn', 'tcgcsv', (day) => [writeFiles(filesOf({ modified: day }))]],
    ["an archive day's name", 'tcgcsv-archive', (day) => [archiveDay(day)]],
    [
      'the meta date',
      'mtgjson',
      (day) => [file('p.json', allPrices().replace(/"date":"[^"]+/, `"date":"${day}`)), printings],
    ],
    ['a day of MTGJSON', 'mtgjson', (day) => [file('q.json', allPrices().replaceAll('2026-11-18', day)), printings]],
  ]
  for (const [where, source, paths] of cases) {
    it(`in ${where}; tomorrow is not`, async () => {
      const out = copyOf(imported)
      assert.match(
        await errorsOf(importInto(out, source, paths(late))),
        new RegExp(`^.*: has prices of ${late}, which is after tomorrow$`, 'm'),
      )
      assert.deepEqual(contentOf(out), contentOf(imported))
      await importInto(out, source, paths(tomorrow))
    })
  }

  it('in --date, as wrong usage', async () => {
    const out = temporaryFolder()
    const { code, stderr } = await runImportHere('tcgcsv', writeMirror(), '--out', out, '--date', late)
    assert.equal(code, 2)
    assert(stderr.startsWith(`--date: must not be after tomorrow (${late})\n`), stderr)
    assert.equal((await runImportHere('tcgcsv', writeMirror(), '--out', out, '--date', tomorrow)).code, 0)
  })
})
