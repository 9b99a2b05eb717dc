/** The parameters of all endpoints. */
import { cardViews, type View, views } from '../catalog/views.ts'
import { gameSlugs } from '../games.ts'
import { directions, up } from '../indexes/changes-file.ts'
import { periods as changePeriods, week } from '../indexes/price-change.ts'
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

export const cardId = kinds.pathText('id')

/** A set's code within the game before it. The operation checks whether it exists. */
export const setCode = kinds.pathText('code')

/** As a regular expression. */
const notBlank = '\\S'

export const cardName = kinds.required(kinds.boundedText('q', 'a card name', queryCharsMax, notBlank))

/** The game's number, -1 for all games. */
export const game = kinds.oneOf('game', places(gameSlugs), -1)

/** A game's slug. The operation checks whether it exists. */
export const gameInPath = kinds.pathText('game')

/** A set's code or name. */
export const set = kinds.optionalText('set')

export const rarity = kinds.optionalText('rarity')

export const printing = kinds.optionalText('printing')

/** The collector's number. */
export const number = kinds.boundedText('number', 'a collector’s number', numberCharsMax)

/** Of the market price, in cents. */
export const minPrice = kinds.price('min_price', undefined)

export const maxPrice = kinds.price('max_price', undefined)

/** A card without a price change after it is left out. */
export const changedSince = kinds.optionalDate('changed_since')

/** A TCGplayer product's id. */
export const tcgplayerId = kinds.optionalWholeNumber('tcgplayer_id', 1)

export const scryfallId = kinds.optionalUuid('scryfall_id')

export const mtgjsonId = kinds.optionalUuid('mtgjson_id')

/** A Cardmarket product's id. */
export const cardmarketId = kinds.optionalWholeNumber('cardmarket_id', 1)

/** A list of cards requires at least one of them. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId, cardmarketId] as const

/** A set's name, or words of it, or its code. */
export const setName = kinds.boundedText('q', 'a set’s name or code', queryCharsMax, notBlank)

export const searchSort = kinds.word<Sort>('sort', sorts, 'relevance')

/** Of a list without a query. */
export const listSort = kinds.word<Sort>(
  'sort',
  sorts.filter((sort) => sort !== 'relevance'),
  'newest',
)

/** The index in `periods`. */
export const moverPeriod = kinds.oneOf('period', places(changePeriods.map(({ name }) => name)), week)

/** The index in `directions`. */
export const moverDirection = kinds.oneOf('direction', places(directions), up)

/** Which figure of a change sorts the list. */
export const movedBy = kinds.word<'percent' | 'amount'>('by', ['percent', 'amount'], 'percent')

/** The lowest price before and after a change, in cents. */
export const moverPrice = kinds.price('min_price', moverCentsDefault)

export const view = kinds.word<View>('view', views, 'summary')

/** Of one card. */
export const cardView = kinds.word<View>('view', cardViews, 'full')

/** The format of the body. */
export const format = kinds.word<'json' | 'csv'>('format', ['json', 'csv'], 'json')

const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

export const searchLimit = kinds.wholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered')

export const suggestLimit = kinds.wholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered')

export const setsLimit = kinds.wholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered')

export const offset = kinds.wholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected')

/** In form B. */
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

/** In form A. */
export const historyPeriod = kinds.oneOf('period', new Map(periods.map((period) => [period.name, period])), days30)
