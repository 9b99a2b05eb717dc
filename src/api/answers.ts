/**
 * The operations. An operation turns a request into the bytes of a 200, or into a problem. A server thread has one
 * `Answers` object, which owns everything that the operations keep between requests.
 */

import { type Body, Csv } from '../catalog/card-fields.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { IdList } from '../catalog/id-list.ts'
import { gameNumber, gameSlugs } from '../games.ts'
import { batchIdsMax } from '../limits.ts'
import type { Filter, HitPage, Paging } from '../search/search.ts'
import { readBatch } from './batch-request.ts'
import type { Dataset } from './dataset.ts'
import { readLines } from './match-request.ts'
import { rejectMisplaced } from './misplaced.ts'
import { hashOf, PageCache } from './page-cache.ts'
import { ParameterError } from './parameter-kinds.ts'
import * as p from './parameters.ts'
import type { Problem, Problems } from './problems.ts'
import { rawParameter } from './query-string.ts'
import type { Operation } from './routes.ts'

const noSuchSet = 'The game has no such set; /v1/sets?game=… lists those that it has.'
const noSuchGame = `There is no such game; there are ${gameSlugs.join(', ')}.`

export type Answer = Body | Problem

export const isBody = (answer: Answer): answer is Body => answer instanceof Uint8Array || answer instanceof Csv

export interface Request {
  /** The path's first parameter, as sent; empty if the path has no parameter. */
  readonly pathParameter: string
  /** The path's second parameter, as sent; empty if the path has no second parameter. */
  readonly secondPathParameter: string
  /** The query, as sent. */
  readonly query: string
  /** The body of a POST, empty otherwise. */
  readonly body: Uint8Array
  /** True if Accept-Encoding allows gzip. */
  readonly acceptsGzip: boolean
  /** The response's status if the operation finds what the request asks for. If-Match and If-None-Match decide it. */
  readonly statusIfFound: StatusIfFound
}

/** 412 if If-Match does not list the served version. Otherwise 304 if If-None-Match lists it. Otherwise 200. */
export type StatusIfFound = 200 | 304 | 412

/** Stands for the body of a 304 or a 412. */
const noBytes = new Uint8Array(0)

/** Answers a request. The returned bytes are valid until the next answer. Throws ParameterError. */
export type Answerer = (data: Dataset, request: Request, problems: Problems) => Answer

/** Counters of a thread's answers. */
export interface AnswerCounts {
  /** The hits and the misses of the page cache, in the order of `pageCounts`. */
  readonly pages: Float64Array
  /** Counts a search. @param ms how long the search took */
  searched(ms: number): void
}

export class Answers {
  /** Caches pages of all lists. */
  readonly pages: PageCache
  readonly #search: typeof searchPage
  readonly #batchIds = new IdList(batchIdsMax)
  /**
   * The OpenAPI document, which the supervisor renders. The supervisor sends it before the server listens, so no
   * request finds it empty.
   */
  description: Uint8Array = new Uint8Array(0)

