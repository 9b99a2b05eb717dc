/** Cards, sets, history and movers for the pages, parsed from the API's own responses. */

import type { Dataset } from '../../api/dataset.ts'
import { lineOf } from '../../api/match-request.ts'
import { moverCentsDefault, suggestLimitDefault } from '../../api/parameters.ts'
import type { ResponseOf } from '../../api/schemas.ts'
import { directions, week } from '../../indexes/changes-file.ts'
import { searchLimitMax } from '../../limits.ts'
import { KnownGames } from '../../lists/known-games.ts'
import { KnownSets } from '../../lists/known-sets.ts'
import { foldCase } from '../../names/fold.ts'
import type { Sort } from '../../search/scope/orders.ts'
import type { IdsElsewhere } from '../../search/scope/scope-lists.ts'
import type { Filter, HitPage } from '../../search/search.ts'

/** The number of cards on a page of search results. */
export const lookUpHitsMax = 20
/**
 * A card's page shows at most this many other printings, and at most as many cards of the same name from other sets.
 */
const samePrintingsMax = 10

/** How many sets are parsed at a time. */
const setsAtOnce = 50

export type Card = ResponseOf<'card'>['data']
export type CardChanges = ResponseOf<'changes'>['data']
export type Change = CardChanges['changes']['7d']
export type Day = ResponseOf<'historyByPeriod'>['data']['history'][number]
export type ListedSet = ResponseOf<'setsPage'>['data'][number]
export type SetDetails = ResponseOf<'setDetails'>['data']
export type Game = ResponseOf<'games'>['data'][number]

export interface Matched {
  readonly match: ResponseOf<'matches'>['data'][number]['match']
  readonly card: Card | null
  readonly candidates: readonly Card[]
}

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
 * Returns the card whose id is the name, or else the cards that a search finds. If the name is empty, returns the cards
 * of a game or a set.
 * @param page from 0
 */
export function findCards({ search, catalog }: Dataset, { name, filter, sort }: Question, page: number): Hits {
  const own = name === '' ? undefined : catalog.detailsOf(name, 'extended')
  if (own !== undefined) return { total: 1, cards: page === 0 ? [read<Card>(own)] : [] }
  const paging = { limit: lookUpHitsMax, offset: page * lookUpHitsMax }
  if (name !== '') return hitsOf(catalog, search.find(name, filter, paging, sort))
  return hitsOf(catalog, search.list(filter, {}, paging, sort === 'relevance' ? 'newest' : sort))
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
  /** Other printings: cards of the same product, and cards of the same set that have the same name. */
  readonly printings: readonly Card[]
  /** Cards of the same name in other sets, the newest set first. */
  readonly elsewhere: readonly Card[]
  /** True if there are more cards than these. */
  readonly hasMore: boolean
}

/** Returns the name without the printing that an import adds: `Pineco` for `Pineco [Reverse Holofoil]`. */
export function plainNameOf({ name, printing }: Card): string {
  const added = ` [${printing}]`
  return printing && name.endsWith(added) ? name.slice(0, -added.length) : name
}

/** Returns the other cards of the card's product, in any printing, and the other cards of its name in its game. */
export function namesakesOf({ search, catalog, games }: Dataset, card: Card): Namesakes {
  const name = plainNameOf(card)
  const ofGame = { ...everyCard, game: games.numberOf(card.game) }
  const paging = { limit: searchLimitMax, offset: 0 }
  const othersIn = (found: HitPage) =>
    read<Card[]>(catalog.cardsPage(found, 'extended', searchLimitMax, 0)).filter(({ id }) => id !== card.id)
  const named = (within: Filter) =>
    othersIn(search.find(name, within, paging, 'relevance')).filter((other) => plainNameOf(other) === name)
  const products = productIdsOf(card).flatMap((ids) => othersIn(search.list(ofGame, ids, paging, 'newest')))
  const inSet = named({ ...ofGame, set: card.setCode }).filter(({ setCode }) => setCode === card.setCode)
  const printings = [...new Map([...products, ...inSet].map((other) => [other.id, other])).values()]
  const elsewhere = named(ofGame).filter(
    ({ id, setCode }) => setCode !== card.setCode && !products.some((other) => other.id === id),
  )
  return {
    printings: printings.slice(0, samePrintingsMax),
    elsewhere: elsewhere.slice(0, samePrintingsMax),
    hasMore: Math.max(printings.length, elsewhere.length) > samePrintingsMax,
  }
}

/** Returns the ids that printings of one product share, each for a search of its own. */
const productIdsOf = ({ tcgplayerId, scryfallId, mtgjsonId }: Card): readonly IdsElsewhere[] => [
  ...(tcgplayerId == null ? [] : [{ tcgplayer: tcgplayerId }]),
  ...(scryfallId == null ? [] : [{ scryfall: scryfallId }]),
  ...(mtgjsonId == null ? [] : [{ mtgjson: mtgjsonId }]),
]

/**
 * Returns names that begin with the typed text, or contain words that do. Each name occurs once.
 * @param game the game's number, -1 for all games
 */
