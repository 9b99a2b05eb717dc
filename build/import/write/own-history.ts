/** History files of prices that no source's own file has: market prices of layers, and all prices of a folder in euros. */
import { join } from 'node:path'
import { type ComposedCard, type Layer, type SourceCatalog, unknownCents } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { eurosHistoryFile, ownHistoryFile } from './folder.ts'
import { HistoryRows, keptRows } from './history.ts'
import { newestDay } from './plausibility.ts'
import type { Staging } from './staging.ts'

/**
 * The history of the newest day of market prices that are a layer's. Its file comes after those of sources, and corrects them.
 * Returns the file if it is empty.
 */
export async function writeOwnHistory(
  cards: readonly ComposedCard[],
  catalogs: ReadonlyMap<unknown, SourceCatalog>,
  layers: readonly Layer[],
  staging: Staging,
): Promise<string[]> {
  const own = layers.filter(({ byId }) => byId.some(({ key }) => key === 'market'))
  const day = newestDay([...own, ...[...catalogs.values()].flatMap((catalog) => catalog.cards)])
  if (day === '') return []
  const file = ownHistoryFile(day)
  if (cards.length === 0) return [file]
  await staging.write(file, [(await rowsOf(cards, day, new Map())).bytes])
  return []
}

/**
 * A folder in euros: the prices of the newest day, and those of the day that was imported. Rows of cards whose price is of another day
 * stay as they are. Returns how many rows were written.
 */
export async function writeEurosHistory(
  cards: readonly ComposedCard[],
  imported: string | null,
  out: string,
  isAnew: boolean,
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
    const kept = isAnew ? new Map<string, string>() : keptRows(join(out, file), (id) => !ids.has(id), errors)
    const { bytes, rows } = await rowsOf(priced, day, kept)
    await staging.write(file, [bytes])
    written += rows
  }
  return written
}

function rowsOf(
  cards: readonly ComposedCard[],
  day: string,
  kept: ReadonlyMap<string, string>,
): Promise<{ bytes: Buffer; rows: number }> {
  const column = (field: 'market' | 'low' | 'high'): Int32Array =>
    Int32Array.from(cards, ({ prices }) => prices[field] ?? unknownCents)
  const prices = { day, market: column('market'), low: column('low'), high: column('high') }
  return new HistoryRows(cards.map(({ id }) => id)).file(prices, kept)
}