  constructor(counts?: AnswerCounts) {
    this.pages = new PageCache(counts?.pages)
    // A search with a bad parameter throws before it is counted.
    this.#search = (data, query) => {
      const from = performance.now()
      const page = searchPage(data, query)
      counts?.searched(performance.now() - from)
      return page
    }
  }

  readonly of: Readonly<Record<Operation, Answerer>> = {
    searchCards: (data, { query }) => this.#cached('searchCards', data, query, this.#search),
    suggestNames: (data, { query }) => this.#cached('suggestNames', data, query, suggestions),
    listCards: (data, { query }) => this.#cached('listCards', data, query, cardsPage),
    getCard: ({ catalog }, request, problems) => {
      const id = p.cardId.read(request.pathParameter)
      const { query } = request
      rejectMisplaced('getCard', query)
      const csv = query === '' ? undefined : csvAskedBy(query)
      const shown = query === '' || csv !== undefined ? 'full' : p.cardView.read(query)
      if (request.statusIfFound !== 200 && catalog.find(id) !== -1) return noBytes
      const found = csv === undefined ? catalog.detailsOf(id, shown) : catalog.csvOf(id)
      return (found instanceof Csv ? csvAs(csv, found) : found) ?? problems.of('CARD_NOT_FOUND')
    },
    getCardHistory: historyByPeriod,
    getCardPrices: historyByDays,
    getCardChanges: changes,
    listMovers: (data, { query }) => this.#cached('listMovers', data, query, moversPage),
    listSets: (data, { query }) => this.#cached('listSets', data, query, setsPage),
    getSet,
    listGames: ({ catalog }, { query }) => {
      rejectMisplaced('listGames', query)
      return catalog.games()
    },
    batchCards: ({ catalog }, { body, query }, problems) => {
      const read = readBatch(body, this.#batchIds)
      if (typeof read === 'string') return problems.of(read)
      rejectMisplaced('batchCards', query)
      return catalog.batch(this.#batchIds, read.view, read.ids)
    },
    matchCards: ({ catalog, match }, { body, query }, problems) => {
      const lines = readLines(body)
      if ('code' in lines) return problems.saying(lines.code, lines.message)
      rejectMisplaced('matchCards', query)
      return catalog.matches(match.findAll(lines))
    },
    downloadCards,
    getHealth: ({ health }) => health,
    getDescription: () => this.description,
  }

  /** The list's page, from the cache if possible. */
  #cached(list: Operation, data: Dataset, query: string, make: (data: Dataset, query: string) => Body): Answer {
    const { pages } = this
    pages.useVersion(data.version)
    const hash = hashOf(list, query)
    const known = pages.get(list, query, hash)
    if (known !== undefined) return known
    rejectMisplaced(list, query)
    const page = make(data, query)
    // A query that contains a key must not stay in memory.
    if (rawParameter(query, 'api_key') === undefined) pages.add(list, query, hash, page)
    return page
  }
}

type CsvForm = 'plain' | 'marked'

/** The form of CSV that a query asks for; undefined if it asks for JSON. CSV ignores the view. */
function csvAskedBy(query: string): CsvForm | undefined {
  const isCsv = p.format.read(query) === 'csv'
  const form = p.bom.read(query) === '1' ? 'marked' : 'plain'
  return isCsv ? form : undefined
}

const csvAs = (form: CsvForm | undefined, csv: Csv): Csv => (form === 'marked' ? csv.marked() : csv)

function searchPage({ search, catalog }: Dataset, query: string): Body {
  const name = p.cardName.read(query)
  const filter = filterOf(query)
  const sort = p.searchSort.read(query)
  return pageOf(catalog, query, (paging) => search.find(name, filter, paging, sort))
}

function cardsPage({ search, catalog }: Dataset, query: string): Body {
  const filter = filterOf(query)
  const ids = {
    tcgplayer: p.tcgplayerId.read(query),
    scryfall: p.scryfallId.read(query),
    mtgjson: p.mtgjsonId.read(query),
    cardmarket: p.cardmarketId.read(query),
  }
  const isListed = filter.game !== -1 || filter.set !== undefined || Object.values(ids).some((id) => id !== undefined)
  if (!isListed) {
    throw new ParameterError(`one of ${p.listedBy.map(({ name }) => name).join(', ')}`, 'given')
  }
  const sort = p.listSort.read(query)
  return pageOf(catalog, query, (paging) => search.list(filter, ids, paging, sort))
}

function pageOf(catalog: Catalog, query: string, found: (paging: Paging) => HitPage): Body {
  const csv = csvAskedBy(query)
  const shown = csv === undefined ? p.view.read(query) : 'csv'
  const limit = p.searchLimit.read(query)
  const from = p.offset.read(query)
  const page = found({ limit, offset: from })
  return shown === 'csv' ? csvAs(csv, catalog.csv(page)) : catalog.cardsPage(page, shown, limit, from)
}

/** The filter of a search or a list. */
function filterOf(query: string): Filter {
  const [minCents, maxCents] = [p.minPrice.read(query), p.maxPrice.read(query)]
  if (minCents !== undefined && maxCents !== undefined && minCents > maxCents) {
    const allowed = `at most ${p.maxPrice.name}, which is ${maxCents / 100}`
    throw new ParameterError(p.minPrice.name, allowed, String(minCents / 100))
  }
  return {
    game: p.game.read(query),
    set: p.set.read(query),
    rarity: p.rarity.read(query),
    printing: p.printing.read(query),
    number: p.number.read(query),
    minCents,
    maxCents,
    changedSince: p.changedSince.read(query),
  }
}

