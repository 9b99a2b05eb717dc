/**
 * The operations. An operation turns a request into the bytes of a 200, or into a problem. A server thread has one
 * `Answers` object, which owns everything that the operations keep between requests.
 */

import { type Body, Csv, type View } from '../catalog/card-fields.ts'
import { IdList } from '../catalog/id-list.ts'
import type { Games } from '../games.ts'
import type { Histories } from '../history/histories.ts'
import { batchIdsMax } from '../limits.ts'
import { type Exactly, readerOf, type Sent } from './asked.ts'
import { readBatch, readHistories, readPrices } from './batch-request.ts'
import type { Dataset } from './dataset.ts'
import {
  type CsvAsked,
  type CsvForm,
  cardsPage,
  csvAs,
  csvAskedBy,
  moversPage,
  type SearchAsked,
  searchPage,
  setsPage,
  suggestions,
} from './lists.ts'
import { readLines } from './match-request.ts'
import { misplacedOn } from './misplaced.ts'
import { hashOf, PageCache } from './page-cache.ts'
import { historyDays, historyPeriod, type Period } from './parameters.ts'
import type { Problem, Problems } from './problems.ts'
import { rawParameter } from './query-string.ts'
import { type AskedOf, type Operation, routes } from './routes.ts'

const noSuchSet = 'The game has no such set; /v1/sets?game=… lists those that it has.'
const noSuchGame = ({ slugs }: Games): string => `There is no such game; there are ${slugs.join(', ')}.`

/** The result of an operation. Only POSTs return `Histories`, so If-Match and If-None-Match never apply to them. */
export type Answer = Body | Histories | Problem

export const isBody = (answer: Answer): answer is Body => answer instanceof Uint8Array || answer instanceof Csv

export interface Request extends Sent {
  /** The body of a POST, empty otherwise. */
  readonly body: Uint8Array
  /** True if Accept-Encoding allows gzip. */
  readonly acceptsGzip: boolean
  /** The response's status if the operation finds what the request asks for. If-Match and If-None-Match decide it. */
  readonly statusIfFound: StatusIfFound
}

/** A request without parameters, body or conditions. */
export const emptyRequest: Request = {
  pathParameter: '',
  secondPathParameter: '',
  query: '',
  body: new Uint8Array(0),
  acceptsGzip: true,
  statusIfFound: 200,
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

/** An operation that reads exactly the parameters `Read`. */
type Operate<Read> = (data: Dataset, asked: Read, request: Request, problems: Problems) => Answer

const readers = new Map(
  routes.map(({ operation, declared }) => [operation, readerOf(declared, misplacedOn(operation))]),
)

/** Reads a request's parameters as its row declares them. Throws ParameterError. */
const askedOf = <Of extends Operation>(operation: Of, sent: Sent): AskedOf<Of> =>
  readers.get(operation)!(sent) as AskedOf<Of>

/** Makes the handler of an operation's GETs. It compiles only if `operate` reads what the operation's row declares. */
export const answering =
  <Of extends Operation, Read>(operation: Of, operate: Operate<Read> & Exactly<AskedOf<Of>, Read>): Answerer =>
  (data, request, problems) =>
    operate(data, askedOf(operation, request) as Read, request, problems)

export class Answers {
  /** Caches pages of all lists. */
  readonly pages: PageCache
  readonly #counts: AnswerCounts | undefined
  readonly #batchIds = new IdList(batchIdsMax)
  /**
   * The OpenAPI document, which the supervisor renders. The supervisor sends it before the server listens, so no
   * request finds it empty.
   */
  description: Uint8Array = new Uint8Array(0)

  constructor(counts?: AnswerCounts) {
    this.pages = new PageCache(counts?.pages)
    this.#counts = counts
  }

  readonly of: Readonly<Record<Operation, Answerer>> = {
    // A search with a bad parameter throws before it is counted.
    searchCards: this.#listing('searchCards', (data: Dataset, asked: SearchAsked) => {
      const from = performance.now()
      const page = searchPage(data, asked)
      this.#counts?.searched(performance.now() - from)
      return page
    }),
    suggestNames: this.#listing('suggestNames', suggestions),
    listCards: this.#listing('listCards', cardsPage),
    getCard: answering('getCard', getCard),
    getCardHistory: answering('getCardHistory', historyByPeriod),
    getCardPrices: answering('getCardPrices', historyByDays),
    getCardChanges: answering('getCardChanges', changes),
    listMovers: this.#listing('listMovers', moversPage),
    listSets: this.#listing('listSets', setsPage),
    getSet: answering('getSet', getSet),
    listGames: answering('listGames', ({ catalog }: Dataset, { view }: GamesAsked) => catalog.gamesBody(view)),
    batchCards: ({ catalog }, request, problems) => {
      const read = readBatch(request.body, this.#batchIds)
      if (typeof read === 'string') return problems.of(read)
      askedOf('batchCards', request)
      return catalog.batch(this.#batchIds, read.view, read.ids)
    },
    batchCardHistories: (data, request, problems) => {
      const read = readHistories(request.body)
      if (typeof read === 'string') return problems.of(read)
      askedOf('batchCardHistories', request)
      const { name, days } = historyPeriod.read(read.period)
      return historiesOf(data, read.ids, `"period":"${name}"`, days)
    },
    batchCardPrices: (data, request, problems) => {
      const read = readPrices(request.body)
      if (typeof read === 'string') return problems.of(read)
      askedOf('batchCardPrices', request)
      const { days = historyDays.read(undefined) } = read
      return historiesOf(data, read.ids, `"days":${days}`, days)
    },
    matchCards: ({ catalog, match }, request, problems) => {
      const lines = readLines(request.body)
      if ('code' in lines) return problems.saying(lines.code, lines.message)
      askedOf('matchCards', request)
      return catalog.matches(match.findAll(lines))
    },
    downloadCards: answering('downloadCards', downloadCards),
    getHealth: ({ health }) => health,
    getDescription: () => this.description,
  }

  /** Returns the list's page, from the cache if possible. */
  #listing<Of extends Operation, Read>(
    list: Of,
    make: ((data: Dataset, asked: Read) => Body) & Exactly<AskedOf<Of>, Read>,
  ): Answerer {
    return (data, request) => {
      const { pages } = this
      const { query } = request
      pages.useVersion(data.version)
      const hash = hashOf(list, query)
      const known = pages.get(list, query, hash)
      if (known !== undefined) return known
      const page = make(data, askedOf(list, request) as Read)
      // A query that contains a key must not stay in memory.
      if (rawParameter(query, 'api_key') === undefined) pages.add(list, query, hash, page)
      return page
    }
  }
}

