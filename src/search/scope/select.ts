/**
 * Selects a page of cards by their keys. A heap keeps only the best cards: those up to the end of the page.
 */

/** A page has `limit` cards of a list, after the first `offset` cards. */
export interface Paging {
  readonly limit: number
  readonly offset: number
}

export interface HitPage {
  total: number
  count: number
  /** Card indexes, valid up to `count`. */
  readonly cards: Uint32Array
}

export class Selection {
  /** How many cards were added. */
  count = 0
  /** A binary heap of the best cards so far. Its first card is the last one in the order. */
  readonly #cards: Uint32Array
  readonly #keys: Float64Array
  #kept = 0
  #from = 0
  #to = 0

  constructor(cardCount: number) {
    this.#cards = new Uint32Array(cardCount)
    this.#keys = new Float64Array(cardCount)
  }

  /** Drops all cards. The next page will have the cards in the places `from` up to, but not including, `to`. */
  start(from: number, to: number): void {
    this.count = 0
    this.#kept = 0
    this.#from = from
    this.#to = to
  }

  /**
   * Adds a card. The lowest key comes first, and cards with equal keys have the order of their indexes. Add each card
   * only once.
   */
  add(card: number, key: number): void {
    this.count++
    if (this.#kept < this.#to) this.#siftUp(card, key)
    else if (!this.#isBefore(0, card, key)) this.#siftDown(card, key)
  }

  /** Moves the selected cards into the page. The heap yields the last card first, so the page is filled backwards. */
  fill(page: HitPage): void {
    page.count = Math.max(this.#kept - this.#from, 0)
    for (let i = page.count - 1; i >= 0; i--) {
      page.cards[i] = this.#cards[0]!
      this.#kept--
      this.#siftDown(this.#cards[this.#kept]!, this.#keys[this.#kept]!)
    }
  }

  /** Adds the card at the end of the heap. */
  #siftUp(card: number, key: number): void {
    let place = this.#kept++
    while (place > 0) {
      const parent = (place - 1) >>> 1
      if (!this.#isBefore(parent, card, key)) break
      this.#set(place, this.#cards[parent]!, this.#keys[parent]!)
      place = parent
    }
    this.#set(place, card, key)
  }

  /** Replaces the heap's first card. */
  #siftDown(card: number, key: number): void {
    let place = 0
    for (let child = 1; child < this.#kept; child = 2 * place + 1) {
      const other = child + 1
      if (other < this.#kept && this.#isBefore(child, this.#cards[other]!, this.#keys[other]!)) child = other
      if (this.#isBefore(child, card, key)) break
      this.#set(place, this.#cards[child]!, this.#keys[child]!)
      place = child
    }
    this.#set(place, card, key)
  }

  #isBefore(place: number, card: number, key: number): boolean {
    const own = this.#keys[place]!
    return own < key || (own === key && this.#cards[place]! < card)
  }

  #set(place: number, card: number, key: number): void {
    this.#cards[place] = card
    this.#keys[place] = key
  }
}
