/**
 * A card's daily prices as one series of bytes, newest day first. A reader stops at the first day of its window. A
 * build puts a new day in front of bytes that stay the same.
 *
 *   varint           an unsigned number of 32 bits: seven bits a byte, lowest first; if bit 7 is set, a byte follows
 *   zigzag           a signed number as an unsigned one: 0, -1, 1, -2, 2 … are 0, 1, 2, 3, 4 …
 *   head    varint   the newest row's day, zigzag
 *           row      flags (bit 0, 1, 2: market, low, high known), then a varint of cents for each known price
 *   token   byte     code << 3 | run: the `run` days before the last row have equal prices (run 7: 7 plus a varint);
 *           …                         then `code` is the change to the day before those
 *   token   …
 *
 *   code    0        end: there are no earlier rows
 *           1        gap: a byte `second << 3 | days` follows. days + 1 days have no row (days 7: 7 plus a varint);
 *                    then `second` is the code of the change to the day before those
 *           2        the same prices (only after a gap)
 *           3        row, as in the head: other prices are known than before
 *           4, 5     kept:  varint of the market price's step, zigzag; predicts low and high as they were
 *           6, 7     moved: varint of the step; predicts low and high as moved by the market's ratio
 *           8        kept, without a step: only low or high change
 *           9 … 18   moved, the step is in the code: -5 … -1, 1 … 5
 *           19 … 28  the same with residuals
 *   residuals (4, 6, 8, 19 … 28)  byte: the low half is the residual of low, the high half that of high;
 *                    0 … 14 are -7 … 7. 15: the residual follows as a zigzag varint, that of low first.
 *                    Without residuals the predictions are exact.
 *
 * The writer chooses the shorter of kept and moved, or moved if both are equally long. So the bytes of a row depend
 * only on the row itself and on the row of the next later day. A series that is written day by day therefore equals a
 * series that is written at once. A series without rows has no bytes.
 */
import assert from 'node:assert/strict'
import { priceCentsMax } from '../../limits.ts'

/** An unknown price. All other prices are cents, 0 or more. */
export const unknownPrice = -1

const codeEnd = 0
const codeGap = 1
const codeSame = 2
const codeRow = 3
const codeKept = 4
const codeKeptExact = 5
const codeMoved = 6
const codeMovedExact = 7
const codeStill = 8
const codeStepsExact = 9
const codeSteps = 19
const stepMax = 5
/** The bits of a varint's byte: `continued` means that another byte follows, and `bits` are its part of the number. */
const continued = 0x80
const bits = 0x7f
/** If a token's low bits have this value, a varint with the rest of the count follows. */
const more = 7
const residualMax = 7
const residualMore = 15

const varintBytes = (value: number): number =>
  value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : 5

const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0
const unzigzag = (value: number): number => (value >>> 1) ^ -(value & 1)

/** Floating-point arithmetic is the same on every machine, so reader and writer predict alike. */
const movedBy = (price: number, from: number, to: number): number =>
  price === unknownPrice ? unknownPrice : Math.floor((price * to) / from + 0.5)

const isShort = (step: number): boolean => step >= -stepMax && step <= stepMax

/** `days` consecutive days of equal prices. `day` is the newest of them. Prices are cents or `unknownPrice`. */
export interface Run {
  readonly day: number
  readonly days: number
  readonly market: number
  readonly low: number
  readonly high: number
}

/**
 * Reads a series run by run, newest run first. A run is consecutive days with equal prices. The fields are those of the
 * current run.
 */
export class SeriesReader implements Run {
  #bytes: Uint8Array = new Uint8Array(0)
  day = 0
  days = 0
  market = 0
  low = 0
  high = 0
  /** The code after the run, and the offset of the bytes after that code. */
  code = 0
  at = 0

