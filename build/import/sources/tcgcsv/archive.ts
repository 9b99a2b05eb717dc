/**
 * Unpacked days of TCGCSV's archive. A day has only prices. They are imported for cards that have an id.
 *
 *   DIR/2024-02-08/{category}/{group}/prices        or DIR is itself such a day
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import { compareTexts } from '../../../../src/text-order.ts'
import { gameOf, tcgplayerKeyText } from '../../ids.ts'
import { type DayPrices, unknownCents } from '../../source-catalog.ts'
import { dayOfText } from '../../source-values.ts'
import type { Import, Reading } from '../source.ts'
import { categoryOf, findFile, gamesByCategory, mirrorRoot, numberedFolders } from './mirror.ts'
import { PriceFields, priceRowOf, readResults, reportTwice } from './results.ts'

interface ArchiveDay {
  readonly day: string
  readonly folder: string
}

export async function readArchive(task: Import): Promise<Reading> {
  const { options, errors, ids } = task
  const known = [...ids.tcgplayerCards()].sort(([, a], [, b]) => compareTexts(a, b))
  if (known.length === 0) {
    errors.add(options.out, '', 'has no cards of TCGplayer yet, whose history this would be: import a mirror first')
  }
  const days = options.paths.flatMap((dir) => daysOf(dir, task)).sort((a, b) => compareTexts(a.day, b.day))
  for (let i = 1; i < days.length; i++) {
    if (days[i]!.day === days[i - 1]!.day) errors.add(days[i]!.folder, '', `is the same day as ${days[i - 1]!.folder}`)
  }
  errors.check()
  const indexes = new Map(known.map(([key], index) => [key, index]))
  return {
    date: days.at(-1)?.day ?? null,
    history: {
      ids: known.map(([, id]) => id),
      days: () => pricesOf(days, indexes, task),
      isKept: options.games.size === task.folder.slugs.length ? undefined : (id) => !options.games.has(gameOf(id)),
    },
  }
}

function daysOf(dir: string, { errors, options }: Import): ArchiveDay[] {
  if (!existsSync(dir)) {
    errors.add(dir, '', 'does not exist')
    return []
  }
  const own = dayOfText(basename(dir).length === 'YYYY-MM-DD'.length ? basename(dir) : null) ?? options.date
  if (own !== undefined) return [{ day: own, folder: dir }]
  if (!statSync(dir).isDirectory()) {
    errors.add(dir, '', 'must be a folder')
    return []
  }
  const days = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !entry.isFile() && entry.name.length === 'YYYY-MM-DD'.length && dayOfText(entry.name) !== null)
    .map((entry) => ({ day: entry.name, folder: join(dir, entry.name) }))
  if (days.length === 0) errors.add(dir, '', 'is not an archive day (YYYY-MM-DD) and contains none')
  return days
}

/**
 * The prices of each day, until a day has an error.
 * @param indexes the columns of cards, by TCGplayer's product and sub-type
 */
async function* pricesOf(
  days: readonly ArchiveDay[],
  indexes: ReadonlyMap<string, number>,
  task: Import,
): AsyncGenerator<DayPrices> {
  const { options, errors } = task
  const fields = new PriceFields()
  for (const { day, folder } of days) {
    const empty = () => new Int32Array(indexes.size).fill(unknownCents)
    const columns = { day, market: empty(), low: empty(), high: empty() }
    const seen = new Uint8Array(indexes.size)
    let files = 0
    for (const game of gamesByCategory(task.folder)) {
      const category = join(mirrorRoot(folder), `${categoryOf(task.folder, game)}`)
      if (!options.games.has(game) || !existsSync(category)) continue
      for (const group of numberedFolders(category)) {
        if (await readGroup(join(category, `${group}`), game, { task, indexes, fields, columns, seen })) files++
      }
    }
    if (files === 0) errors.add(folder, '', 'has no prices of the games')
    if (errors.count > 0) break
    yield columns
  }
  fields.check('price of the archive', 'results', errors)
}

interface Day {
  readonly task: Import
  readonly indexes: ReadonlyMap<string, number>
  readonly fields: PriceFields
  readonly columns: { readonly [Price in 'market' | 'low' | 'high']: Int32Array }
  /** For each card, 1 if the day has a row of the card. */
  readonly seen: Uint8Array
}

/** Reads a group's prices of the day. Returns false if the group has no prices. */
async function readGroup(
  folder: string,
  game: GameSlug,
  { task, indexes, fields, columns, seen }: Day,
): Promise<boolean> {
  const { options, errors, report } = task
  const file = findFile(folder, 'prices', errors)
  if (file === undefined) {
    const path = join(folder, 'prices')
    const reason = 'is missing: its prices of the day are unknown'
    if (options.partial) report.doubtful({ game, file: path, reason, record: folder })
    else errors.add(path, '', 'is missing; --partial continues without it')
    return false
  }
  const counts = report.game(game)
  await readResults(file, game, task, (record, place, records) => {
    const row = priceRowOf(record, place, records, fields)
    if (row === undefined) return
    const { market, low, high } = row
    const key = tcgplayerKeyText(row.productId, row.subType)
    const card = indexes.get(key)
    if (card === undefined) records.leftOutOften('price of no known card', key)
    else if (seen[card] === 1) reportTwice(row, place, records)
    else {
      seen[card] = 1
      columns.market[card] = market ?? unknownCents
      columns.low[card] = low ?? unknownCents
      columns.high[card] = high ?? unknownCents
      if (market !== null || low !== null || high !== null) counts.prices++
    }
  })
  return true
}
