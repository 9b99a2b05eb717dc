/** Cards, sets and games of a version. Responses are copied from texts that the build has rendered. */

import { gameSlugs } from '../games.ts'
import { bulkFileName, readBulkFile } from '../indexes/bulk-file.ts'
import { detailsStart, itemStart, readCardsPart } from '../indexes/cards-file.ts'
import { changesFileName, readChangesFile } from '../indexes/changes-file.ts'
import { readIds } from '../indexes/ids-file.ts'
import { readListsFile } from '../indexes/lists-file.ts'
import { readSetsFile, type SetsFile } from '../indexes/sets-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/version.ts'
import { batchIdsMax, setsLimitMax } from '../limits.ts'
import type { Matched } from '../match/match.ts'
import type { HitPage, NameList } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items, SharedText } from './answer-buffer.ts'
import { type Csv, CsvCards } from './csv.ts'
import { FullCards } from './full-cards.ts'
import type { IdList } from './id-list.ts'
import { nowhere, Records } from './records.ts'
import { Suggestions } from './suggestions.ts'
import { Summaries } from './summaries.ts'
import type { View } from './views.ts'

export class Catalog {
  readonly csv: CsvCards
  readonly #details: Records
  readonly #items: Records
  readonly #summaries: Summaries
  readonly #fullCards: FullCards
  readonly #suggestions: Suggestions
  readonly #lists: SetsFile
  /** By game. */
  readonly #bulk: readonly Uint8Array[]
  readonly #sets: SharedText
  readonly #setEnds: SharedText
  readonly #setEndsAt: Uint32Array
  readonly #setItems = new Items(setsLimitMax)
  /** The start of each list of sets in `setsAt`. */
  readonly #listStarts: readonly number[]
  readonly #answer = new AnswerBuffer()
  readonly #batchItems = new Items(batchIdsMax)
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
    const extras = parts.map((part) => part.extras)
    this.#fullCards = new FullCards(this.#details, extras)
    this.csv = new CsvCards(this.#details, extras, readChangesFile(fileOf(version, changesFileName)))
    const lists = readListsFile(fileOf(version, 'lists.msgpack'))
    this.#suggestions = new Suggestions(lists)
    this.#setEnds = new SharedText(lists.setEnds)
    this.#setEndsAt = lists.setEndsAt
    this.#bulk = gameSlugs.map((slug) => readBulkFile(fileOf(version, bulkFileName(slug))).gzip)
    this.#lists = readSetsFile(fileOf(version, 'catalog.msgpack'))
    this.#sets = new SharedText(this.#lists.sets)
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

  /** The body of a card's details; undefined if no card has that id. */
  detailsOf(id: string, view: View = 'full'): Uint8Array | undefined {
    const place = this.#details.find(id)
    if (place === nowhere) return undefined
    return view === 'extended' ? this.#fullCards.extended(place) : this.#detailsAt(place)
  }

  /** The card as CSV; undefined if no card has that id. */
  csvOf(id: string): Csv | undefined {
    const place = this.#details.find(id)
    return place === nowhere ? undefined : this.csv.card(place)
  }

  /** The body, by the card's number. */
  details(number: number): Uint8Array {
    return this.#detailsAt(this.#details.place(number))
  }

  #detailsAt(place: number): Uint8Array {
    const { buffer, byteOffset } = this.#details.source(place).bytes
    return new Uint8Array(buffer, byteOffset + this.#details.start(place), this.#details.bytes(place))
  }

  /**
   * The body of a batch, in the order of the ids. It leaves out unknown ids; the extended view lists them in `missing`.
   * @param asked the ids as sent, for `missing`
   */
  batch(ids: IdList, view: View, asked: readonly string[] = []): Uint8Array {
    if (view === 'extended') return this.#fullCards.extendedBatch(ids, asked)
    if (view === 'full') return this.#fullCards.batch(ids)
    const records = this.#items
    const items = this.#batchItems
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
    this.#answer.start('{"data":[')
    this.#answer.addItems(items)
    return this.#answer.finish(']}')
  }

  /** Of cards that were found. */
  cardsPage(found: HitPage, view: View, limit: number, offset: number): Uint8Array {
    if (view === 'extended') return this.#fullCards.extendedPage(found, limit, offset)
    return (view === 'full' ? this.#fullCards : this.#summaries).page(found, limit, offset)
  }

  /** The body of a match, valid until the next call. */
  matches(matched: readonly Matched[]): Uint8Array {
    return this.#fullCards.matches(matched)
  }

  suggestions(names: NameList): Uint8Array {
    return this.#suggestions.list(names)
  }

  games(): Uint8Array {
    return this.#lists.games
  }

  /** All cards of the game, compressed by gzip; immutable. */
  bulk(game: number): Uint8Array {
    return this.#bulk[game]!
  }

  /** @param game the game's number, -1 for all games */
  setsPage(game: number, limit: number, offset: number): Uint8Array {
    const { setsAt, setCounts } = this.#lists
    const total = setCounts[game + 1]!
    const start = this.#listStarts[game + 1]!
    const from = Math.min(offset, total)
    const to = Math.min(offset + limit, total)
    const answer = this.#answer
    answer.start('{"data":[')
    if (to > from) answer.addBytes(this.#sets, setsAt[start + from]!, setsAt[start + to]! - ','.length)
    return answer.finish(envelopeEnd(total, limit, offset))
  }

  /** @param sets set numbers, of which a page is taken */
  setsFound(sets: readonly number[], limit: number, offset: number): Uint8Array {
    const { setsAt } = this.#lists
    const items = this.#setItems
    items.count = 0
    for (const set of sets.slice(offset, offset + limit)) {
      items.add(this.#sets, setsAt[set]!, setsAt[set + 1]! - ','.length)
    }
    this.#answer.start('{"data":[')
    this.#answer.addItems(items)
    return this.#answer.finish(envelopeEnd(sets.length, limit, offset))
  }

  /** The answer of a set's own address. */
  setDetails(set: number): Uint8Array {
    const { setsAt } = this.#lists
    const answer = this.#answer
    answer.start('{"data":')
    answer.addBytes(this.#sets, setsAt[set]!, setsAt[set + 1]! - '},'.length)
    answer.addBytes(this.#setEnds, this.#setEndsAt[set]!, this.#setEndsAt[set + 1]!)
    return answer.finish('')
  }

  /** A set's code as it is answered. */
  setCode(set: number): string {
    const { setsAt } = this.#lists
    const text = Buffer.from(this.#sets.bytes.slice(setsAt[set]!, setsAt[set + 1]! - ','.length))
    return JSON.parse(text.toString('utf8')).code
  }
}
