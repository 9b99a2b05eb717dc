/**
 * Renders cards in the full and the extended view, from their details and extras. A body has one card, or a list of
 * cards.
 */

import { cardEnd, cardStart, type Texts } from '../indexes/cards-file.ts'
import { partCards, partCardsShift } from '../indexes/format.ts'
import { batchIdsMax, searchLimitMax } from '../limits.ts'
import type { Matched } from '../match/line.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items, SharedText } from './answer-buffer.ts'
import { nowhere, type Records } from './card-texts.ts'
import type { IdList } from './id-list.ts'

export class FullCards {
  readonly #details: Records
  readonly #extras: readonly { readonly source: SharedText; readonly at: Uint32Array }[]
  readonly #items = new Items(Math.max(searchLimitMax, batchIdsMax))
  readonly #answer = new AnswerBuffer()

  /** @param extras by part */
  constructor(details: Records, extras: readonly Texts[]) {
    this.#details = details
    this.#extras = extras.map(({ bytes, at }) => ({ source: new SharedText(bytes), at }))
  }

  // Each body is valid only until the next body is rendered.

  page({ cards, count, total }: HitPage, limit: number, offset: number): Uint8Array {
    const details = this.#details
    this.#items.count = 0
    for (let i = 0; i < count; i++) {
      const place = details.place(cards[i]!)
      this.#add(place, details.bytes(place))
    }
    return this.#answer.list(this.#items, envelopeEnd(total, limit, offset))
  }

  batch(ids: IdList): Uint8Array {
    const { places, bytes } = this.#details.findAll(ids)
    this.#items.count = 0
    for (let i = 0; i < ids.count; i++) if (places[i] !== nowhere) this.#add(places[i]!, bytes[i]!)
    return this.#answer.list(this.#items, ']}')
  }

  /** @param place the place of the card's details */
  extended(place: number): Uint8Array {
    this.#answer.start(cardStart)
    this.#addExtended(place)
    return this.#answer.finish(cardEnd)
  }

  extendedPage({ cards, count, total }: HitPage, limit: number, offset: number): Uint8Array {
    this.#answer.start('{"data":[')
    this.#addAllExtended(cards, count)
    return this.#answer.finish(envelopeEnd(total, limit, offset))
  }

  /** The body also lists the ids that no card has, in `missing`. @param asked the ids as sent */
  extendedBatch(ids: IdList, asked: readonly string[]): Uint8Array {
    const answer = this.#answer
    const { places } = this.#details.findAll(ids)
    const missing: string[] = []
    answer.start('{"data":[')
    for (let i = 0, found = 0; i < ids.count; i++) {
      if (places[i] === nowhere) {
        missing.push(asked[i]!)
        continue
      }
      if (found++ > 0) answer.addAscii(',')
      this.#addExtended(places[i]!)
    }
    const list = new SharedText(Buffer.from(JSON.stringify(missing)))
    answer.addAscii('],"missing":')
    answer.addBytes(list, 0, list.bytes.length)
    return answer.finish('}')
  }

  matches(matched: readonly Matched[]): Uint8Array {
    const answer = this.#answer
    answer.start('{"data":[')
    for (const [i, { match, cards }] of matched.entries()) {
      const isOne = match === 'exact' || match === 'likely'
      answer.addAscii(`${i > 0 ? ',' : ''}{"match":"${match}","card":`)
      if (isOne) this.#addExtended(this.#details.place(cards[0]!))
      else answer.addAscii('null')
      answer.addAscii(',"candidates":[')
      if (!isOne) this.#addAllExtended(cards, cards.length)
      answer.addAscii(']}')
    }
    return answer.finish(']}')
  }

  #addAllExtended(cards: ArrayLike<number>, count: number): void {
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#answer.addAscii(',')
      this.#addExtended(this.#details.place(cards[i]!))
    }
  }

  /** Adds the card whose details are at the place. */
  #addExtended(place: number): void {
    const answer = this.#answer
    const details = this.#details
    const start = details.start(place)
    const end = start + details.bytes(place) - cardEnd.length - '}'.length
    answer.addBytes(details.source(place), start + cardStart.length, end)
    const number = details.number(place)
    const { source, at } = this.#extras[number >>> partCardsShift]!
    const local = number & (partCards - 1)
    answer.addPhrased(source, at[local]!, at[local + 1]!)
  }

  /**
   * Adds the card whose details are at the place to the items of a list.
   * @param bytes the length of the record's text
   */
  #add(place: number, bytes: number): void {
    const start = this.#details.start(place)
    this.#items.add(this.#details.source(place), start + cardStart.length, start + bytes - cardEnd.length)
  }
}
