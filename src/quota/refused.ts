/** Requests of the day that were refused because the quota was used up, at this server since it started: for the account's people. */
import { addTo, countOn, pack, type SharedCounts, tagIn, tagOf } from './counters.ts'

export class RefusedCounts {
  /** By account, each of its own day. */
  readonly #refused: Int32Array

  constructor({ refused }: SharedCounts) {
    this.#refused = new Int32Array(refused)
  }

  add(account: number, day: number): void {
    const tag = tagOf(day)
    while (!addTo(this.#refused, account, tag, 1)) {
      const cell = Atomics.load(this.#refused, account)
      if (tagIn(cell) !== tag) Atomics.compareExchange(this.#refused, account, cell, pack(tag, 0))
    }
  }

  /** At most `countMax`. */
  on(day: number, account: number): number {
    return countOn(day, this.#refused, account)
  }
}
