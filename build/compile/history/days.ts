/** A set of days, made of ranges. */

export interface DayRange {
  /** Days from 1970-01-01, both inclusive. */
  readonly first: number
  readonly last: number
}

export class DaySet {
  /** In order, without overlaps. */
  #ranges: DayRange[] = []

  constructor(ranges: readonly DayRange[] = []) {
    for (const range of ranges) this.add(range)
  }

  get ranges(): readonly DayRange[] {
    return this.#ranges
  }

  /** Infinity if the set is empty. */
  get first(): number {
    return this.#ranges[0]?.first ?? Number.POSITIVE_INFINITY
  }

  add(range: DayRange): void {
    const { first, last } = range
    const apart = this.#ranges.filter((other) => other.last < first - 1 || other.first > last + 1)
    const joined = this.#ranges.filter((other) => !apart.includes(other))
    apart.push({
      first: Math.min(first, ...joined.map((other) => other.first)),
      last: Math.max(last, ...joined.map((other) => other.last)),
    })
    this.#ranges = apart.sort((a, b) => a.first - b.first)
  }

  has(day: number): boolean {
    return this.#ranges.some((range) => day >= range.first && day <= range.last)
  }

  overlaps(range: DayRange): boolean {
    return this.#ranges.some((other) => range.first <= other.last && range.last >= other.first)
  }

  covers(range: DayRange): boolean {
    return this.#ranges.some((other) => range.first >= other.first && range.last <= other.last)
  }
}
