/**
 * The rows of all cards as they are read, as runs of days with equal prices: most rows repeat the prices of the day before.
 *
 *   numbers   an int32 a card: its index in `last`, -1 without a row (build/read/history/ids.ts)
 *   last      an int32 a card: its last run, -1 without one
 *   runs      6 int32 each: the run before, the newest day, how many days, market, low, high
 *
 * All of it is shared memory: one thread writes a log, then any thread reads it.
 */

const before = 0
const newest = 1
const days = 2
const market = 3
const low = 4
const high = 5
const runNumbers = 6

/** Runs are in segments of 1.5 MiB, so that growing copies nothing. */
const segmentShift = 16
const segmentRuns = 1 << segmentShift
const none = -1

/** A finished log, which threads share. */
export interface RowLogMemory {
  readonly numbers: Int32Array
  readonly last: Int32Array
  readonly segments: readonly Int32Array[]
}

/** @param day the newest of `count` days; prices are cents or `unknownPrice` */
type OnRun = (day: number, count: number, market: number, low: number, high: number) => void

export class RowLog {
  readonly memory: RowLogMemory
  readonly #segments: Int32Array[] = []
  #runs = 0

  /** @param numbers by card number, set before a card's first row is added */
  constructor(numbers: Int32Array) {
    const last = new Int32Array(new SharedArrayBuffer(4 * numbers.length)).fill(none)
    this.memory = { numbers, last, segments: this.#segments }
  }

  /** @param number the card's, by `numbers` */
  add(number: number, day: number, newMarket: number, newLow: number, newHigh: number): void {
    const { last } = this.memory
    const run = last[number]!
    if (run !== none) {
      const numbers = this.#segments[run >> segmentShift]!
      const at = placeOf(run)
      const isSame =
        numbers[at + market] === newMarket && numbers[at + low] === newLow && numbers[at + high] === newHigh
      if (isSame && day === numbers[at + newest]! + 1) {
        numbers[at + newest] = day
        numbers[at + days]!++
        return
      }
    }
    const added = this.#runs++
    if (placeOf(added) === 0) {
      this.#segments.push(new Int32Array(new SharedArrayBuffer(4 * runNumbers * segmentRuns)))
    }
    const numbers = this.#segments[added >> segmentShift]!
    const at = placeOf(added)
    numbers[at + before] = run
    numbers[at + newest] = day
    numbers[at + days] = 1
    numbers[at + market] = newMarket
    numbers[at + low] = newLow
    numbers[at + high] = newHigh
    last[number] = added
  }
}

const placeOf = (run: number): number => (run & (segmentRuns - 1)) * runNumbers

/**
 * Calls `onRun` with the card's runs, newest day first. Of rows of one day, the one added last counts.
 * @param logs in the order of their files
 */
export function readRuns(logs: readonly RowLogMemory[], card: number, onRun: OnRun): void {
  if (isInOrder(logs, card)) {
    eachRun(logs, card, onRun)
    return
  }
  const rows = new Map<number, readonly [market: number, low: number, high: number]>()
  // The last row of a day comes first.
  eachRun(logs, card, (day, count, ...prices) => {
    for (let i = 0; i < count; i++) if (!rows.has(day - i)) rows.set(day - i, prices)
  })
  for (const day of Int32Array.from(rows.keys()).sort().reverse()) onRun(day, 1, ...rows.get(day)!)
}

function isInOrder(logs: readonly RowLogMemory[], card: number): boolean {
  let earliest = Number.POSITIVE_INFINITY
  let inOrder = true
  eachRun(logs, card, (day, count) => {
    if (day >= earliest) inOrder = false
    earliest = day - count + 1
  })
  return inOrder
}

/** The runs, the one added last first. */
function eachRun(logs: readonly RowLogMemory[], card: number, onRun: OnRun): void {
  for (let i = logs.length - 1; i >= 0; i--) {
    const { numbers, last, segments } = logs[i]!
    const number = numbers[card]!
    let run = number === none ? none : last[number]!
    while (run !== none) {
      const all = segments[run >> segmentShift]!
      const at = placeOf(run)
      onRun(all[at + newest]!, all[at + days]!, all[at + market]!, all[at + low]!, all[at + high]!)
      run = all[at + before]!
    }
  }
}