function moversPage({ search, changes }: Dataset, query: string): Body {
  const filter = { game: p.game.read(query), set: p.set.read(query) }
  const period = p.moverPeriod.read(query)
  const direction = p.moverDirection.read(query)
  const by = p.movedBy.read(query)
  const minCents = p.moverPrice.read(query)
  const limit = p.searchLimit.read(query)
  const from = p.offset.read(query)
  const csv = csvAskedBy(query)
  const found = search.movers(filter, { period, direction, by, minCents }, { limit, offset: from })
  if (csv !== undefined) return csvAs(csv, changes.moversCsv(found, period))
  return changes.moversPage(found, period, limit, from)
}

function suggestions({ search, catalog }: Dataset, query: string): Uint8Array {
  return catalog.suggestions(search.suggest(p.cardName.read(query), p.game.read(query), p.suggestLimit.read(query)))
}

function setsPage({ catalog, search }: Dataset, query: string): Uint8Array {
  const name = p.setName.read(query)
  const ofGame = p.game.read(query)
  const limit = p.setsLimit.read(query)
  const from = p.offset.read(query)
  if (name === undefined) return catalog.setsPage(ofGame, limit, from)
  return catalog.setsFound(search.sets(name, ofGame), limit, from)
}

function getSet({ catalog, search }: Dataset, request: Request, problems: Problems): Answer {
  rejectMisplaced('getSet', request.query)
  const ofGame = gameNumber(p.gameInPath.read(request.pathParameter))
  if (ofGame === -1) return problems.saying('NOT_FOUND', noSuchGame)
  const code = p.setCode.read(request.secondPathParameter)
  const sets = search.setsWithCode(code, ofGame)
  if (sets.length === 0) return problems.saying('NOT_FOUND', noSuchSet)
  if (request.statusIfFound !== 200) return noBytes
  // Two sets of a game may have codes that differ only in case. Then the set with the exact code is preferred.
  return catalog.setDetails(sets.find((one) => sets.length > 1 && catalog.setCode(one) === code) ?? sets[0]!)
}

function historyByPeriod(data: Dataset, request: Request, problems: Problems): Answer {
  rejectMisplaced('getCardHistory', request.query)
  const { name, days } = p.historyPeriod.read(request.query)
  return ofCard(data, request, problems, historyOf(data, request.query, days, `"period":"${name}"`))
}

function historyByDays(data: Dataset, request: Request, problems: Problems): Answer {
  rejectMisplaced('getCardPrices', request.query)
  const days = p.historyDays.read(request.query)
  return ofCard(data, request, problems, historyOf(data, request.query, days, `"days":${days}`))
}

type BodyOfCard = (card: number, id: string) => Body

/** A function that renders the history of a card. @param label the field that names the window of days, as JSON */
function historyOf({ history }: Dataset, query: string, days: number, label: string): BodyOfCard {
  const csv = csvAskedBy(query)
  return (card, id) => (csv === undefined ? history.body(card, id, label, days) : csvAs(csv, history.csv(card, days)))
}

function changes(data: Dataset, request: Request, problems: Problems): Answer {
  rejectMisplaced('getCardChanges', request.query)
  return ofCard(data, request, problems, (card, id) => data.changes.body(card, id))
}

/** The body for the card in the path. */
function ofCard({ catalog }: Dataset, request: Request, problems: Problems, body: BodyOfCard): Answer {
  const id = p.cardId.read(request.pathParameter)
  const card = catalog.find(id)
  if (card === -1) return problems.of('CARD_NOT_FOUND')
  return request.statusIfFound === 200 ? body(card, id) : noBytes
}

function downloadCards({ catalog }: Dataset, request: Request, problems: Problems): Answer {
  rejectMisplaced('downloadCards', request.query)
  const number = gameNumber(p.gameInPath.read(request.pathParameter))
  if (number === -1) return problems.saying('NOT_FOUND', noSuchGame)
  return request.statusIfFound !== 200 || request.acceptsGzip ? catalog.bulk(number) : problems.of('NOT_ACCEPTABLE')
}