  /** Moves to the first run of the series that starts at `start`. The series must not be empty. */
  open(bytes: Uint8Array, start: number): void {
    this.#bytes = bytes
    this.at = start
    this.day = unzigzag(this.#varint())
    this.#row()
    this.#token()
  }

  /**
   * Moves to the next run, which is earlier. Returns false if there is none, and also after the last byte of all
   * series.
   */
  next(): boolean {
    let code = this.code
    let day = this.day - this.days
    if (code === codeEnd) return false
    if (code === codeGap) {
      const byte = this.#bytes[this.at++]!
      day -= 1 + this.#count(byte & more)
      code = byte >> 3
    }
    this.day = day
    if (code >= codeSteps) this.#moved(stepOf(code - codeSteps), true)
    else if (code >= codeStepsExact) this.#moved(stepOf(code - codeStepsExact), false)
    else if (code === codeMovedExact || code === codeMoved) this.#moved(unzigzag(this.#varint()), code === codeMoved)
    else if (code === codeKeptExact || code === codeKept) this.#kept(unzigzag(this.#varint()), code === codeKept)
    else if (code === codeStill) this.#residuals()
    else if (code === codeRow) this.#row()
    this.#token()
    return true
  }

  /** Drops the run's days from `day` on. The earlier days stay. */
  cutBefore(day: number): void {
    this.days -= this.day - day + 1
    this.day = day - 1
  }

  #token(): void {
    const byte = this.#bytes[this.at++]!
    this.code = byte >> 3
    this.days = 1 + this.#count(byte & more)
  }

  #count(low: number): number {
    return low === more ? more + this.#varint() : low
  }

  #row(): void {
    const flags = this.#bytes[this.at++]!
    this.market = flags & 1 ? this.#varint() : unknownPrice
    this.low = flags & 2 ? this.#varint() : unknownPrice
    this.high = flags & 4 ? this.#varint() : unknownPrice
  }

  #kept(step: number, residuals: boolean): void {
    this.market += step
    if (residuals) this.#residuals()
  }

  #moved(step: number, residuals: boolean): void {
    const from = this.market
    this.market = from + step
    this.low = movedBy(this.low, from, this.market)
    this.high = movedBy(this.high, from, this.market)
    if (residuals) this.#residuals()
  }

  #residuals(): void {
    const byte = this.#bytes[this.at++]!
    const low = byte & 15
    const high = byte >> 4
    this.low += low === residualMore ? unzigzag(this.#varint()) : low - residualMax
    this.high += high === residualMore ? unzigzag(this.#varint()) : high - residualMax
  }

  #varint(): number {
    let byte = this.#bytes[this.at++]!
    let value = byte & bits
    for (let shift = 7; byte >= continued && shift < 32; shift += 7) {
      byte = this.#bytes[this.at++]!
      value |= (byte & bits) << shift
    }
    return value >>> 0
  }
}

/** The step of an index: 0 … 9 are -5 … -1, 1 … 5. */
const stepOf = (index: number): number => (index < stepMax ? index - stepMax : index - stepMax + 1)
const indexOfStep = (step: number): number => (step < 0 ? step + stepMax : step + stepMax - 1)

/** The most bytes of one run: two counts, a step, two residuals and their bytes, or a head. */
const runBytesMax = 40

/** Writes series one after the other, each from its newest row to its oldest. */
export class SeriesWriter {
  #bytes: Uint8Array
  #length = 0
  // The pending run. Its prices are written, but the number of its days is not. If #days is 0, no run is pending.
  #day = 0
  #days = 0
  #market = 0
  #low = 0
  #high = 0

  constructor(bytesExpected: number) {
    this.#bytes = new Uint8Array(Math.max(bytesExpected, runBytesMax))
  }

  get length(): number {
    return this.#length
  }

  /** A view of all bytes written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Adds a run. Its days are older than all days of the series so far. */
  run({ day, days, market, low, high }: Run): void {
    const gap = this.#day - this.#days - day
    if (this.#days > 0) {
      assert(gap >= 0, 'rows come newest first')
      const same = market === this.#market && low === this.#low && high === this.#high
      if (same && gap === 0) {
        this.#days += days
        return
      }
      this.#reserve(runBytesMax)
      if (same) this.#token(codeSame, gap)
      else this.#change(gap, market, low, high)
    } else {
      this.#reserve(runBytesMax)
      this.#varint(zigzag(day))
      this.#row(market, low, high)
    }
    this.#day = day
    this.#days = days
    this.#market = market
    this.#low = low
    this.#high = high
  }

