/**
 * What each endpoint is answered with, by the row's operation: bytes to send, or a problem. Made once a server thread,
 * and all that its answers keep from one request to the next is here.
 */
import { IdList } from '../catalog/id-list.ts'
import { gameNumber, gameSlugs } from '../games.ts'
import { batchIdsMax } from '../limits.ts'
import { readBatch } from './batch-request.ts'
import type { Dataset } from './dataset.ts'
import { Pages } from './kept-pages.ts'
import {
  cardId,
  cardName,
  downloadedGame,
  game,
  historyDays,
  historyPeriod,
  offset,
  rarity,
  searchLimit,
  set,
  setsLimit,
} from './parameters.ts'
import type { Problem, Problems } from './problems.ts'
import { rawParameter } from './query.ts'
import type { Operation } from './routes.ts'
import type { Shaped } from './shapes.ts'

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
}

/** Its bytes are good until the next answer is made. Throws ParameterError. */
export type Answerer = (data: Dataset, request: Request, problems: Problems) => Answer

export class Answers {
  readonly searchPages = new Pages()
  readonly setsPages = new Pages()
  readonly #batchIds = new IdList(batchIdsMax)

  readonly of: Readonly<Record<Operation, Answerer>> = {
    searchCards: (data, { query }) => kept(this.searchPages, data, query, searchPage),
    getCard: ({ catalog }, { inPath }, problems) =>
      catalog.detailsOf(cardId.read(inPath)) ?? problems.of('CARD_NOT_FOUND'),
    getCardHistory: historyByPeriod,
    getCardPrices: historyByDays,
    listSets: (data, { query }) => kept(this.setsPages, data, query, setsPage),
    listGames: ({ catalog }) => catalog.games(),
    batchCards: ({ catalog }, { body }, problems) => {
      const wrong = readBatch(body, this.#batchIds)
      return wrong === undefined ? catalog.batch(this.#batchIds) : problems.of(wrong)
    },
    downloadCards,
    getHealth: health,
  }
}

/** The same page, of those asked for last from memory. */
function kept(pages: Pages, data: Dataset, query: string, make: (data: Dataset, query: string) => Uint8Array): Answer {
  pages.use(data.version)
  const known = pages.get(query)
  if (known !== undefined) return known
  const page = make(data, query)
  // A query that holds a key is that caller's alone, and a key is kept nowhere but with the accounts.
  if (rawParameter(query, 'api_key') === undefined) pages.add(query, page)
  return page
}

function searchPage({ search, catalog }: Dataset, query: string): Uint8Array {
  const name = cardName.read(query)
  const filter = { game: game.read(query), set: set.read(query), rarity: rarity.read(query) }
  const limit = searchLimit.read(query)
  const from = offset.read(query)
  return catalog.searchPage(search.find(name, filter, limit, from), limit, from)
}

function setsPage({ catalog }: Dataset, query: string): Uint8Array {
  return catalog.setsPage(game.read(query), setsLimit.read(query), offset.read(query))
}

function historyByPeriod(data: Dataset, { inPath, query }: Request, problems: Problems): Answer {
  const { name, days } = historyPeriod.read(query)
  return history(data, cardId.read(inPath), `"period":"${name}"`, days, problems)
}

function historyByDays(data: Dataset, { inPath, query }: Request, problems: Problems): Answer {
  const days = historyDays.read(query)
  return history(data, cardId.read(inPath), `"days":${days}`, days, problems)
}

function history({ catalog, history }: Dataset, id: string, label: string, days: number, problems: Problems): Answer {
  const card = catalog.find(id)
  return card === -1 ? problems.of('CARD_NOT_FOUND') : history.body(card, id, label, days)
}

function downloadCards({ catalog }: Dataset, { inPath, acceptsGzip }: Request, problems: Problems): Answer {
  const number = gameNumber(downloadedGame.read(inPath))
  if (number === -1) return problems.saying('NOT_FOUND', noSuchGame)
  return acceptsGzip ? catalog.bulk(number) : problems.of('NOT_ACCEPTABLE')
}

function health({ version, asOf, cardCount, about: { currency } }: Dataset): Answer {
  const told: Shaped<'health'> = { status: 'ok', version, asOf, cards: cardCount, ...(currency && { currency }) }
  return Buffer.from(JSON.stringify(told))
}
