/** Cards, history and movers for the pages, parsed from the API's own responses. */
import type { Match as Matched, MatchLine } from '../../clients/typescript/src/types.ts'
import type { Dataset } from '../api/dataset.ts'
import { lineOf } from '../api/match-request.ts'
import type { ResponseOf } from '../api/schemas.ts'
import { directions, week } from '../indexes/changes-file.ts'
import { lookUpHitsMax, moverCentsDefault, suggestLimitDefault } from '../limits.ts'

export type Card = ResponseOf<'card'>['data']
export type CardChanges = ResponseOf<'changes'>['data']
export type Mover = ResponseOf<'mover'>
export type Day = ResponseOf<'historyByPeriod'>['data']['history'][number]

export interface Hits {
  readonly total: number
  readonly cards: readonly Card[]
}

/** The card with that id, or those that a search finds. @param page from 0 */
export function findCards({ search, catalog }: Dataset, name: string, page: number): Hits {
  const own = catalog.detailsOf(name.trim())
  if (own !== undefined) return { total: 1, cards: page === 0 ? [read<Card>(own)] : [] }
  const everywhere = { game: -1, set: undefined, rarity: undefined }
  const { total, count, cards } = search.find(name, everywhere, { limit: lookUpHitsMax, offset: page * lookUpHitsMax })
  return { total, cards: Array.from(cards.subarray(0, count), (number) => read<Card>(catalog.details(number))) }
}

/** The cards of a game that cost most. @param game its number */
export function dearestOf({ search, catalog }: Dataset, game: number): readonly Card[] {
  const { count, cards } = search.list(
    { game, set: undefined, rarity: undefined },
    {},
    { limit: lookUpHitsMax, offset: 0 },
    '-price',
  )
  return Array.from(cards.subarray(0, count), (number) => read<Card>(catalog.details(number)))
}

/** Names that begin as what is typed does, or hold words that do, each once. */
export function namesLike({ search, catalog }: Dataset, typed: string): string[] {
  const suggested = read<{ name: string }[]>(catalog.suggestions(search.suggest(typed, -1, suggestLimitDefault)))
  return [...new Set(suggested.map(({ name }) => name))]
}

export function matchOf({ match, catalog }: Dataset, question: MatchLine): Matched {
  const line = lineOf(question)
  if (typeof line === 'string') return { match: 'none', card: null, candidates: [] }
  return read<[Matched]>(catalog.matches([match.find(line)]))[0]
}

/** The card in the extended view. Undefined if no card has that id. */
export function cardOf({ catalog }: Dataset, id: string): Card | undefined {
  const details = catalog.detailsOf(id, 'extended')
  return details && read<Card>(details)
}

/** Oldest first. @param days the window's, Infinity for all */
export function historyOf({ catalog, history }: Dataset, id: string, days: number): readonly Day[] {
  return read<{ history: Day[] }>(history.body(catalog.find(id), id, '"period":"all"', days)).history
}

export const changesOf = ({ catalog, changes }: Dataset, id: string): CardChanges =>
  read<CardChanges>(changes.body(catalog.find(id), id))

/** Those whose percentage is the largest. @param game its number, -1 for all games */
export function moversOfWeek(
  { search, changes }: Dataset,
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
  return read<Mover[]>(
    changes.moversPage(search.movers({ game, set: undefined }, movement, { limit, offset: 0 }), week, limit, 0),
  )
}

/** Responses lie in memory that threads share. Decoding that takes a copy. */
const read = <Data>(answer: Uint8Array): Data => JSON.parse(Buffer.from(answer).toString('utf8')).data