  /** Ends the series. Writes nothing for a series without rows. */
  end(): void {
    if (this.#days === 0) return
    this.#reserve(runBytesMax)
    this.#token(codeEnd, 0)
    this.#days = 0
  }

  /** Ends the series with the reader's current run and with the rest of the reader's series, which ends at `end`. */
  endWith(reader: SeriesReader, bytes: Uint8Array, end: number): void {
    this.run(reader)
    this.#reserve(runBytesMax)
    this.#token(reader.code, 0)
    this.#days = 0
    this.#reserve(end - reader.at)
    this.#bytes.set(bytes.subarray(reader.at, end), this.#length)
    this.#length += end - reader.at
  }

  #change(gap: number, market: number, low: number, high: number): void {
    const step = market - this.#market
    if (!sameKnown(this.#market, market) || !sameKnown(this.#low, low) || !sameKnown(this.#high, high)) {
      this.#token(codeRow, gap)
      this.#row(market, low, high)
      return
    }
    const keptLow = low - this.#low
    const keptHigh = high - this.#high
    if (this.#market > 0 && step !== 0) {
      const movedLow = movedBy(this.#low, this.#market, market)
      const movedHigh = movedBy(this.#high, this.#market, market)
      const bytesMoved =
        (isShort(step) ? 0 : varintBytes(zigzag(step))) + residualBytes(low - movedLow, high - movedHigh)
      const bytesKept = varintBytes(zigzag(step)) + residualBytes(keptLow, keptHigh)
      if (bytesMoved <= bytesKept && movedLow <= priceCentsMax && movedHigh <= priceCentsMax) {
        this.#moved(gap, step, low - movedLow, high - movedHigh)
        return
      }
    }
    const exact = keptLow === 0 && keptHigh === 0
    if (step === 0) this.#token(codeStill, gap)
    else {
      this.#token(exact ? codeKeptExact : codeKept, gap)
      this.#varint(zigzag(step))
    }
    if (!exact) this.#residuals(keptLow, keptHigh)
  }

  #moved(gap: number, step: number, low: number, high: number): void {
    const exact = low === 0 && high === 0
    if (isShort(step)) {
      this.#token((exact ? codeStepsExact : codeSteps) + indexOfStep(step), gap)
    } else {
      this.#token(exact ? codeMovedExact : codeMoved, gap)
      this.#varint(zigzag(step))
    }
    if (!exact) this.#residuals(low, high)
  }

  #token(code: number, gap: number): void {
    const run = this.#days - 1
    this.#byte(((gap > 0 ? codeGap : code) << 3) | Math.min(run, more))
    if (run >= more) this.#varint(run - more)
    if (gap === 0) return
    this.#byte((code << 3) | Math.min(gap - 1, more))
    if (gap - 1 >= more) this.#varint(gap - 1 - more)
  }

  #row(market: number, low: number, high: number): void {
    this.#byte((market < 0 ? 0 : 1) | (low < 0 ? 0 : 2) | (high < 0 ? 0 : 4))
    if (market >= 0) this.#varint(market)
    if (low >= 0) this.#varint(low)
    if (high >= 0) this.#varint(high)
  }

  #residuals(low: number, high: number): void {
    const lowHalf = isSmall(low) ? low + residualMax : residualMore
    const highHalf = isSmall(high) ? high + residualMax : residualMore
    this.#byte(lowHalf | (highHalf << 4))
    if (lowHalf === residualMore) this.#varint(zigzag(low))
    if (highHalf === residualMore) this.#varint(zigzag(high))
  }

  #byte(byte: number): void {
    this.#bytes[this.#length++] = byte
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= continued; rest >>>= 7) this.#byte((rest & bits) | continued)
    this.#byte(rest)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const grown = new Uint8Array(Math.ceil((this.#length + bytes) * 1.5))
    grown.set(this.bytes)
    this.#bytes = grown
  }
}

const sameKnown = (a: number, b: number): boolean => a < 0 === b < 0
const isSmall = (residual: number): boolean => residual >= -residualMax && residual <= residualMax

const residualBytes = (low: number, high: number): number =>
  low === 0 && high === 0
    ? 0
    : 1 + (isSmall(low) ? 0 : varintBytes(zigzag(low))) + (isSmall(high) ? 0 : varintBytes(zigzag(high)))
