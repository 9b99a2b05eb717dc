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
const pricesCharsMax = ',,,\n'.length + 3 * '10000000.00'.length

/** Holds the ids in id order as bytes, which are copied into each day's rows. */
export class HistoryRows {
  readonly #order: Uint32Array
  readonly #ids: readonly string[]
  readonly #bytes: Buffer
  readonly #at: Uint32Array
  /** Reused each day: a new buffer would wait for the garbage collector. */
  #text: Buffer = Buffer.alloc(0)

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#order = Uint32Array.from(ids, (_, i) => i).sort((a, b) => compareTexts(ids[a]!, ids[b]!))
    this.#at = new Uint32Array(ids.length + 1)
    const sorted: string[] = []
    this.#order.forEach((index, i) => {
      sorted.push(ids[index]!)
      this.#at[i + 1] = this.#at[i]! + ids[index]!.length
    })
    this.#bytes = Buffer.from(sorted.join(''), 'latin1')
  }

  /**
   * The compressed file of a day. Await the day before first: they share a buffer.
   * @param kept by id, rows of an earlier import of the day
   */
  async file(
    { day, market, low, high }: DayPrices,
    kept: ReadonlyMap<string, string>,
  ): Promise<{ bytes: Buffer; rows: number }> {
    const keptIds = kept.size === 0 ? null : [...kept.keys()].sort()
    const rowMax = day.length + 1 + pricesCharsMax
    const keptBytes = [...kept.values()].reduce((sum, row) => sum + row.length, 0)
    const bytesMax = header.length + this.#bytes.length + this.#ids.length * rowMax + keptBytes
    if (this.#text.length < bytesMax) this.#text = Buffer.allocUnsafe(bytesMax)
    const text = this.#text
    let at = text.write(header, 'latin1')
    const start = Buffer.from(`${day},`, 'latin1')
    let rows = 0
    let next = 0
    const putKept = (before: string | undefined): void => {
      while (keptIds !== null && next < keptIds.length && (before === undefined || keptIds[next]! < before)) {
        at += text.write(kept.get(keptIds[next++]!)!, at, 'latin1')
        rows++
      }
    }
    for (let i = 0; i < this.#order.length; i++) {
      const index = this.#order[i]!
      const marketCents = market[index]!
      const lowCents = low === null ? unknownCents : low[index]!
      const highCents = high === null ? unknownCents : high[index]!
      if (marketCents === unknownCents && lowCents === unknownCents && highCents === unknownCents) continue
      if (keptIds !== null) putKept(this.#ids[index]!)
      for (let j = 0; j < start.length; j++) text[at++] = start[j]!
      const end = this.#at[i + 1]!
      for (let j = this.#at[i]!; j < end; j++) text[at++] = this.#bytes[j]!
      at = putPrice(text, at, marketCents)
      at = putPrice(text, at, lowCents)
      at = putPrice(text, at, highCents)
      text[at++] = newline
      rows++
    }
    putKept(undefined)
    return { bytes: await pack(text.subarray(0, at), { level }), rows }
  }
}

const newline = 0x0a
const comma = 0x2c
const dot = 0x2e
const digit0 = 0x30

/** Writes a comma, and the price if it is known. Returns the offset behind. */
function putPrice(text: Buffer, start: number, cents: number): number {
  let at = start
  text[at++] = comma
  if (cents === unknownCents) return at
  if (cents >= 100_000_00) return at + text.write(`${cents / 100}`, at, 'latin1')
  const whole = Math.floor(cents / 100)
  let scale = 1
  while (scale * 10 <= whole) scale *= 10
  for (let rest = whole; scale >= 1; scale = Math.floor(scale / 10)) {
    const digit = Math.floor(rest / scale)
    text[at++] = digit0 + digit
    rest -= digit * scale
  }
  const part = cents - whole * 100
  if (part === 0) return at
  text[at++] = dot
  const tenths = Math.floor(part / 10)
  text[at++] = digit0 + tenths
  const hundredths = part - tenths * 10
  if (hundredths !== 0) text[at++] = digit0 + hundredths
  return at
}

/** The rows to keep of a day's imported file, by id. */
export function keptRows(path: string, isKept: (id: string) => boolean, errors: ImportErrors): Map<string, string> {
  const rows = new Map<string, string>()
  const file = inputFile(path, errors)
  const text = file && readWhole(file, errors)?.toString('latin1')
  for (const row of text?.split('\n').slice(1) ?? []) {
    const start = row.indexOf(',') + 1
    const id = row.slice(start, row.indexOf(',', start))
    if (row !== '' && isKept(id)) rows.set(id, `${row}\n`)
  }
  return rows
}
