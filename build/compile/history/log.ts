/**
 * The rows of all cards as they are read, a few bytes for each change of prices. Most rows repeat the prices of the day before,
 * and change only the card's state:
 *
 *   numbers  an int32 a card: the index of its state, -1 without a row (build/read/history/ids.ts)
 *   state    8 int32 a card, half a line of cache: the current run's last day, its days, market, low, high, and where the
 *            card's log begins and goes on (block, block, byte in it)
 *   log      a chain of blocks of 64 bytes, the last 4 of them the next block's number; for each run of days
 *              varint  twice the days of the run before (0 for the first), plus 1 if it does not end on the day before
 *              varint  only then: zigzag(first day - last day of the run before - 1)
 *              varint  zigzag(market - market of the run before), low and high likewise
 *
 * Rows out of date order are logged as they come, and the card is marked as unsorted.
 *
 * All of it is shared memory: one thread writes a log, then any thread reads it.
 */
import {
  type ByteSink,
  type ByteSource,
  readVarint,
  unzigzag,
  writeVarint,
  zigzag,
} from '../../../src/indexes/series/varint.ts'

/** Rows of one card as parallel columns: days from 1970-01-01, prices in cents or `unknownPrice`. */
export class Rows {
  count = 0
  day = new Int32Array(1024)
  market = new Int32Array(1024)
  low = new Int32Array(1024)
  high = new Int32Array(1024)

  add(day: number, market: number, low: number, high: number): void {
    const i = this.count++
    if (i === this.day.length) this.#grow()
    this.day[i] = day
    this.market[i] = market
    this.low[i] = low
    this.high[i] = high
  }

  /** By date; of rows of one day the one added last is kept. */
  sort(): void {
    const { day, market, low, high, count } = this
    // Exact in a float: a day has 22 bits, an index fewer than 31.
    const order = Float64Array.from({ length: count }, (_, i) => day[i]! * 2 ** 31 + i).sort()
    const sorted = new Rows()
    for (let i = 0; i < count; i++) {
      const from = ((order[i]! % 2 ** 31) + 2 ** 31) % 2 ** 31
      if (sorted.count > 0 && sorted.day[sorted.count - 1] === day[from]) sorted.count--
      sorted.add(day[from]!, market[from]!, low[from]!, high[from]!)
    }
    this.count = sorted.count
    this.day = sorted.day
    this.market = sorted.market
    this.low = sorted.low
    this.high = sorted.high
  }

  #grow(): void {
    this.day = doubled(this.day)
    this.market = doubled(this.market)
    this.low = doubled(this.low)
    this.high = doubled(this.high)
  }
}

function doubled(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2)
  larger.set(column)
  return larger
}

const stateNumbers = 8
const lastDay = 0
const days = 1
const market = 2
const low = 3
const high = 4
const firstBlock = 5
const block = 6
const byteAt = 7

const blockBytes = 64
const blockRoom = blockBytes - 4
/** Blocks are in segments of 1 MiB, so that growing copies nothing. */
const segmentShift = 14
const segmentBlocks = 1 << segmentShift

/** A finished log, which threads share. */
export interface RowLogMemory {
  readonly numbers: Int32Array
  readonly state: Int32Array
  readonly unsorted: Uint8Array
  readonly segments: readonly Uint8Array[]
}

export class RowLog implements ByteSource, ByteSink {
  readonly #numbers: Int32Array
  readonly #state: Int32Array
  readonly #unsorted: Uint8Array
  readonly #segments: Uint8Array[]
  #blocks = 0
  // The position of the next byte.
  #bytes: Uint8Array = new Uint8Array(0)
  #block = 0
  #start = 0
  #byteAt = 0

  private constructor({ numbers, state, unsorted, segments }: RowLogMemory) {
    this.#numbers = numbers
    this.#state = state
    this.#unsorted = unsorted
    this.#segments = [...segments]
  }

  /** @param numbers by card number, set before a card's first row is added */
  static start(numbers: Int32Array): RowLog {
    const cards = numbers.length
    const state = new Int32Array(new SharedArrayBuffer(cards * stateNumbers * 4))
    return new RowLog({ numbers, state, unsorted: new Uint8Array(new SharedArrayBuffer(cards)), segments: [] })
  }

  static finished(memory: RowLogMemory): RowLog {
    return new RowLog(memory)
  }

