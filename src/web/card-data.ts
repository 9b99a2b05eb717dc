/** Cards, sets, history and movers for the pages, parsed from the API's own responses. */

import type { Match as Matched, MatchLine } from '../../clients/typescript/src/types.ts'
import type { Dataset } from '../api/dataset.ts'
import { lineOf } from '../api/match-request.ts'
import { moverCentsDefault, suggestLimitDefault } from '../api/parameters.ts'
import type { ResponseOf } from '../api/schemas.ts'
import { gameNumber } from '../games.ts'
import { directions, week } from '../indexes/changes-file.ts'
import { searchLimitMax } from '../limits.ts'
import { foldCase } from '../names/fold.ts'
import type { Sort } from '../search/scope/orders.ts'
import type { Filter, HitPage } from '../search/search.ts'

/** The number of cards on a page of search results. */
export const lookUpHitsMax = 20
/** A card's page shows this many cards of the same name from its set, and as many from other sets. */
const samePrintingsMax = 10

export type Card = ResponseOf<'card'>['data']
export type CardChanges = ResponseOf<'changes'>['data']
export type Change = CardChanges['changes']['7d']
export type Day = ResponseOf<'historyByPeriod'>['data']['history'][number]
export type ListedSet = ResponseOf<'setsPage'>['data'][number]
export type SetDetails = ResponseOf<'setDetails'>['data']
export type Game = ResponseOf<'games'>['data'][number]

export interface Hits {
  readonly total: number
  readonly cards: readonly Card[]
}

export interface Mover {
  readonly card: Card
  /** The newest price of the history. */
  readonly to: number | null
  readonly change: Change
}

const everyCard = { game: -1, set: undefined, rarity: undefined } as const satisfies Filter

/** The question of a look-up. It has a name, or a filter with a game or a set, or both. */
export interface Question {
  readonly name: string
  readonly filter: Filter
  readonly sort: Sort
}

/**
 * The card with that id, else the cards that a search finds. Without a name, the cards of a game or a set.
 * @param page from 0
 */
export function findCards({ search, catalog }: Dataset, { name, filter, sort }: Question, page: number): Hits {
  const own = name === '' ? undefined : catalog.detailsOf(name, 'extended')
  if (own !== undefined) return { total: 1, cards: page === 0 ? [read<Card>(own)] : [] }
  const paging = { limit: lookUpHitsMax, offset: page * lookUpHitsMax }
  const isListed = name === ''
  const order = isListed && sort === 'relevance' ? 'newest' : sort
  return hitsOf(catalog, isListed ? search.list(filter, {}, paging, order) : search.find(name, filter, paging, order))
}

/** The best hits for a name. */
export const bestHits = (data: Dataset, name: string): readonly Card[] =>
  findCards(data, { name, filter: everyCard, sort: 'relevance' }, 0).cards

const hitsOf = (catalog: Dataset['catalog'], found: HitPage): Hits => ({
  total: found.total,
  cards: read<Card[]>(catalog.cardsPage(found, 'extended', lookUpHitsMax, 0)),
})

/** The most expensive cards of a game. @param game the game's number */
export const dearestOf = (data: Dataset, game: number): readonly Card[] =>
  findCards(data, { name: '', filter: { ...everyCard, game }, sort: '-price' }, 0).cards

export interface Namesakes {
  /** Cards in the same set. */
  readonly inSet: readonly Card[]
  /** Cards in other sets, the newest set first. */
  readonly elsewhere: readonly Card[]
  /** True if there are more cards than these. */
  readonly hasMore: boolean
}

/** Other cards of the same name in the card's game. */
export function namesakesOf({ search, catalog }: Dataset, card: Card): Namesakes {
  const filter = { ...everyCard, game: gameNumber(card.game) }
  const isNamesake = ({ id, name }: Card) => id !== card.id && name === card.name
  const among = (within: Filter, limit: number) => {
    const found = search.find(card.name, within, { limit, offset: 0 }, 'relevance')
    return read<Card[]>(catalog.cardsPage(found, 'extended', limit, 0)).filter(isNamesake)
  }
  const inSet = among({ ...filter, set: card.setCode }, samePrintingsMax).filter(({ set }) => set === card.set)
  const elsewhere = among(filter, searchLimitMax).filter(({ setCode }) => setCode !== card.setCode)
  return { inSet, elsewhere: elsewhere.slice(0, samePrintingsMax), hasMore: elsewhere.length > samePrintingsMax }
}

