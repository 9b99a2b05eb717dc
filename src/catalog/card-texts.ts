/**
 * Finds a text of each card by the card's index or by its id. Ids are found through a hash table whose slots point to
 * records. The id is compared with the id inside the record, because the response needs the record's memory anyway.
 * Most of a look-up's time is spent waiting for memory.
 */

import { record, type Texts } from '../indexes/cards-file.ts'
import { partCards, partCardsShift } from '../indexes/format.ts'
import { idHash, partOfPlace, placeMaskOf, placeOf, startOfPlace } from '../indexes/ids-file.ts'
import { batchIdsMax, searchLimitMax } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { Items, SharedText } from './answer-buffer.ts'
import { IdList } from './id-list.ts'

const wordBytes = Uint32Array.BYTES_PER_ELEMENT

/** The place of a missing record. */
export const nowhere = 0xffffffff

class Part {
  readonly source: SharedText
  /** The same memory as 32-bit numbers. */
  readonly words: Uint32Array
  readonly at: Uint32Array

  constructor({ bytes, at }: Texts) {
    this.source = new SharedText(bytes)
    this.words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / wordBytes)
    this.at = at
  }
}

export class Records {
  readonly #slots: Uint32Array
  readonly #placeMask: number
  readonly #parts: readonly Part[]
  readonly #idAt: number
  readonly #one = new IdList(1)
  readonly #hashes = new Uint32Array(batchIdsMax)
  readonly #found = { places: new Uint32Array(batchIdsMax), bytes: new Uint32Array(batchIdsMax) }
  // For each id: the part, and the index in the part's `words` of the length of the record's text. Both are guesses:
  // they are right if the first slot with the hash's mark is the id's slot.
  readonly #inPart = new Uint32Array(batchIdsMax)
  readonly #atWord = new Uint32Array(batchIdsMax)

  /** @param textStart the text of each record before the id */
  constructor(slots: Uint32Array, parts: readonly Texts[], textStart: string) {
    this.#slots = slots
    this.#placeMask = placeMaskOf(slots)
    this.#parts = parts.map((part) => new Part(part))
    this.#idAt = record.text + textStart.length
  }

  /** The place of the record with that id, or `nowhere`. */
  find(id: string): number {
    const one = this.#one.takeOne(id)
    const hash = idHash(one.view, 0, one.lengths[0]!)
    return this.#placeWithId(this.#slotOf(hash, hash), hash, one, 0)
  }

  /**
   * Finds the records of all ids of a list: their places, and the lengths of their texts. The result is valid until the
   * next call. Each step handles all ids before the next step begins. A step that waits for memory is a short loop of
   * its own, because a processor looks about 200 instructions ahead and loads at once all memory that these
   * instructions read.
   */
  findAll(ids: IdList): { readonly places: Uint32Array; readonly bytes: Uint32Array } {
    const { places, bytes } = this.#found
    const hashes = this.#hashes
    const parts = this.#inPart
    const at = this.#atWord
    const slots = this.#slots
    const all = this.#parts
    const mask = slots.length - 1
    const { count } = ids
    for (let i = 0; i < count; i++) hashes[i] = idHash(ids.view, ids.starts[i]!, ids.lengths[i]!)
    // Loads the slots into the cache.
    for (let i = 0; i < count; i++) places[i] = slots[hashes[i]! & mask]!
    for (let i = 0; i < count; i++) {
      const slot = this.#slotOf(hashes[i]!, hashes[i]!)
      // A missing id gets the place of the first record, which always exists.
      const place = slot === nowhere ? 0 : this.#placeAt(slot)
      places[i] = slot
      parts[i] = partOfPlace(place)
      at[i] = startOfPlace(place) / wordBytes + record.bytes
    }
    if (all.length === 1) {
      const only = all[0]!.words
      for (let i = 0; i < count; i++) bytes[i] = only[at[i]!]!
    } else for (let i = 0; i < count; i++) bytes[i] = all[parts[i]!]!.words[at[i]!]!
    for (let i = 0; i < count; i++) {
      const first = places[i]!
      const place = this.#placeWithId(first, hashes[i]!, ids, i)
      places[i] = place
      if (place !== nowhere && place !== this.#placeAt(first)) bytes[i] = this.bytes(place)
    }
    return this.#found
  }

  /** The place of a card's record. @param number the card's index */
  place(number: number): number {
    const part = number >>> partCardsShift
    return placeOf(part, this.#parts[part]!.at[number & (partCards - 1)]!)
  }

  /** The index of the card whose record is at the place. */
  number(place: number): number {
    return this.#parts[partOfPlace(place)]!.words[startOfPlace(place) / wordBytes + record.number]!
  }

  /** The length of the record's text. */
  bytes(place: number): number {
    return this.#parts[partOfPlace(place)]!.words[startOfPlace(place) / wordBytes + record.bytes]!
  }

  /** The offset of the record's text in its source. */
  start(place: number): number {
    return startOfPlace(place) + record.text
  }

  source(place: number): SharedText {
    return this.#parts[partOfPlace(place)]!.source
  }

  /**
   * The first slot, from `from` on, that has the hash's mark, or `nowhere`. The search wraps around at the last slot,
   * and ends at an empty slot.
   */
  #slotOf(hash: number, from: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    const marks = ~this.#placeMask
    for (let slot = from & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]!
      if (entry === 0) return nowhere
      if (((entry ^ hash) & marks) === 0) return slot
    }
  }

  /** The place that a used slot points to. */
  #placeAt(slot: number): number {
    return ((this.#slots[slot]! & this.#placeMask) >>> 0) - 1
  }

  /**
   * The place of the record with id i of `ids`; `nowhere` if there is none.
   * @param first the first slot with the hash's mark, or `nowhere`
   */
  #placeWithId(first: number, hash: number, ids: IdList, i: number): number {
    for (let slot = first; slot !== nowhere; slot = this.#slotOf(hash, slot + 1)) {
      const place = this.#placeAt(slot)
      if (this.#hasId(place, ids, i)) return place
    }
    return nowhere
  }

  /**
   * Compares the id and the quotation mark after it with those of the record, word by word. The last word overlaps the
   * word before it, so no single bytes remain. Every card's id is long enough: it has at least four characters, because
   * its game and a hyphen come first.
   */
  #hasId(place: number, ids: IdList, i: number): boolean {
    const texts = this.source(place).view
    const at = startOfPlace(place) + this.#idAt
    const start = ids.starts[i]!
    const bytes = ids.lengths[i]! + 1
    if (bytes < wordBytes || at + bytes > this.source(place).bytes.length) return false
    const last = bytes - wordBytes
    for (let done = 0; done < last; done += wordBytes) {
      if (texts.getInt32(at + done, true) !== ids.view.getInt32(start + done, true)) return false
    }
    return texts.getInt32(at + last, true) === ids.view.getInt32(start + last, true)
  }
}

/** Finds a text of each card, only by the card's index. */
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