  get memory(): RowLogMemory {
    return { numbers: this.#numbers, state: this.#state, unsorted: this.#unsorted, segments: this.#segments }
  }

  /** @param number the card's, by `numbers` */
  add(number: number, day: number, newMarket: number, newLow: number, newHigh: number): void {
    const state = this.#state
    const s = number * stateNumbers
    const next = state[s + lastDay]! + 1
    const started = state[s + days]! > 0
    if (
      started &&
      day === next &&
      newMarket === state[s + market] &&
      newLow === state[s + low] &&
      newHigh === state[s + high]
    ) {
      state[s + lastDay] = day
      state[s + days]!++
      return
    }
    if (started) {
      this.#open(state[s + block]!, state[s + byteAt]!)
      if (day < next) this.#unsorted[number] = 1
    } else {
      this.#open(this.#newBlock(), 0)
      state[s + firstBlock] = this.#block
    }
    // A card without a run has a state of zeros, as if a run had ended on the day before day 0.
    const gap = started ? day - next : day
    writeVarint(this, 2 * state[s + days]! + Number(gap !== 0))
    if (gap !== 0) writeVarint(this, zigzag(gap))
    writeVarint(this, zigzag(newMarket - state[s + market]!))
    writeVarint(this, zigzag(newLow - state[s + low]!))
    writeVarint(this, zigzag(newHigh - state[s + high]!))
    state[s + lastDay] = day
    state[s + days] = 1
    state[s + market] = newMarket
    state[s + low] = newLow
    state[s + high] = newHigh
    state[s + block] = this.#block
    state[s + byteAt] = this.#byteAt
  }

  /** Adds the card's rows to `rows` in the order of `add`. True if that is date order, one row a day. */
  read(card: number, rows: Rows): boolean {
    const number = this.#numbers[card]!
    if (number === -1) return true
    const state = this.#state
    const s = number * stateNumbers
    if (state[s + days] === 0) return true
    this.#open(state[s + firstBlock]!, 0)
    // The day before the next row.
    let day = -1
    let rowMarket = 0
    let rowLow = 0
    let rowHigh = 0
    const addDays = (count: number) => {
      for (let i = 0; i < count; i++) rows.add(++day, rowMarket, rowLow, rowHigh)
    }
    do {
      const before = readVarint(this)
      addDays(before >>> 1)
      if (before & 1) day += unzigzag(readVarint(this))
      rowMarket += unzigzag(readVarint(this))
      rowLow += unzigzag(readVarint(this))
      rowHigh += unzigzag(readVarint(this))
    } while (this.#block !== state[s + block] || this.#byteAt !== state[s + byteAt])
    addDays(state[s + days]!)
    return this.#unsorted[number] === 0
  }

  #open(number: number, from: number): void {
    this.#block = number
    this.#bytes = this.#segments[number >> segmentShift]!
    this.#start = (number & (segmentBlocks - 1)) * blockBytes
    this.#byteAt = from
  }

  #newBlock(): number {
    if (this.#blocks === this.#segments.length << segmentShift) {
      this.#segments.push(new Uint8Array(new SharedArrayBuffer(segmentBlocks * blockBytes)))
    }
    return this.#blocks++
  }

  addByte(byte: number): void {
    if (this.#byteAt === blockRoom) {
      const next = this.#newBlock()
      for (let i = 0; i < 4; i++) this.#bytes[this.#start + blockRoom + i] = next >>> (8 * i)
      this.#open(next, 0)
    }
    this.#bytes[this.#start + this.#byteAt++] = byte
  }

  nextByte(): number {
    if (this.#byteAt === blockRoom) {
      let next = 0
      for (let i = 0; i < 4; i++) next |= this.#bytes[this.#start + blockRoom + i]! << (8 * i)
      this.#open(next, 0)
    }
    return this.#bytes[this.#start + this.#byteAt++]!
  }
}

/** The rows of several logs, in the order of their files. */
export class RowLogs {
  readonly #logs: readonly RowLog[]

  constructor(logs: readonly RowLog[]) {
    this.#logs = logs
  }

  /** Sets `rows` to the card's rows in date order, one a day. */
  read(card: number, rows: Rows): void {
    rows.count = 0
    let sorted = true
    for (const log of this.#logs) {
      const first = rows.count
      if (!log.read(card, rows)) sorted = false
      if (first > 0 && rows.count > first && rows.day[first]! <= rows.day[first - 1]!) sorted = false
    }
    if (!sorted) rows.sort()
  }
}
