/**
 * The rows of all cards as they are read, as runs of days with equal prices: most rows repeat the prices of the day before.
 *
 *   last      an int32 a card: its last run, -1 without one
 *   runs      6 int32 each: the run before, the newest day, how many days, market, low, high
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

/** @param day the newest of `count` days; prices are cents or `unknownPrice` */
type OnRun = (day: number, count: number, market: number, low: number, high: number) => void

export class RowLog {
  /** How many there are. */
  readonly cards: number
  readonly #last: Int32Array
  readonly #segments: Int32Array[] = []
  #runs = 0

  constructor(cards: number) {
    this.cards = cards
    this.#last = new Int32Array(cards).fill(none)
  }

  add(card: number, day: number, newMarket: number, newLow: number, newHigh: number): void {
    const run = this.#last[card]!
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
    if (placeOf(added) === 0) this.#segments.push(new Int32Array(runNumbers * segmentRuns))
    this.#segments[added >> segmentShift]!.set([run, day, 1, newMarket, newLow, newHigh], placeOf(added))
    this.#last[card] = added
  }

  /** Calls `onRun` with the card's runs, newest day first. Of rows of one day, the one added last counts. */
  readRuns(card: number, onRun: OnRun): void {
    let earliest = Number.POSITIVE_INFINITY
    let isInOrder = true
    this.#eachRun(card, (day, count) => {
      if (day >= earliest) isInOrder = false
      earliest = day - count + 1
    })
    if (isInOrder) {
      this.#eachRun(card, onRun)
      return
    }
    const rows = new Map<number, readonly [market: number, low: number, high: number]>()
    // The last row of a day comes first.
    this.#eachRun(card, (day, count, ...prices) => {
      for (let i = 0; i < count; i++) if (!rows.has(day - i)) rows.set(day - i, prices)
    })
    for (const day of Int32Array.from(rows.keys()).sort().reverse()) onRun(day, 1, ...rows.get(day)!)
  }

  /** The runs, the one added last first. */
  #eachRun(card: number, onRun: OnRun): void {
    for (let run = this.#last[card]!; run !== none; ) {
      const all = this.#segments[run >> segmentShift]!
      const at = placeOf(run)
      onRun(all[at + newest]!, all[at + days]!, all[at + market]!, all[at + low]!, all[at + high]!)
      run = all[at + before]!
    }
  }
}

const placeOf = (run: number): number => (run & (segmentRuns - 1)) * runNumbers
