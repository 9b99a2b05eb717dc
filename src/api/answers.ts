/**
 * What each endpoint is answered with, by the row's operation: bytes to send, or a problem. Made once a server thread,
 * and all that its answers keep from one request to the next is here.
 */
import { IdList } from '../catalog/id-list.ts'
import { gameNumber, gameSlugs } from '../games.ts'
import { batchIdsMax } from '../limits.ts'
import type { Filter } from '../search/search.ts'
import { readBatch } from './batch-request.ts'
import type { Dataset } from './dataset.ts'
import { Pages } from './kept-pages.ts'
import { ParameterError } from './parameter-kinds.ts'
import {
  cardId,
  cardName,
  downloadedGame,
  game,
  historyDays,
  historyPeriod,
  listedBy,
  listSort,
  maxPrice,
  minPrice,
  movedBy,
  moverDirection,
  moverPeriod,
  moverPrice,
  number,
  offset,
  rarity,
  searchLimit,
  searchSort,
  set,
  setsLimit,
  suggestLimit,
  tcgplayerId,
  view,
} from './parameters.ts'
import type { Problem, Problems } from './problems.ts'
import { rawParameter } from './query.ts'
import type { Operation } from './routes.ts'

const noSuchGame = `There is no such game; there are ${gameSlugs.join(', ')}.`

export type Answer = Uint8Array | Problem

export interface Request {
  /** What stands for the parameter in the path, as it was sent; empty for paths without one. */
  readonly inPath: string
  /** The query as it was sent. */
  readonly query: string
  /** The body of a POST, empty otherwise. */
  readonly body: Uint8Array
  /** An answer that is kept packed can be sent as it is. */
  readonly acceptsGzip: boolean
  /** The caller has what this version answers: where that is right, it is not made again. */
  readonly isKnown: boolean
}

/** What stands for bytes that the caller has. */
const unsent = new Uint8Array(0)

/** Its bytes are good until the next answer is made. Throws ParameterError. */
export type Answerer = (data: Dataset, request: Request, problems: Problems) => Answer

/** Where a thread counts what its answers came from. */
export interface AnswerCounts {
  /** By `pageCounts`, of all lists. */
  readonly pages: Float64Array
  /** A search was computed, in so many ms. */
  searched(ms: number): void
}

export class Answers {
  /** Of cards that are searched or listed, and of names. */
  readonly searchPages: Pages
  readonly setsPages: Pages
  readonly #search: typeof searchPage
  readonly #batchIds = new IdList(batchIdsMax)
  /** The interface described, as it is sent. The supervisor makes it; who asks before has to wait. */
  description: Uint8Array = new Uint8Array(0)

  constructor(counts?: AnswerCounts) {
    this.searchPages = new Pages(counts?.pages)
    this.setsPages = new Pages(counts?.pages)
    this.#search = counts === undefined ? searchPage : timed(searchPage, counts)
  }