/**
 * Names that begin with the typed text, or contain words that do. Each name occurs once.
 * @param game the game's number, -1 for all games
 */
export function namesLike({ search, catalog }: Dataset, typed: string, game: number): string[] {
  const suggested = read<{ name: string }[]>(catalog.suggestions(search.suggest(typed, game, suggestLimitDefault)))
  return [...new Set(suggested.map(({ name }) => name))]
}

/** The best sets whose names or codes match. */
export const setsLike = ({ search, catalog }: Dataset, typed: string, game: number): readonly ListedSet[] =>
  read<ListedSet[]>(catalog.setsFound(search.sets(typed, game), suggestLimitDefault, 0))

/** The set that a filter's `set` means. This is a code, else a name. Undefined if no set or several sets fit. */
export function setMeant(data: Dataset, text: string, game: number): SetDetails | undefined {
  const { search, catalog } = data
  const coded = search.setsWithCode(text, game)
  const named = coded.length > 0 ? coded : search.sets(text, game).filter((set) => isNamed(catalog, set, text))
  return named.length === 1 ? read<SetDetails>(catalog.setDetails(named[0]!)) : undefined
}

const isNamed = (catalog: Dataset['catalog'], set: number, text: string): boolean =>
  foldCase(read<ListedSet[]>(catalog.setsFound([set], 1, 0))[0]!.name) === foldCase(text)

/** @param set the set's number, from 0, in the order of `/v1/sets` */
export const setDetailsOf = ({ catalog }: Dataset, set: number): SetDetails => read<SetDetails>(catalog.setDetails(set))

/** The newest sets of all games. */
export const newestSets = ({ catalog }: Dataset, count: number): readonly ListedSet[] =>
  read<ListedSet[]>(catalog.setsPage(-1, count, 0))

export const gamesOf = ({ catalog }: Dataset): readonly Game[] => read<Game[]>(catalog.games())

export function matchOf({ match, catalog }: Dataset, question: MatchLine, candidatesMax: number): Matched {
  const line = lineOf(question)
  if (line === undefined) return { match: 'none', card: null, candidates: [] }
  return read<[Matched]>(catalog.matches([match.find(line, new Map(), candidatesMax)]))[0]
}

/** The card in the extended view. Undefined if no card has that id. */
export function cardOf({ catalog }: Dataset, id: string): Card | undefined {
  const details = catalog.detailsOf(id, 'extended')
  return details && read<Card>(details)
}

/** A card's prices, oldest first. @param days the length of the window, Infinity for all days */
export function historyOf({ catalog, history }: Dataset, id: string, days: number): readonly Day[] {
  return read<{ history: Day[] }>(history.body(catalog.find(id), id, '"period":"all"', days)).history
}

export const changesOf = ({ catalog, changes }: Dataset, id: string): CardChanges =>
  read<CardChanges>(changes.body(catalog.find(id), id))

/** The cards with the largest percentages. @param game the game's number, -1 for all games */
export function moversOfWeek(
  data: Dataset,
  game: number,
  direction: (typeof directions)[number],
  limit: number,
): readonly Mover[] {
  const movement = {
    period: week,
    direction: directions.indexOf(direction),
    by: 'percent',
    minCents: moverCentsDefault,
  } as const
  const moved = hitsOf(data.catalog, data.search.movers({ game, set: undefined }, movement, { limit, offset: 0 }))
  return moved.cards.map((card) => {
    const { market: to, changes } = changesOf(data, card.id)
    return { card, to, change: changes['7d'] ?? null }
  })
}

/** The API's response for a card, over several lines. An object or array without inner objects is on one line. */
export function answerText({ catalog }: Dataset, id: string): string {
  const answer = JSON.parse(Buffer.from(catalog.detailsOf(id)!).toString('utf8'))
  return JSON.stringify(answer, null, 2).replaceAll(/[[{][^[\]{}]*[\]}]/g, (inner) => {
    const line = inner.replaceAll(/\n\s*/g, ' ').replace(/^([[{]) (.*) ([\]}])$/, '$1$2$3')
    return line.length <= answerLineCharsMax ? line : inner
  })
}

const answerLineCharsMax = 48

/** Responses are in memory that threads share. Text can't be decoded from shared memory, so they are copied first. */
const read = <Data>(answer: Uint8Array): Data => JSON.parse(Buffer.from(answer).toString('utf8')).data
