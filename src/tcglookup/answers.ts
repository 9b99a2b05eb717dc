/**
 * The operations of the compatibility API for clients of TCG Price Lookup. Each operation parses the JSON that `/v1`
 * sends and renders it in the other format at each request. So requests to `/v1` do not pay for it.
 */
import type { Answer, Answerer, Request } from '../api/answers.ts'
import { type Exactly, readerOf } from '../api/asked.ts'
import type { Dataset } from '../api/dataset.ts'
import type { Period } from '../api/parameters.ts'
import type { Problems } from '../api/problems.ts'
import type { ResponseOf } from '../api/schemas.ts'
import { IdList } from '../catalog/id-list.ts'
import type { Paging } from '../search/search.ts'
import { cardOf, foundCardOf, type OurCard } from './card.ts'
import { gameAsked } from './games.ts'
import { type AskedOf, type Operation, tcglookupRoutes } from './routes.ts'
import { type HistoryRow, idsMax } from './shapes.ts'
import { parsed, VersionFacts } from './version-facts.ts'

/** The client packages show prices in dollars, and have no field for a currency. */
const otherCurrency =
  'These prices are not in US dollars, and the packages for TCG Price Lookup know dollars only; use /v1, which names the currency.'

/** Stands for the body of a 304 or a 412. */
const noBytes = new Uint8Array(0)
const noMisplaced: ReadonlyMap<string, string> = new Map()

type Operate<Read> = (data: Dataset, asked: Read, request: Request, facts: VersionFacts) => Uint8Array | undefined

/** Makes the handler of an operation's GETs. It compiles only if `operate` reads what the operation's row declares. */
function answering<Of extends Operation, Read>(
  operation: Of,
  operate: Operate<Read> & Exactly<AskedOf<Of>, Read>,
): Answerer {
  const read = readerOf(tcglookupRoutes.find((route) => route.operation === operation)!.declared, noMisplaced)
  return (data: Dataset, request: Request, problems: Problems): Answer => {
    const facts = VersionFacts.of(data)
    if (!facts.isInDollars) return problems.saying('NOT_FOUND', otherCurrency)
    return operate(data, read(request) as Read, request, facts) ?? problems.of('CARD_NOT_FOUND')
  }
}

const bodyOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

interface SearchAsked extends Paging {
  readonly name: string
  readonly ids: readonly string[]
  readonly game: string | undefined
  readonly set: string | undefined
}

const askedIds = new IdList(idsMax)

function searchCards(
  { catalog, search, games }: Dataset,
  asked: SearchAsked,
  _: Request,
  facts: VersionFacts,
): Uint8Array {
  const { ids } = asked
  if (ids.length > 0) {
    askedIds.takeAll(ids)
    const { data } = parsed<{ data: readonly OurCard[] }>(catalog.batch(askedIds, 'extended', ids))
    const cards = data.map((card) => foundCardOf(card, facts))
    return bodyOf({ data: cards, total: cards.length, limit: idsMax, offset: 0 })
  }
  const { name, limit, offset } = asked
  const filter = { ...facts.filterOf(asked.set, gameAsked(games, asked.game)), rarity: undefined }
  const paging = { limit, offset }
  const found = name === '' ? search.list(filter, {}, paging, 'newest') : search.find(name, filter, paging)
  const { data, total } = parsed<{ data: readonly OurCard[]; total: number }>(
    catalog.cardsPage(found, 'extended', limit, offset),
  )
  return bodyOf({ data: data.map((card) => foundCardOf(card, facts)), total, limit, offset })
}

interface CardAsked {
  readonly id: string
}

function getCard(
  { catalog }: Dataset,
  { id }: CardAsked,
  request: Request,
  facts: VersionFacts,
): Uint8Array | undefined {
  if (request.statusIfFound !== 200 && catalog.find(id) !== -1) return noBytes
  const found = catalog.detailsOf(id, 'extended')
  return found && bodyOf(cardOf(parsed<{ data: OurCard }>(found).data, facts))
}

interface HistoryAsked extends CardAsked {
  readonly period: Period
}

function getHistory({ catalog, history }: Dataset, asked: HistoryAsked, request: Request): Uint8Array | undefined {
  const { name, days } = asked.period
  const { id } = asked
  const card = catalog.find(id)
  if (card === -1) return undefined
  if (request.statusIfFound !== 200) return noBytes
  const { data } = parsed<ResponseOf<'historyByPeriod'>>(history.body(card, id, `"period":"${name}"`, days))
  return bodyOf({
    data: data.history.map(({ date, market, low, high }) => ({ date, prices: [rowOf(market, low, high)] })),
    period: name,
  })
}

type Price = number | null

const rowOf = (market: Price, low: Price, high: Price): HistoryRow => ({
  source: 'tcgplayer',
  condition: 'near_mint',
  grader: null,
  grade: null,
  price_market: market,
  price_low: low,
  price_mid: null,
  price_high: high,
  avg_1d: null,
  avg_7d: null,
  avg_30d: null,
})

interface SetsAsked extends Paging {
  readonly game: string | undefined
}

function listSets({ games }: Dataset, asked: SetsAsked, _request: Request, facts: VersionFacts): Uint8Array {
  const game = gameAsked(games, asked.game)
  const { limit, offset } = asked
  const sets = game === -1 ? facts.sets : facts.setsOf(game)
  return bodyOf({ data: sets.slice(offset, offset + limit), total: sets.length, limit, offset })
}

function listGames(_: Dataset, { limit, offset }: Paging, _request: Request, { games }: VersionFacts): Uint8Array {
  return bodyOf({ data: games.slice(offset, offset + limit), total: games.length, limit, offset })
}

export const tcglookupAnswers: Readonly<Record<Operation, Answerer>> = {
  searchCards: answering('searchCards', searchCards),
  getCard: answering('getCard', getCard),
  getHistory: answering('getHistory', getHistory),
  listSets: answering('listSets', listSets),
  listGames: answering('listGames', listGames),
}
