/** Selects a page of cards by their keys, without sorting all of them. */

/** Which cards of a list a page has: `limit` after the first `offset`. */
export interface Paging {
  readonly limit: number
  readonly offset: number
}

export interface HitPage {
  total: number
  count: number
  /** Card numbers, valid up to `count`. */
  readonly cards: Uint32Array
}

const insertionMax = 24

export class Selection {
  count = 0
  readonly #cards: Uint32Array
  readonly #keys: Float64Array

  constructor(cardCount: number) {
    this.#cards = new Uint32Array(cardCount)
    this.#keys = new Float64Array(cardCount)
  }

  /** Cards are selected by key, the lowest first; equals by number. Each card may be added once. */
  add(card: number, key: number): void {
    this.#cards[this.count] = card
    this.#keys[this.count++] = key
  }

  /** Fills the page with the cards from place `from` up to `to`, and drops all cards. */
  fill(page: HitPage, from: number, to: number): void {
    const { count } = this
    const end = Math.min(count, to)
    if (from < end) this.#sort(0, count - 1, from, end)
    page.count = 0
    for (let place = from; place < end; place++) page.cards[page.count++] = this.#cards[place]!
    this.count = 0
  }

  /** Quicksort that skips partitions outside the window: about 2 × count + n log n steps for n cards. */
  #sort(first: number, last: number, from: number, to: number): void {
    let low = first
    let high = last
    while (high - low >= insertionMax) {
      const middle = this.#partition(low, high)
      if (middle >= from && middle + 1 < to) this.#sort(low, middle, from, to)
      if (middle + 1 < to) low = middle + 1
      else high = middle
    }
    this.#insertionSort(low, high)
  }

  /** Returns the last place of the lower part; no card of it comes after one of the other part. Both have cards. */
  #partition(low: number, high: number): number {
    const cards = this.#cards
    const keys = this.#keys
    const pivot = this.#medianOf(low, (low + high) >>> 1, high)
    const card = cards[pivot]!
    const key = keys[pivot]!
    let i = low - 1
    let j = high + 1
    for (;;) {
      do i++
      while (keys[i]! < key || (keys[i] === key && cards[i]! < card))
      do j--
      while (keys[j]! > key || (keys[j] === key && cards[j]! > card))
      if (i >= j) return j
      const [otherCard, otherKey] = [cards[i]!, keys[i]!]
      cards[i] = cards[j]!
      keys[i] = keys[j]!
      cards[j] = otherCard
      keys[j] = otherKey
    }
  }

  #medianOf(a: number, b: number, c: number): number {
    const [low, high] = this.#isBefore(a, b) ? [a, b] : [b, a]
    if (this.#isBefore(c, low)) return low
    return this.#isBefore(c, high) ? c : high
  }

  #isBefore(place: number, other: number): boolean {
    const difference = this.#keys[place]! - this.#keys[other]!
    return difference < 0 || (difference === 0 && this.#cards[place]! < this.#cards[other]!)
  }

  #insertionSort(low: number, high: number): void {
    const cards = this.#cards
    const keys = this.#keys
    for (let i = low + 1; i <= high; i++) {
      const card = cards[i]!
      const key = keys[i]!
      let j = i - 1
      for (; j >= low && (keys[j]! > key || (keys[j] === key && cards[j]! > card)); j--) {
        cards[j + 1] = cards[j]!
        keys[j + 1] = keys[j]!
      }
      cards[j + 1] = card
      keys[j + 1] = key
    }
  }
}
