/** Selects a page of cards by their keys, without sorting all of them. */

export interface HitPage {
  total: number
  count: number
  /** Card numbers, valid up to `count`. */
  readonly cards: Uint32Array
}

/** So many times the cards up to the page's end are collected before all behind it are dropped. */
const roomFactor = 4
const insertionMax = 24

export class Selection {
  /** The cards added. */
  total = 0
  readonly #cards: Uint32Array
  readonly #keys: Float64Array
  #count = 0
  #offset = 0
  #end = 0
  #room = 0
  /** The last card that may be on the page. */
  #lastKey = Number.POSITIVE_INFINITY
  #lastCard = 0

  constructor(cardCount: number) {
    this.#cards = new Uint32Array(cardCount + 1)
    this.#keys = new Float64Array(cardCount + 1)
  }

  /** Starts the selection of `limit` cards after the first `offset`. */
  start(limit: number, offset: number): void {
    this.total = 0
    this.#count = 0
    this.#offset = offset
    this.#end = offset + limit
    this.#room = Math.min(this.#end * roomFactor, this.#cards.length)
    this.#lastKey = Number.POSITIVE_INFINITY
    this.#lastCard = this.#cards.length
  }

  /** Cards are selected by key, the lowest first; equals by number. Each card may be added once. */
  add(card: number, key: number): void {
    this.total++
    if (key > this.#lastKey || (key === this.#lastKey && card > this.#lastCard)) return
    this.#cards[this.#count] = card
    this.#keys[this.#count++] = key
    if (this.#count < this.#room) return
    this.#sort(0, this.#count - 1, this.#end - 1, this.#end)
    this.#count = this.#end
    this.#lastKey = this.#keys[this.#end - 1]!
    this.#lastCard = this.#cards[this.#end - 1]!
  }

  /** Fills the page. */
  fill(page: HitPage): HitPage {
    const end = Math.min(this.#count, this.#end)
    if (this.#offset < end) this.#sort(0, this.#count - 1, this.#offset, end)
    page.total = this.total
    page.count = 0
    for (let place = this.#offset; place < end; place++) page.cards[page.count++] = this.#cards[place]!
    return page
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
    const pivot = (low + high) >>> 1
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
