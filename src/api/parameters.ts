/** The parameters of all endpoints. */
import { cardViews, type View, views } from '../catalog/card-fields.ts'
import { gameSlugs } from '../games.ts'
import { periods as changePeriods, directions, up, week } from '../indexes/changes-file.ts'
import {
  historyDaysDefault,
  historyDaysMax,
  moverCentsDefault,
  numberCharsMax,
  offsetMax,
  queryCharsMax,
  searchLimitDefault,
  searchLimitMax,
  setsLimitDefault,
  setsLimitMax,
  suggestLimitDefault,
  suggestLimitMax,
} from '../limits.ts'
import { type Sort, sorts } from '../search/scope/orders.ts'
import * as kinds from './parameter-kinds.ts'

/** The index of each text. */
const places = (texts: readonly string[]) => new Map(texts.map((text, place) => [text, place]))

/** As a regular expression. */
const notBlank = '\\S'
const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

// The path: operations check whether there is such a game, and a set with that code.
export const cardId = kinds.pathText('id')
export const gameInPath = kinds.pathText('game')
export const setCode = kinds.pathText('code')

// Searches and lists: the game's number, -1 for all games; a set's code or name; bounds of the market price in cents.
export const cardName = kinds.required(kinds.boundedText('q', 'a card name', queryCharsMax, notBlank))
export const game = kinds.oneOf('game', places(gameSlugs), -1)
export const set = kinds.optionalText('set')
export const rarity = kinds.optionalText('rarity')
export const printing = kinds.optionalText('printing')
export const number = kinds.boundedText('number', 'a collector’s number', numberCharsMax)
export const minPrice = kinds.price('min_price', undefined)
export const maxPrice = kinds.price('max_price', undefined)
export const changedSince = kinds.optionalDate('changed_since')
export const tcgplayerId = kinds.productId('tcgplayer_id')
export const scryfallId = kinds.optionalUuid('scryfall_id')
export const mtgjsonId = kinds.optionalUuid('mtgjson_id')
export const cardmarketId = kinds.productId('cardmarket_id')
/** A list of cards requires at least one of them. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId, cardmarketId] as const
export const searchSort = kinds.word<Sort>('sort', sorts, 'relevance')
const listSorts = sorts.filter((sort) => sort !== 'relevance')
export const listSort = kinds.word<Sort>('sort', listSorts, 'newest')
export const view = kinds.word<View>('view', views, 'summary')
export const searchLimit = kinds.wholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered')
export const offset = kinds.wholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected')
export const suggestLimit = kinds.wholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered')

// Cards and their histories
export const cardView = kinds.word<View>('view', cardViews, 'full')
export const format = kinds.word<'json' | 'csv'>('format', ['json', 'csv'], 'json')
/** Whether CSV begins with a byte order mark. */
export const bom = kinds.word<'0' | '1'>('bom', ['0', '1'], '0')
export const historyDays = kinds.wholeNumber('days', bounds(historyDaysDefault, historyDaysMax), 'rejected')

export interface Period {
  readonly name: string
  readonly days: number
}

const days30: Period = { name: '30d', days: 30 }
const periods: readonly Period[] = [
  { name: '7d', days: 7 },
  days30,
  { name: '90d', days: 90 },
  { name: '1y', days: 365 },
  { name: 'all', days: Number.POSITIVE_INFINITY },
]
export const historyPeriod = kinds.oneOf('period', new Map(periods.map((period) => [period.name, period])), days30)

// Movers: the index in `periods`, the index in `directions`, the figure that sorts them, and the lowest price in cents.
export const moverPeriod = kinds.oneOf('period', places(changePeriods.map(({ name }) => name)), week)
export const moverDirection = kinds.oneOf('direction', places(directions), up)
export const movedBy = kinds.word<'percent' | 'amount'>('by', ['percent', 'amount'], 'percent')
export const moverPrice = kinds.price('min_price', moverCentsDefault)

// Sets: words of the name, or a code.
export const setName = kinds.boundedText('q', 'a set’s name or code', queryCharsMax, notBlank)
export const setsLimit = kinds.wholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered')
