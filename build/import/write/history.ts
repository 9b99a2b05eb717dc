/** Writes a source's history files: a CSV a day, its rows in id order, the same bytes for the same prices. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { compareTexts } from '../../../src/text-order.ts'
import { type DayPrices, unknownCents } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { inputFile, readWhole } from '../read/open.ts'

const pack = promisify(gzip)
/** A third of the default level's time, for a twentieth more bytes. */
const level = 2
const header = 'date,id,market,low,high\n'

export class HistoryRows {
  readonly #ids: readonly string[]
  /** The ids' indexes in id order: sorting them each day would take longer than all else. */
  readonly #order: readonly number[]

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#order = [...ids.keys()].sort((a, b) => compareTexts(ids[a]!, ids[b]!))
  }

  /**
   * The compressed file of a day.
   * @param kept by id, rows of an earlier import of the day
   */
  async file(
    { day, market, low, high }: DayPrices,
    kept: ReadonlyMap<string, string>,
  ): Promise<{ bytes: Buffer; rows: number }> {
    const rows: (readonly [id: string, row: string])[] = [...kept]
    for (const i of this.#order) {
      const prices = [market[i]!, low?.[i] ?? unknownCents, high?.[i] ?? unknownCents]
      if (prices.every((cents) => cents === unknownCents)) continue
      rows.push([this.#ids[i]!, `${day},${this.#ids[i]},${prices.map(decimal).join(',')}\n`])
    }
    if (kept.size > 0) rows.sort(([a], [b]) => compareTexts(a, b))
    const text = header + rows.map(([, row]) => row).join('')
    return { bytes: await pack(text, { level }), rows: rows.length }
  }
}

const decimal = (cents: number): string => (cents === unknownCents ? '' : `${cents / 100}`)

/** The rows to keep of a day's imported file, by id. */
export function keptRows(path: string, isKept: (id: string) => boolean, errors: ImportErrors): Map<string, string> {
  const rows = new Map<string, string>()
  const file = inputFile(path, errors)
  const text = file && readWhole(file, errors)?.toString('latin1')
  for (const row of text?.split('\n').slice(1) ?? []) {
    const id = row.split(',', 2)[1]!
    if (row !== '' && isKept(id)) rows.set(id, `${row}\n`)
  }
  return rows
}
