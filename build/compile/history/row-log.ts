/**
 * The rows of all cards as they are read, as runs of days with equal prices: most rows repeat the prices of the day before.
 *
 *   last      an int32 a card: where its last run starts, -1 without one
 *   runs      6 int32 each: where the run before starts, the newest day, how many days, market, low, high
 */

const [before, newest, days, market, low, high, runNumbers] = [0, 1, 2, 3, 4, 5, 6] as const
const none = -1

/** @param day the newest of `count` days; prices are cents or `unknownPrice` */
type OnRun = (day: number, count: number, market: number, low: number, high: number) => void

export class RowLog {
  /** How many there are. */
  readonly cards: number
  readonly #last: Int32Array
  #runs = new Int32Array(runNumbers * 2 ** 16)
  #length = 0

  constructor(cards: number) {
    this.cards = cards
    this.#last = new Int32Array(cards).fill(none)
  }

  add(card: number, day: number, newMarket: number, newLow: number, newHigh: number): void {
    const runs = this.#runs
    const last = this.#last[card]!
    const isSame =
      last !== none &&
      runs[last + market] === newMarket &&
      runs[last + low] === newLow &&
      runs[last + high] === newHigh &&
      runs[last + newest] === day - 1
    if (isSame) {
      runs[last + newest] = day
      runs[last + days]!++
      return
    }
    const added = this.#length
    this.#length += runNumbers
    if (this.#length > runs.length) this.#runs = new Int32Array(runs.buffer.transfer(2 * runs.byteLength))
    this.#runs.set([last, day, 1, newMarket, newLow, newHigh], added)
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
    const runs = this.#runs
    for (let at = this.#last[card]!; at !== none; at = runs[at + before]!) {
      onRun(runs[at + newest]!, runs[at + days]!, runs[at + market]!, runs[at + low]!, runs[at + high]!)
    }
  }
}
