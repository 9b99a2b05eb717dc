/** Cards in full as items of a list: what the answers of their details have under `data`. */
import { cardEnd, cardStart } from '../indexes/cards-file.ts'
import { batchIdsMax, searchLimitMax } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items } from './answer-buffer.ts'
import type { IdList } from './id-list.ts'
import { nowhere, type Records } from './records.ts'

export class FullCards {
  readonly #details: Records
  readonly #items = new Items(Math.max(searchLimitMax, batchIdsMax))
  readonly #answer = new AnswerBuffer()
  /** Of a batch's records. */
  readonly #places = new Uint32Array(batchIdsMax)
  readonly #bytes = new Uint32Array(batchIdsMax)

  constructor(details: Records) {
    this.#details = details
  }

  /** The answer, good until the next one. */
  page({ cards, count, total }: HitPage, limit: number, offset: number): Uint8Array {
    const details = this.#details
    this.#items.count = 0
    for (let i = 0; i < count; i++) {
      const place = details.place(cards[i]!)
      this.#add(place, details.bytes(place))
    }
    return this.#listed(envelopeEnd(total, limit, offset))
  }

  /** The answer for these ids, in their order; the ids that no card has are left out. Good until the next one. */
  batch(ids: IdList): Uint8Array {
    const places = this.#places
    const bytes = this.#bytes
    this.#details.findAll(ids, places, bytes)
    this.#items.count = 0
    for (let i = 0; i < ids.count; i++) if (places[i] !== nowhere) this.#add(places[i]!, bytes[i]!)
    return this.#listed(']}')
  }

  /** @param bytes of the record's text */
  #add(place: number, bytes: number): void {
    const start = this.#details.start(place)
    this.#items.add(this.#details.source(place), start + cardStart.length, start + bytes - cardEnd.length)
  }

  #listed(end: string): Uint8Array {
    this.#answer.start('{"data":[')
    this.#answer.addItems(this.#items)
    return this.#answer.finish(end)
  }
}
