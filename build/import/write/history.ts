/** The history files of a source: a CSV a day, its rows in id order, the same bytes for the same prices. */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { compareTexts } from '../../../src/text-order.ts'
import type { ImportErrors } from '../errors.ts'
import { inputFile, readWhole } from '../read/open.ts'
import { type DayPrices, unknownCents } from '../sources/source.ts'
import { decimalOf } from '../sources/values.ts'

const pack = promisify(gzip)
/** A third of the usual level's time, for a twentieth more bytes. */
const level = 2
const header = 'date,id,market,low,high\n'
const pricesCharsMax = ',,,\n'.length + 3 * '10000000.00'.length

/** Ids in id order, as bytes that a day's rows are copied from. */
export class HistoryRows {
  readonly #order: Uint32Array
  readonly #ids: readonly string[]
  readonly #bytes: Buffer
  readonly #at: Uint32Array
  /** Used again day by day: what a day's text takes would otherwise wait for the garbage collector. */
  #text: Buffer = Buffer.alloc(0)

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#order = Uint32Array.from(ids, (_, i) => i).sort((a, b) => compareTexts(ids[a]!, ids[b]!))
    this.#at = new Uint32Array(ids.length + 1)
    const sorted: string[] = []
    this.#order.forEach((place, i) => {
      sorted.push(ids[place]!)
      this.#at[i + 1] = this.#at[i]! + ids[place]!.length
    })
    this.#bytes = Buffer.from(sorted.join(''), 'latin1')
  }

  /**
   * The packed file of a day. The one before must be packed: there is room for one.
   *
   * @param staying rows of the file that the day has already, to be kept as they are, by id
   */
  async file(
    { day, market, low, high }: DayPrices,
    staying: ReadonlyMap<string, string>,
  ): Promise<{ bytes: Buffer; rows: number }> {
    const order = staying.size === 0 ? null : [...staying.keys()].sort()
    const rowMax = day.length + 1 + pricesCharsMax
    const stayingBytes = [...staying.values()].reduce((sum, row) => sum + row.length, 0)
    const bytesMax = header.length + this.#bytes.length + this.#ids.length * rowMax + stayingBytes
    if (this.#text.length < bytesMax) this.#text = Buffer.allocUnsafe(bytesMax)
    const text = this.#text
    let at = text.write(header, 'latin1')
    const start = Buffer.from(`${day},`, 'latin1')
    let rows = 0
    let next = 0
    const putStaying = (before: string | undefined): void => {
      while (order !== null && next < order.length && (before === undefined || order[next]! < before)) {
        at += text.write(staying.get(order[next++]!)!, at, 'latin1')
        rows++
      }
    }
    for (let i = 0; i < this.#order.length; i++) {
      const place = this.#order[i]!
      const marketCents = market[place]!
      const lowCents = low === null ? unknownCents : low[place]!
      const highCents = high === null ? unknownCents : high[place]!
      if (marketCents === unknownCents && lowCents === unknownCents && highCents === unknownCents) continue
      if (order !== null) putStaying(this.#ids[place]!)
      for (let j = 0; j < start.length; j++) text[at++] = start[j]!
      const end = this.#at[i + 1]!
      for (let j = this.#at[i]!; j < end; j++) text[at++] = this.#bytes[j]!
      at = putPrice(text, at, marketCents)
      at = putPrice(text, at, lowCents)
      at = putPrice(text, at, highCents)
      text[at++] = newline
      rows++
    }
    putStaying(undefined)
    return { bytes: await pack(text.subarray(0, at), { level }), rows }
  }
}

const newline = 0x0a
const comma = 0x2c
const dot = 0x2e
const digit0 = 0x30

/** A comma and the price, if it is known. Returns the position behind. */
function putPrice(text: Buffer, start: number, cents: number): number {
  let at = start
  text[at++] = comma
  if (cents === unknownCents) return at
  if (cents >= 100_000_00) return at + text.write(decimalOf(cents), at, 'latin1')
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

/** The rows of a day's file, as the importer wrote it, whose ids stay. */
export function stayingRows(path: string, stays: (id: string) => boolean, errors: ImportErrors): Map<string, string> {
  const rows = new Map<string, string>()
  const file = inputFile(path, errors)
  const text = file && readWhole(file, errors)?.toString('latin1')
  for (const row of text?.split('\n').slice(1) ?? []) {
    const start = row.indexOf(',') + 1
    const id = row.slice(start, row.indexOf(',', start))
    if (row !== '' && stays(id)) rows.set(id, `${row}\n`)
  }
  return rows
}
