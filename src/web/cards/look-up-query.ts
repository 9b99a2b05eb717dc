/**
 * Reads a look-up from a page's address: a name, filters, an order and a page. Parameters that the API also has are
 * named as in the API.
 */
import type { Games } from '../../games.ts'
import { priceCentsMax, queryCharsMax } from '../../limits.ts'
import type { Sort } from '../../search/scope/orders.ts'
import type { PageContext } from '../site.ts'
import type { Question } from './card-data.ts'

/** The texts as they were typed, because the form shows them again. An empty text means that the field is not set. */
export interface LookUpQuery {
  readonly q: string
  readonly game: string
  readonly set: string
  readonly printing: string
  readonly rarity: string
  readonly min_price: string
  readonly max_price: string
  readonly sort: Sort
}

export const sortLabels = {
  relevance: 'Best match',
  price: 'Price, low to high',
  '-price': 'Price, high to low',
  newest: 'Newest',
  '-change': 'Rise in 7 days',
  change: 'Fall in 7 days',
} as const satisfies Partial<Record<Sort, string>>

export function lookUpQueryOf({ req }: PageContext, games: Games): LookUpQuery {
  const { q = '', game = '', set = '', printing = '', rarity = '', sort = '', ...more } = req.query()
  return {
    q,
    // If the text is no game's slug, it means all games.
    game: games.numberOf(game) === -1 ? '' : game,
    set: set.trim(),
    printing,
    rarity,
    min_price: more['min_price']?.trim() ?? '',
    max_price: more['max_price']?.trim() ?? '',
    sort: Object.hasOwn(sortLabels, sort) ? (sort as Sort) : 'relevance',
  }
}

/** Returns the page, counted from 0. */
export const pageIn = ({ req }: PageContext): number => {
  const page = req.query('page') ?? ''
  return /^[1-9]\d{0,5}$/.test(page) ? Number(page) - 1 : 0
}

/** The filters that a person has set. */
export const filtersIn = (query: LookUpQuery): readonly string[] =>
  [query.game, query.set, query.printing, query.rarity, query.min_price, query.max_price].filter((text) => text !== '')

export const isEmpty = (query: LookUpQuery): boolean => query.q.trim() === '' && filtersIn(query).length === 0

/** A message about something wrong, and the field that it concerns. */
export interface WrongField {
  readonly field: 'q' | 'game' | 'min_price' | 'max_price'
  readonly message: string
}

/**
 * Returns the question of a look-up, or what is wrong with it. A query with neither a name nor a game nor a set is
 * wrong.
 */
export function questionOf(query: LookUpQuery, games: Games): Question | WrongField {
  const { q, game, set, printing, rarity, sort } = query
  const name = q.trim()
  if ([...q].length > queryCharsMax) return { field: 'q', message: `A card name has 1 to ${queryCharsMax} characters.` }
  const [minCents, maxCents] = [centsOf(query.min_price), centsOf(query.max_price)]
  if (minCents === null) return { field: 'min_price', message: wrongPrice }
  if (maxCents === null) return { field: 'max_price', message: wrongPrice }
  if (minCents !== undefined && maxCents !== undefined && minCents > maxCents) {
    return { field: 'max_price', message: 'The highest price is below the lowest.' }
  }
  if (name === '' && game === '' && set === '') {
    return { field: 'q', message: 'Write a card name, or choose a game or a set.' }
  }
  const given = (text: string) => (text === '' ? undefined : text)
  const filter = { game: games.numberOf(game), set: given(set), rarity: given(rarity), printing: given(printing) }
  return { name, filter: { ...filter, minCents, maxCents }, sort }
}

const wrongPrice = 'A price is a number such as 1.50.'

/** Returns the price in cents; undefined if the text is empty; null if it is no price. */
function centsOf(text: string): number | undefined | null {
  if (text === '') return undefined
  if (!/^\d{1,8}([.,]\d{1,2})?$/.test(text)) return null
  return Math.min(Math.round(Number(text.replace(',', '.')) * 100), priceCentsMax)
}

/** Returns the address of a look-up. @param page from 1 */
export function addressOf(path: string, query: Partial<LookUpQuery>, page = 1): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== '' && !(name === 'sort' && value === 'relevance')) asked.set(name, value)
  }
  if (page !== 1) asked.set('page', String(page))
  return `${path}?${asked}`
}
