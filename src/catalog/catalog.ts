/** Cards, sets and games of a version. Responses are copied from texts that the build has rendered. */

import { Games } from '../games.ts'
import { bulkFileName, bulkOfGames, readBulkFile } from '../indexes/bulk-file.ts'
import { type CardsPart, detailsStart, itemStart, readCardsPart } from '../indexes/cards-file.ts'
import { IndexError } from '../indexes/format.ts'
import { readIds } from '../indexes/ids-file.ts'
import { readListsFile } from '../indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/load.ts'
import { readSetsFile, type SetsFile } from '../indexes/sets-file.ts'
import { answerBytesMax, batchIdsMax, setsLimitMax, suggestLimitMax } from '../limits.ts'
import type { Matched } from '../match/line.ts'
import type { HitPage, NameList } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items, SharedText } from './answer-buffer.ts'
import { Csv, cardsHead, type View } from './card-fields.ts'
import { NumberedTexts, nowhere, Records } from './card-texts.ts'
import { FullCards } from './full-cards.ts'
import type { IdList } from './id-list.ts'

export class Catalog {
  readonly games: Games
  readonly #details: Records
  readonly #batchItems: Records
  readonly #summaries: NumberedTexts
  readonly #rows: NumberedTexts
  readonly #fullCards: FullCards
  readonly #suggestions: SharedText
  readonly #suggestionsAt: Uint32Array
  readonly #lists: SetsFile
  /** The gzip of all cards, by game. */
  readonly #bulk: readonly Uint8Array[]
  readonly #sets: SharedText
  readonly #setEnds: SharedText
  readonly #setEndsAt: Uint32Array
  /** Where each list of sets starts in `setsAt`: first the list of all games, then a list for each game. */
  readonly #listStarts: readonly number[]
  #extendedGames: Uint8Array | undefined
  readonly #items = new Items(Math.max(batchIdsMax, setsLimitMax, suggestLimitMax))
  readonly #answer = new AnswerBuffer()

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    const parts = partsOf(version, 'cards').map(readCardsPart)
    const slots = readIds(fileOf(version, 'ids.msgpack'))
    const ofParts = (name: keyof CardsPart) => parts.map((part) => part[name])
    this.#details = new Records(slots.details, ofParts('details'), detailsStart)
    this.#batchItems = new Records(slots.items, ofParts('items'), itemStart)
    this.#summaries = new NumberedTexts(ofParts('summaries'))
    this.#rows = new NumberedTexts(ofParts('rows'))
    this.#fullCards = new FullCards(this.#details, ofParts('extras'))
    const lists = readListsFile(fileOf(version, 'lists.msgpack'))
    this.#suggestions = new SharedText(lists.suggestions)
    this.#suggestionsAt = lists.suggestionsAt
    this.#setEnds = new SharedText(lists.setEnds)
    this.#setEndsAt = lists.setEndsAt
    this.#lists = readSetsFile(fileOf(version, 'catalog.msgpack'))
    this.games = new Games(this.#lists.games)
    this.#bulk = bulkOfGames(readBulkFile(fileOf(version, bulkFileName))).map(({ gzip }) => gzip)
    if (this.#bulk.length !== this.#lists.games.length) throw new IndexError(`${bulkFileName} has other games`)
    this.#sets = new SharedText(this.#lists.sets)
    let start = 0
    this.#listStarts = this.#lists.setCounts.map((count) => {
      start += count + 1
      return start - count - 1
    })
  }

  /** The card's index, or -1 if no card has that id. */
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

  /** The card as CSV, valid until the next call; undefined if no card has that id. */
  csvOf(id: string): Csv | undefined {
    const card = this.find(id)
    return card === -1 ? undefined : this.csv({ cards: Uint32Array.of(card), count: 1, total: 1 })
  }

  /** The body of a card's details. @param number the card's index */
  details(number: number): Uint8Array {
    return this.#detailsAt(this.#details.place(number))
  }

  #detailsAt(place: number): Uint8Array {
    const { buffer, byteOffset } = this.#details.source(place).bytes
    const length = this.#details.bytes(place)
    if (length > answerBytesMax) throw new RangeError('a card is too long')
    return new Uint8Array(buffer, byteOffset + this.#details.start(place), length)
  }

  /**
   * The body of a batch: the cards in the order of the ids. Ids that no card has are left out. The extended view lists
   * them in `missing`.
   * @param asked the ids as sent, which only the extended view needs
   */
  batch(ids: IdList, view: View, asked: readonly string[] = []): Uint8Array {
    if (view === 'extended') return this.#fullCards.extendedBatch(ids, asked)
    if (view === 'full') return this.#fullCards.batch(ids)
    const records = this.#batchItems
    const items = this.#items
    const { places, bytes } = records.findAll(ids)
    items.count = 0
    for (let i = 0; i < ids.count; i++) {
      const place = places[i]!
      if (place === nowhere) continue
      const start = records.start(place)
      items.add(records.source(place), start, start + bytes[i]!)
    }
    return this.#answer.list(items, ']}')
  }

  /** The body of a page of cards. */
  cardsPage(found: HitPage, view: View, limit: number, offset: number): Uint8Array {
    if (view === 'extended') return this.#fullCards.extendedPage(found, limit, offset)
    if (view === 'full') return this.#fullCards.page(found, limit, offset)
    return this.#answer.list(this.#summaries.itemsOf(found), envelopeEnd(found.total, limit, offset))
  }

  /** Cards as CSV, valid until the next call. */
  csv(found: HitPage): Csv {
    const answer = this.#answer
    answer.start(cardsHead)
    const items = this.#rows.itemsOf(found)
    answer.prefetch(items)
    for (let i = 0; i < found.count; i++) answer.addBytes(items.sources[i]!, items.from[i]!, items.to[i]!)
    return new Csv(answer.finish(''), found.total)
  }

  /** The body of a match, valid until the next call. */
  matches(matched: readonly Matched[]): Uint8Array {
    return this.#fullCards.matches(matched)
  }

  /** The body of suggestions, valid until the next call. @param names the numbers of names */
  suggestions({ names, count }: NameList): Uint8Array {
    const items = this.#items
    items.count = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      items.add(this.#suggestions, this.#suggestionsAt[name]!, this.#suggestionsAt[name + 1]!)
    }
    return this.#answer.list(items, ']}')
  }

  /** The body of the list of games. The extended view is rendered at the first call. */
  gamesBody(view: 'summary' | 'extended' = 'summary'): Uint8Array {
    if (view === 'summary') return this.#lists.gamesBody
    this.#extendedGames ??= extendedGames(this.#lists)
    return this.#extendedGames
  }

  /** All cards of the game, compressed by gzip. The caller must not change the bytes. */
  bulk(game: number): Uint8Array {
    return this.#bulk[game]!
  }

  /** The body of a page of sets. @param game the game's number, -1 for all games */
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

  /** The body of a page of the given sets. @param sets the numbers of all sets found, not only of the page's */
  setsFound(sets: readonly number[], limit: number, offset: number): Uint8Array {
    const { setsAt } = this.#lists
    const items = this.#items
    items.count = 0
    for (const set of sets.slice(offset, offset + limit)) {
      items.add(this.#sets, setsAt[set]!, setsAt[set + 1]! - ','.length)
    }
    return this.#answer.list(items, envelopeEnd(sets.length, limit, offset))
  }

  /** The body of a single set. */
  setDetails(set: number): Uint8Array {
    const { setsAt } = this.#lists
    const answer = this.#answer
    answer.start('{"data":')
    answer.addBytes(this.#sets, setsAt[set]!, setsAt[set + 1]! - '},'.length)
    answer.addBytes(this.#setEnds, this.#setEndsAt[set]!, this.#setEndsAt[set + 1]!)
    return answer.finish('')
  }

  /** A set's code as responses show it. */
  setCode(set: number): string {
    const { setsAt } = this.#lists
    const text = Buffer.from(this.#sets.bytes.slice(setsAt[set]!, setsAt[set + 1]! - ','.length))
    return JSON.parse(text.toString('utf8')).code
  }
}

/** The body of GET /v1/games with the language and the words of each game. */
function extendedGames({ games, gamesBody }: SetsFile): Uint8Array {
  const { data } = JSON.parse(Buffer.from(gamesBody).toString()) as { readonly data: readonly object[] }
  const rows = data.map((row, game) => ({ ...row, language: games[game]!.language, words: games[game]!.words }))
  return Buffer.from(JSON.stringify({ data: rows }))
}