export function namesLike({ search, catalog }: Dataset, typed: string, game: number): string[] {
  const suggested = read<{ name: string }[]>(catalog.suggestions(search.suggest(typed, game, suggestLimitDefault)))
  return [...new Set(suggested.map(({ name }) => name))]
}

/** The best sets whose names or codes match. */
export const setsLike = ({ search, catalog }: Dataset, typed: string, game: number): readonly ListedSet[] =>
  read<ListedSet[]>(catalog.setsFound(search.sets(typed, game), suggestLimitDefault, 0))

/**
 * Returns the set that a filter's `set` names, by its code or else by its name. Undefined if no set fits, or several
 * do.
 */
export function setMeant(data: Dataset, text: string, game: number): SetDetails | undefined {
  const { search, catalog } = data
  const coded = search.setsWithCode(text, game)
  const named = coded.length > 0 ? coded : search.sets(text, game).filter((set) => isNamed(catalog, set, text))
  return named.length === 1 ? read<SetDetails>(catalog.setDetails(named[0]!)) : undefined
}

const isNamed = (catalog: Dataset['catalog'], set: number, text: string): boolean =>
  foldCase(read<ListedSet[]>(catalog.setsFound([set], 1, 0))[0]!.name) === foldCase(text)

/** Returns a page of the cards of a set, in the order of their numbers. */
export function cardsOfSetFrom(data: Dataset, set: Pick<ListedSet, 'game' | 'code'>, offset: number): readonly Card[] {
  return read<Card[]>(data.catalog.cardsPage(pageOfSet(data, set, offset), 'extended', searchLimitMax, offset))
}

/** Returns the same page as the API's CSV. Only the first page has the header row. */
export function csvOfSetFrom(data: Dataset, set: Pick<ListedSet, 'game' | 'code'>, offset: number): string {
  const csv = Buffer.from(data.catalog.csv(pageOfSet(data, set, offset)).body).toString()
  return offset === 0 ? csv : csv.slice(csv.indexOf('\n') + 1)
}

const pageOfSet = (
  { search, games }: Dataset,
  { game, code }: Pick<ListedSet, 'game' | 'code'>,
  offset: number,
): HitPage =>
  search.list({ ...everyCard, game: games.numberOf(game), set: code }, {}, { limit: searchLimitMax, offset }, 'newest')

/** Cards by their indexes. There are at most `searchLimitMax`. */
export const cardsAt = ({ catalog }: Dataset, cards: Uint32Array): readonly Card[] =>
  read<Card[]>(catalog.cardsPage({ cards, count: cards.length, total: cards.length }, 'extended', cards.length, 0))

/** @param set the set's number, from 0, in the order of `/v1/sets` */
export const setDetailsOf = ({ catalog }: Dataset, set: number): SetDetails => read<SetDetails>(catalog.setDetails(set))

/** A page of the sets of all games, the newest first. */
export const setsFrom = ({ catalog }: Dataset, offset: number, count: number): readonly ListedSet[] =>
  read<ListedSet[]>(catalog.setsPage(-1, count, offset))

const knownGamesOfData = new WeakMap<Dataset, KnownGames>()

/** The names of all games, collected once for each version. */
export function knownGamesOf(data: Dataset): KnownGames {
  const known = knownGamesOfData.get(data) ?? new KnownGames(data.games.rows)
  knownGamesOfData.set(data, known)
  return known
}

const knownSetsOfData = new WeakMap<Dataset, KnownSets>()

/** The names and codes of all sets, collected once for each version. */
export async function knownSetsOf(data: Dataset, pause: () => Promise<void>): Promise<KnownSets> {
  const known = knownSetsOfData.get(data)
  if (known !== undefined) return known
  const sets = new KnownSets()
  for (let offset = 0; ; offset += setsAtOnce) {
    const some = read<ListedSet[]>(data.catalog.setsPage(-1, setsAtOnce, offset))
    sets.add(some)
    if (some.length < setsAtOnce) break
    await pause()
  }
  knownSetsOfData.set(data, sets)
  return sets
}

/** The games that have cards. */
export const gamesOf = ({ catalog }: Dataset): readonly Game[] =>
  read<Game[]>(catalog.gamesBody()).filter(({ cardCount }) => cardCount > 0)

export function matchOf({ match, catalog }: Dataset, question: object, candidatesMax: number): Matched {
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

/**
 * Returns the API's response for a card, over several lines. An object or array without inner objects is on one line.
 */
export function answerText({ catalog }: Dataset, id: string): string {
  const answer = JSON.parse(Buffer.from(catalog.detailsOf(id)!).toString('utf8'))
  return JSON.stringify(answer, null, 2).replaceAll(/[[{][^[\]{}]*[\]}]/g, (inner) => {
    const line = inner.replaceAll(/\n\s*/g, ' ').replace(/^([[{]) (.*) ([\]}])$/, '$1$2$3')
    return line.length <= answerLineCharsMax ? line : inner
  })
}

const answerLineCharsMax = 48

/**
 * Parses a response. Responses are in memory that threads share, from which text can't be decoded, so this copies
 * first.
 */
const read = <Data>(answer: Uint8Array): Data => JSON.parse(Buffer.from(answer).toString('utf8')).data
