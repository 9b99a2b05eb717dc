/** What a version says of cards, sets and games. Answers are looked up and copied: the build has rendered them. */
import { detailsStart, itemStart, readCardsPart } from '../indexes/cards-file.ts'
import { type CatalogFile, readCatalog } from '../indexes/catalog-file.ts'
import { readIds } from '../indexes/ids-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/version.ts'
import { batchIdsMax } from '../limits.ts'
import type { Page } from '../search/search.ts'
import { envelopeEnd, Items, PageBuffer, Source } from './answer-buffer.ts'
import type { IdList } from './id-list.ts'
import { nowhere, Records } from './records.ts'
import { Summaries } from './summaries.ts'

export class Catalog {
  readonly #details: Records
  readonly #items: Records
  readonly #summaries: Summaries
  readonly #lists: CatalogFile
  readonly #sets: Source
  /** Where each list of sets starts in `setsAt`. */
  readonly #listStarts: readonly number[]
  readonly #page = new PageBuffer()
  readonly #pageItems = new Items(batchIdsMax)
  /** Of a batch's items. */
  readonly #places = new Uint32Array(batchIdsMax)
  readonly #bytes = new Uint32Array(batchIdsMax)

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    const parts = partsOf(version, 'cards').map(readCardsPart)
    const slots = readIds(fileOf(version, 'ids.msgpack'))
    const detailsParts = parts.map(({ details }) => details)
    const itemsParts = parts.map(({ items }) => items)
    this.#details = new Records(slots.details, detailsParts, detailsStart)
    this.#items = new Records(slots.items, itemsParts, itemStart)
    this.#summaries = new Summaries(parts.map(({ summaries }) => summaries))
    this.#lists = readCatalog(fileOf(version, 'catalog.msgpack'))
    this.#sets = new Source(this.#lists.sets)
    let start = 0
    this.#listStarts = this.#lists.setCounts.map((count) => {
      start += count + 1
      return start - count - 1
    })
  }

  /** The card's number, or -1 if no card has that id. */
  find(id: string): number {
    const place = this.#details.find(id)
    return place === nowhere ? -1 : this.#details.number(place)
  }

  /** The whole answer of a card's details, undefined if no card has that id. */
  detailsOf(id: string): Uint8Array | undefined {
    const place = this.#details.find(id)
    return place === nowhere ? undefined : this.#detailsAt(place)
  }

  /** The same, by the card's number. */
  details(number: number): Uint8Array {
    return this.#detailsAt(this.#details.place(number))
  }

  #detailsAt(place: number): Uint8Array {
    const { buffer, byteOffset } = this.#details.source(place).bytes
    return new Uint8Array(buffer, byteOffset + this.#details.start(place), this.#details.bytes(place))
  }

  /** The answer for these ids, in their order; the ids that no card has are left out. */
  batch(ids: IdList): Uint8Array {
    const records = this.#items
    const items = this.#pageItems
    const places = this.#places
    const bytes = this.#bytes
    records.findAll(ids, places, bytes)
    items.count = 0
    for (let i = 0; i < ids.count; i++) {
      const place = places[i]!
      if (place === nowhere) continue
      const start = records.start(place)
      items.add(records.source(place), start, start + bytes[i]!)
    }
    this.#page.start('{"data":[')
    this.#page.addItems(items)
    return this.#page.finish(']}')
  }

  searchPage(found: Page, limit: number, offset: number): Uint8Array {
    return this.#summaries.page(found, limit, offset)
  }

  games(): Uint8Array {
    return this.#lists.games
  }

  /** @param game the game's number, -1 for all games */
  setsPage(game: number, limit: number, offset: number): Uint8Array {
    const { setsAt, setCounts } = this.#lists
    const total = setCounts[game + 1]!
    const start = this.#listStarts[game + 1]!
    const from = Math.min(offset, total)
    const to = Math.min(offset + limit, total)
    const page = this.#page
    page.start('{"data":[')
    if (to > from) page.addBytes(this.#sets, setsAt[start + from]!, setsAt[start + to]! - ','.length)
    return page.finish(envelopeEnd(total, limit, offset))
  }
}
