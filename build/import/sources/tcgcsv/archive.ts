/**
 * Unpacked archive days: only prices, of cards with an id.
 *
 *   DIR/2024-02-08/{category}/{group}/prices        or DIR is such a day
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { GameSlug } from '../../../../src/games.ts'
import { compareTexts } from '../../../../src/text-order.ts'
import { gameOf, tcgplayerKey, tcgplayerKeyText } from '../../ids.ts'
import { LeftOutCounts } from '../../read/file-records.ts'
import { type DayPrices, unknownCents } from '../../source-catalog.ts'
import type { Import, Reading } from '../source.ts'
import { dayOfText } from '../values.ts'
import { categoryOf, findFile, gamesByCategory, mirrorRoot, numberedFolders } from './mirror.ts'
import { PricesReader, reportTwice } from './prices.ts'

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
  const indexes = new Map<number, Map<string, number>>()
  known.forEach(([key], index) => {
    const { product, subType } = tcgplayerKey(key)
    if (subType !== null) indexes.set(product, (indexes.get(product) ?? new Map()).set(subType, index))
  })
  return {
    date: days.at(-1)?.day ?? null,
    history: {
      ids: () => known.map(([, id]) => id),
      days: () => new ArchiveReader(task, known.length, indexes).days(days),
      isKept: options.games.size === gamesByCategory.length ? null : (id) => !options.games.has(gameOf(id)),
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

class ArchiveReader {
  readonly #task: Import
  readonly #reader: PricesReader
  /** The number of all cards, and the indexes of those with a sub-type, by product and sub-type. */
  readonly #count: number
  readonly #indexes: ReadonlyMap<number, ReadonlyMap<string, number>>
  readonly #leftOut: LeftOutCounts

  constructor(task: Import, count: number, indexes: ReadonlyMap<number, ReadonlyMap<string, number>>) {
    this.#task = task
    this.#count = count
    this.#indexes = indexes
    this.#reader = new PricesReader(task.errors, task.report)
    this.#leftOut = new LeftOutCounts(task.report)
  }

  /** Ends at the first day with an error. */
  async *days(days: readonly ArchiveDay[]): AsyncGenerator<DayPrices> {
    const { errors } = this.#task
    for (const day of days) {
      const columns = await this.#day(day)
      if (errors.count > 0) break
      yield columns
    }
    const missing = this.#reader.fields.missing()
    if (missing !== undefined) errors.add(missing[0], 'results', `no price of the archive has ${missing[1]}`)
    this.#leftOut.end()
  }

  async #day({ day, folder }: ArchiveDay): Promise<DayPrices> {
    const { options, errors } = this.#task
    const empty = () => new Int32Array(this.#count).fill(unknownCents)
    const columns = { day, market: empty(), low: empty(), high: empty() }
    const seen = new Uint8Array(this.#count)
    const root = mirrorRoot(folder)
    let files = 0
    for (const game of gamesByCategory) {
      const category = join(root, `${categoryOf[game]}`)
      if (!options.games.has(game) || !existsSync(category)) continue
      for (const group of numberedFolders(category)) {
        if (await this.#readGroup(join(category, `${group}`), game, columns, seen)) files++
      }
    }
    if (files === 0) errors.add(folder, '', 'has no prices of the games')
    return columns
  }

  /** False if the group has no prices. */
  async #readGroup(
    folder: string,
    game: GameSlug,
    columns: { market: Int32Array; low: Int32Array; high: Int32Array },
    seen: Uint8Array,
  ): Promise<boolean> {
    const { options, errors, report } = this.#task
    const file = findFile(folder, 'prices', errors)
    if (file === undefined) {
      const path = join(folder, 'prices')
      if (options.partial) report.doubtful(game, path, null, 'is missing: its prices of the day are unknown', folder)
      else errors.add(path, '', 'is missing; --partial continues without it')
      return false
    }
    const counts = report.game(game)
    await this.#reader.read(file, game, (row, place, records) => {
      const { productId, subType, market, low, high } = row
      const card = this.#indexes.get(productId)?.get(subType)
      if (card === undefined)
        this.#leftOut.count(game, file.path, 'price of no known card', tcgplayerKeyText(productId, subType))
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
}