  readonly of: Readonly<Record<Operation, Answerer>> = {
    searchCards: (data, { query }) => kept(this.searchPages, lists.search, data, query, this.#search),
    suggestNames: (data, { query }) => kept(this.searchPages, lists.suggestions, data, query, suggestions),
    listCards: (data, { query }) => kept(this.searchPages, lists.cards, data, query, cardsPage),
    getCard: ({ catalog }, request, problems) => {
      const id = cardId.read(request.inPath)
      if (request.isKnown && catalog.find(id) !== -1) return unsent
      return catalog.detailsOf(id) ?? problems.of('CARD_NOT_FOUND')
    },
    getCardHistory: historyByPeriod,
    getCardPrices: historyByDays,
    getCardChanges: changes,
    listMovers: (data, { query }) => kept(this.searchPages, lists.movers, data, query, moversPage),
    listSets: (data, { query }) => kept(this.setsPages, lists.sets, data, query, setsPage),
    listGames: ({ catalog }) => catalog.games(),
    batchCards: ({ catalog }, { body }, problems) => {
      const read = readBatch(body, this.#batchIds)
      return read === 'summary' || read === 'full' ? catalog.batch(this.#batchIds, read) : problems.of(read)
    },
    downloadCards,
    getHealth: ({ health }) => health,
    getDescription: () => this.description,
  }
}

/** Searches that are refused for a parameter are not counted. */
function timed(search: typeof searchPage, counts: AnswerCounts): typeof searchPage {
  return (data, query) => {
    const from = performance.now()
    const page = search(data, query)
    counts.searched(performance.now() - from)
    return page
  }
}

/** By these numbers pages of different lists are told apart. */
const lists = { search: 0, suggestions: 1, cards: 2, sets: 3, movers: 4 } as const

/** The same page, of those asked for last from memory. */
function kept(
  pages: Pages,
  list: number,
  data: Dataset,
  query: string,
  make: (data: Dataset, query: string) => Uint8Array,
): Answer {
  pages.use(data.version)
  const known = pages.get(query, list)
  if (known !== undefined) return known
  const page = make(data, query)
  // A query that holds a key is that caller's alone, and a key is kept nowhere but with the accounts.
  if (rawParameter(query, 'api_key') === undefined) pages.add(query, list, page)
  return page
}

function searchPage({ search, catalog }: Dataset, query: string): Uint8Array {
  const name = cardName.read(query)
  const filter = filterOf(query)
  const sort = searchSort.read(query)
  const shown = view.read(query)
  const limit = searchLimit.read(query)
  const from = offset.read(query)
  return catalog.cardsPage(search.find(name, filter, limit, from, sort), shown, limit, from)
}

function cardsPage({ search, catalog }: Dataset, query: string): Uint8Array {
  const filter = filterOf(query)
  const product = tcgplayerId.read(query)
  if (filter.game === -1 && filter.set === undefined && product === undefined) {
    throw new ParameterError(`one of ${listedBy.map(({ name }) => name).join(', ')}`, 'given')
  }
  const sort = listSort.read(query)
  const shown = view.read(query)
  const limit = searchLimit.read(query)
  const from = offset.read(query)
  return catalog.cardsPage(search.list(filter, product, limit, from, sort), shown, limit, from)
}

/** What a search and a list are narrowed by. */
function filterOf(query: string): Filter {
  const [minCents, maxCents] = [minPrice.read(query), maxPrice.read(query)]
  if (minCents !== undefined && maxCents !== undefined && minCents > maxCents) {
    const allowed = `at most ${maxPrice.name}, which is ${maxCents / 100}`
    throw new ParameterError(minPrice.name, allowed, String(minCents / 100))
  }
  return {
    game: game.read(query),
    set: set.read(query),
    rarity: rarity.read(query),
    number: number.read(query),
    minCents,
    maxCents,
  }
}

function moversPage({ search, changes }: Dataset, query: string): Uint8Array {
  const filter = { game: game.read(query), set: set.read(query) }
  const period = moverPeriod.read(query)
  const direction = moverDirection.read(query)
  const by = movedBy.read(query)
  const minCents = moverPrice.read(query)
  const limit = searchLimit.read(query)
  const from = offset.read(query)
  return changes.moversPage(
    search.movers(filter, { period, direction, by, minCents }, limit, from),
    period,
    limit,
    from,
  )
}

function suggestions({ search, catalog }: Dataset, query: string): Uint8Array {
  return catalog.suggestions(search.suggest(cardName.read(query), game.read(query), suggestLimit.read(query)))
}

function setsPage({ catalog }: Dataset, query: string): Uint8Array {
  return catalog.setsPage(game.read(query), setsLimit.read(query), offset.read(query))
}

function historyByPeriod(data: Dataset, request: Request, problems: Problems): Answer {
  const { name, days } = historyPeriod.read(request.query)
  return history(data, request, `"period":"${name}"`, days, problems)
}

function historyByDays(data: Dataset, request: Request, problems: Problems): Answer {
  const days = historyDays.read(request.query)
  return history(data, request, `"days":${days}`, days, problems)
}

function history(data: Dataset, request: Request, label: string, days: number, problems: Problems): Answer {
  const id = cardId.read(request.inPath)
  const card = data.catalog.find(id)
  if (card === -1) return problems.of('CARD_NOT_FOUND')
  return request.isKnown ? unsent : data.history.body(card, id, label, days)
}

function changes(data: Dataset, request: Request, problems: Problems): Answer {
  const id = cardId.read(request.inPath)
  const card = data.catalog.find(id)
  if (card === -1) return problems.of('CARD_NOT_FOUND')
  return request.isKnown ? unsent : data.changes.body(card, id)
}

function downloadCards({ catalog }: Dataset, request: Request, problems: Problems): Answer {
  const number = gameNumber(downloadedGame.read(request.inPath))
  if (number === -1) return problems.saying('NOT_FOUND', noSuchGame)
  return request.isKnown || request.acceptsGzip ? catalog.bulk(number) : problems.of('NOT_ACCEPTABLE')
}