interface GamesAsked {
  readonly view: 'summary' | 'extended'
}

interface CardAsked {
  readonly id: string
}

function getCard(
  { catalog }: Dataset,
  asked: CardAsked & CsvAsked & { readonly view: View },
  request: Request,
  problems: Problems,
): Answer {
  const { id } = asked
  const csv = csvAskedBy(asked)
  const shown = csv === undefined ? asked.view : 'full'
  if (request.statusIfFound !== 200 && catalog.find(id) !== -1) return noBytes
  const found = csv === undefined ? catalog.detailsOf(id, shown) : catalog.csvOf(id)
  return (found instanceof Csv ? csvAs(csv, found) : found) ?? problems.of('CARD_NOT_FOUND')
}

interface SetAsked {
  readonly game: string
  readonly code: string
}

function getSet({ catalog, search, games }: Dataset, asked: SetAsked, request: Request, problems: Problems): Answer {
  const ofGame = games.numberOf(asked.game)
  if (ofGame === -1) return problems.saying('NOT_FOUND', noSuchGame(games))
  const { code } = asked
  const sets = search.setsWithCode(code, ofGame)
  if (sets.length === 0) return problems.saying('NOT_FOUND', noSuchSet)
  if (request.statusIfFound !== 200) return noBytes
  // Two sets of a game may have codes that differ only in case. Then the set with the exact code is preferred.
  return catalog.setDetails(sets.find((one) => sets.length > 1 && catalog.setCode(one) === code) ?? sets[0]!)
}

type HistoryAsked = CardAsked & CsvAsked

function historyByPeriod(
  data: Dataset,
  asked: HistoryAsked & { readonly period: Period },
  request: Request,
  problems: Problems,
): Answer {
  const { name, days } = asked.period
  const body = historyOf(data, csvAskedBy(asked), days, `"period":"${name}"`)
  return ofCard(data, asked, request, body) ?? problems.of('CARD_NOT_FOUND')
}

function historyByDays(
  data: Dataset,
  asked: HistoryAsked & { readonly days: number },
  request: Request,
  problems: Problems,
): Answer {
  const { days } = asked
  const body = historyOf(data, csvAskedBy(asked), days, `"days":${days}`)
  return ofCard(data, asked, request, body) ?? problems.of('CARD_NOT_FOUND')
}

type BodyOfCard = (card: number, id: string) => Body

/**
 * Returns a function that renders the history of a card.
 * @param label the field that names the window of days, as JSON
 */
function historyOf({ history }: Dataset, csv: CsvForm | undefined, days: number, label: string): BodyOfCard {
  return (card, id) => (csv === undefined ? history.body(card, id, label, days) : csvAs(csv, history.csv(card, days)))
}

/** Returns the histories of the cards with these ids. An id that no card has is left out. */
function historiesOf({ catalog, history }: Dataset, ids: readonly string[], label: string, days: number): Histories {
  const found = ids.flatMap((id) => {
    const card = catalog.find(id)
    return card === -1 ? [] : { card, id }
  })
  const cards = found.map(({ card }) => card)
  return history.bodies(
    cards,
    found.map(({ id }) => id),
    label,
    days,
  )
}

function changes(data: Dataset, asked: CardAsked, request: Request, problems: Problems): Answer {
  return ofCard(data, asked, request, (card, id) => data.changes.body(card, id)) ?? problems.of('CARD_NOT_FOUND')
}

/** Returns the body for the card in the path; undefined if there is no such card. */
function ofCard({ catalog }: Dataset, { id }: CardAsked, request: Request, body: BodyOfCard): Body | undefined {
  const card = catalog.find(id)
  if (card === -1) return undefined
  return request.statusIfFound === 200 ? body(card, id) : noBytes
}

function downloadCards(
  { catalog, games }: Dataset,
  { game }: { readonly game: string },
  request: Request,
  problems: Problems,
): Answer {
  const number = games.numberOf(game)
  if (number === -1) return problems.saying('NOT_FOUND', noSuchGame(games))
  return request.statusIfFound !== 200 || request.acceptsGzip ? catalog.bulk(number) : problems.of('NOT_ACCEPTABLE')
}
