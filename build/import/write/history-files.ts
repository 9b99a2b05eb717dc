/**
 * Writes history files: one CSV for each day, with its rows in id order. Equal prices give equal bytes. Besides the
 * files of sources, there are files with prices that no source's file has: market prices of layers, and all prices of a
 * folder in euros.
 */
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { compareTexts } from '../../../src/text-order.ts'
import type { ImportErrors } from '../import-errors.ts'
import { inputFile, readWhole } from '../read/open.ts'
import { type ComposedCard, type DayPrices, type Layer, type SourceCatalog, unknownCents } from '../source-catalog.ts'
import { eurosHistoryFile, ownHistoryFile } from './folder.ts'
import { newestDay } from './plausibility.ts'
import type { Staging } from './staging.ts'

const pack = promisify(gzip)
/** This level takes a third of the default level's time. The files are a twentieth larger. */
const level = 2
const header = 'date,id,market,low,high\n'

interface DayFile {
  /** Compressed. */
  readonly bytes: Buffer
  readonly rows: number
}

/**
 * Returns a function that makes a day's file. The columns of the day have prices for these ids. The file also gets the
 * rows in `kept`, which an earlier import of the day wrote.
 */
export function dayFiles(ids: readonly string[]): (prices: DayPrices, kept: readonly string[]) => Promise<DayFile> {
  /**
   * The ids' indexes in id order. They are sorted once, because sorting them for each day would take longer than
   * everything else.
   */
  const order = [...ids.keys()].sort((a, b) => compareTexts(ids[a]!, ids[b]!))
  return async ({ day, market, low, high }, kept) => {
    const rows = [...kept]
    for (const i of order) {
      const prices = `${decimal(market[i])},${decimal(low?.[i])},${decimal(high?.[i])}`
      if (prices !== ',,') rows.push(`${day},${ids[i]},${prices}\n`)
    }
    // Sorting the rows sorts them by id, since each character of an id sorts after the comma behind the id.
    if (kept.length > 0) rows.sort()
    return { bytes: await pack(header + rows.join(''), { level }), rows: rows.length }
  }
}

const decimal = (cents = unknownCents): string => (cents === unknownCents ? '' : `${cents / 100}`)

/** The rows of a day's imported file that are to be kept. */
export function keptRows(path: string, isKept: (id: string) => boolean, errors: ImportErrors): string[] {
  const file = inputFile(path, errors)
  const text = file && readWhole(file, errors)?.toString('latin1')
  const rows = text?.match(/.*\n/g)?.slice(1) ?? []
  return rows.filter((row) => isKept(row.split(',', 2)[1]!))
}

/**
 * Writes a history file of the newest day with the market prices that come from layers. The file sorts after those of
 * sources, and corrects them. If no card has such a price, the file's name is returned, and the caller removes the
 * file.
 */
export async function writeOwnHistory(
  cards: readonly ComposedCard[],
  catalogs: ReadonlyMap<unknown, SourceCatalog>,
  layers: readonly Layer[],
  staging: Staging,
): Promise<string[]> {
  const own = layers.filter(({ byId }) => byId.some(({ key }) => key === 'market'))
  const day = newestDay([...own, ...[...catalogs.values()].flatMap((catalog) => catalog.cards)])
  const file = ownHistoryFile(day)
  if (cards.length === 0) return [file]
  await staging.write(file, [(await fileOf(cards, day, [])).bytes])
  return []
}

/**
 * Writes the history of a folder in euros: the newest day, and the day that was imported. A row stays if the card now
 * has a price of another day. Returns how many rows were written.
 */
export async function writeEurosHistory(
  cards: readonly ComposedCard[],
  { imported, isAnew }: { readonly imported: string | null; readonly isAnew: boolean },
  out: string,
  { staging, errors }: { readonly staging: Staging; readonly errors: ImportErrors },
): Promise<number> {
  let written = 0
  const byDay = Map.groupBy(cards, ({ updatedAt }) => updatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? '')
  byDay.delete('')
  const newest = [...byDay.keys()].sort().at(-1)
  for (const [day, priced] of byDay) {
    if (day !== newest && day !== imported) continue
    const ids = new Set(priced.map(({ id }) => id))
    const file = eurosHistoryFile(day)
    const kept = isAnew ? [] : keptRows(join(out, file), (id) => !ids.has(id), errors)
    const { bytes, rows } = await fileOf(priced, day, kept)
    await staging.write(file, [bytes])
    written += rows
  }
  return written
}

function fileOf(cards: readonly ComposedCard[], day: string, kept: readonly string[]): Promise<DayFile> {
  const column = (field: 'market' | 'low' | 'high'): Int32Array =>
    Int32Array.from(cards, ({ prices }) => prices[field] ?? unknownCents)
  const prices = { day, market: column('market'), low: column('low'), high: column('high') }
  return dayFiles(cards.map(({ id }) => id))(prices, kept)
}
