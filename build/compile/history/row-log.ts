/**
 * Collects the rows of all cards as they are read. Most rows repeat the prices of the day before, so the log stores
 * runs of days with equal prices.
 *
 *   last      an int32 for each card: where the card's last run starts, -1 if the card has no run
 *   runs      6 int32 for each run: where the card's previous run starts, newest day, number of days, market, low, high
 */
import type { Run } from '../../../src/indexes/series/codec.ts'

const [before, newest, count, market, low, high, runNumbers] = [0, 1, 2, 3, 4, 5, 6] as const
const none = -1

export class RowLog {
  /** The number of cards. */
  readonly cards: number
  readonly #last: Int32Array
  #runs = new Int32Array(runNumbers * 2 ** 16)
  #length = 0

  constructor(cards: number) {
    this.cards = cards
    this.#last = new Int32Array(cards).fill(none)
  }

  add(card: number, row: Omit<Run, 'days'>): void {
    const { day } = row
    const runs = this.#runs
    const last = this.#last[card]!
    const isSame =
      last !== none &&
      runs[last + market] === row.market &&
      runs[last + low] === row.low &&
      runs[last + high] === row.high &&
      runs[last + newest] === day - 1
    if (isSame) {
      runs[last + newest] = day
      runs[last + count]!++
      return
    }
    const added = this.#length
    this.#length += runNumbers
    if (this.#length > runs.length) this.#runs = new Int32Array(runs.buffer.transfer(2 * runs.byteLength))
    this.#runs.set([last, day, 1, row.market, row.low, row.high], added)
    this.#last[card] = added
  }

  /** The card's runs, newest day first. If several rows have the same day, the row that was added last wins. */
  runsOf(card: number): readonly Run[] {
    const runs = this.#addedLastFirst(card)
    const isInOrder = runs.every(({ day, days }, i) => i + 1 === runs.length || runs[i + 1]!.day <= day - days)
    if (isInOrder) return runs
    const rows = new Map<number, Run>()
    for (const run of runs)
      for (let day = run.day; day > run.day - run.days; day--)
        if (!rows.has(day)) rows.set(day, { ...run, day, days: 1 })
    return [...rows.values()].sort((a, b) => b.day - a.day)
  }

  #addedLastFirst(card: number): Run[] {
    const runs = this.#runs
    const added: Run[] = []
    for (let at = this.#last[card]!; at !== none; at = runs[at + before]!) {
      added.push({
        day: runs[at + newest]!,
        days: runs[at + count]!,
        market: runs[at + market]!,
        low: runs[at + low]!,
        high: runs[at + high]!,
      })
    }
    return added
  }
}
