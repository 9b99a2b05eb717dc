/** What a version says of cards, sets and games. Answers are looked up and copied: the build has rendered them. */
import { type CardsPart, detailsIdStart, itemsIdStart, readCardsPart } from '../indexes/cards-file.ts'
import { type CatalogFile, readCatalog } from '../indexes/catalog-file.ts'
import { idHash, readIds } from '../indexes/ids-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/load.ts'
import { partCards, partCardsShift } from '../limits.ts'
import type { Page } from '../search/search.ts'
import { PageBuffer } from './page.ts'

const quote = 0x22
const pageBytes = 64 * 1024

export class Catalog {
  readonly #parts: readonly CardsPart[]
  readonly #slots: Uint32Array
  readonly #lists: CatalogFile
  /** Where each list of sets starts in `setsAt`. */
  readonly #listStarts: readonly number[]
  readonly #page = new PageBuffer(pageBytes)

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    this.#parts = partsOf(version, 'cards').map(readCardsPart)
    this.#slots = readIds(fileOf(version, 'ids.msgpack'))
    this.#lists = readCatalog(fileOf(version, 'catalog.msgpack'))
    let start = 0
    this.#listStarts = this.#lists.setCounts.map((count) => {
      start += count + 1
      return start - count - 1
    })
  }

  /** The card's number, or -1 if no card has that id. */
  find(id: string): number {
    return this.#find(id, 'details', detailsIdStart)
  }

  /**
   * The id is compared where it stands in the texts that are to be sent: their memory is needed anyway, and waiting for
   * memory is most of what a look-up costs.
   */
  #find(id: string, texts: keyof CardsPart, idStart: number): number {
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    const hash = idHash(id)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = slots[2 * slot + 1]! - 1
      if (number === -1) return -1
      if (slots[2 * slot] !== hash) continue
      const { bytes, at } = this.#parts[number >>> partCardsShift]![texts]
      if (hasId(bytes, at[number & (partCards - 1)]! + idStart, id)) return number
    }
  }

  /** The whole answer of a card's details. */
  details(number: number): Uint8Array {
    const { bytes, at } = this.#parts[number >>> partCardsShift]!.details
    const i = number & (partCards - 1)
    return new Uint8Array(bytes.buffer, bytes.byteOffset + at[i]!, at[i + 1]! - at[i]!)
  }

  /** The answer for these ids, in their order; the ids that no card has are left out. */
  batch(ids: readonly string[]): Uint8Array {
    const page = this.#page
    page.start('{"data":[')
    let first = true
    for (const id of ids) {
      const number = this.#find(id, 'items', itemsIdStart)
      if (number === -1) continue
      page.addItem(this.#parts[number >>> partCardsShift]!.items, number & (partCards - 1), first)
      first = false
    }
    return page.finish(']}')
  }

  searchPage(found: Page, limit: number, offset: number): Uint8Array {
    const page = this.#page
    page.start('{"data":[')
    for (let i = 0; i < found.count; i++) {
      const number = found.cards[i]!
      page.addItem(this.#parts[number >>> partCardsShift]!.summaries, number & (partCards - 1), i === 0)
    }
    return page.finish(envelopeEnd(found.total, limit, offset))
  }

  games(): Uint8Array {
    return this.#lists.games
  }

  /** @param game the game's number, -1 for all games */
  setsPage(game: number, limit: number, offset: number): Uint8Array {
    const { sets, setsAt, setCounts } = this.#lists
    const total = setCounts[game + 1]!
    const start = this.#listStarts[game + 1]!
    const from = Math.min(offset, total)
    const to = Math.min(offset + limit, total)
    const page = this.#page
    page.start('{"data":[')
    if (to > from) page.addBytes(sets, setsAt[start + from]!, setsAt[start + to]! - ','.length)
    return page.finish(envelopeEnd(total, limit, offset))
  }
}

function hasId(bytes: Uint8Array, start: number, id: string): boolean {
  for (let i = 0; i < id.length; i++) if (bytes[start + i] !== id.charCodeAt(i)) return false
  return bytes[start + id.length] === quote
}

const envelopeEnd = (total: number, limit: number, offset: number) =>
  `],"total":${total},"limit":${limit},"offset":${offset}}`
