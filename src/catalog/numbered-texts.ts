/** A text of each card, found by the card's number. */
import type { Texts } from '../indexes/cards-file.ts'
import { partCards, partCardsShift, searchLimitMax } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { Items, SharedText } from './answer-buffer.ts'

export class NumberedTexts {
  readonly #parts: readonly { readonly source: SharedText; readonly at: Uint32Array }[]
  readonly #items = new Items(searchLimitMax)

  constructor(parts: readonly Texts[]) {
    this.#parts = parts.map(({ bytes, at }) => ({ source: new SharedText(bytes), at }))
  }

  /** The page's texts without their last `cut` bytes, valid until the next call. */
  itemsOf({ cards, count }: Omit<HitPage, 'total'>, cut = 0): Items {
    const items = this.#items
    items.count = 0
    for (let i = 0; i < count; i++) {
      const number = cards[i]!
      const { source, at } = this.#parts[number >>> partCardsShift]!
      const local = number & (partCards - 1)
      items.add(source, at[local]!, at[local + 1]! - cut)
    }
    return items
  }
}
