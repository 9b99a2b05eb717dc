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
import {
  oneOf,
  optionalBoundedText,
  optionalDate,
  optionalPrice,
  optionalSearchText,
  optionalText,
  optionalUuid,
  optionalWholeNumber,
  pathText,
  price,
  requiredText,
  wholeNumber,
} from './parameter-kinds.ts'

export const cardId = pathText('id')

/** A set's code within the game before it. The operation checks whether it exists. */
export const setCode = pathText('code')

export const cardName = requiredText('q', 'a card name', queryCharsMax)

/** The game's number, -1 for all games. */
export const game = oneOf('game', new Map(gameSlugs.map((slug, number) => [slug, number])), -1)

/** A game's slug. The operation checks whether it exists. */
export const gameInPath = pathText('game')

/** A set's code or name. */
export const set = optionalText('set')

export const rarity = optionalText('rarity')

export const printing = optionalText('printing')

/** The collector's number. */
export const number = optionalBoundedText('number', 'a collector’s number', numberCharsMax)

/** Of the market price, in cents. */
export const minPrice = optionalPrice('min_price')

export const maxPrice = optionalPrice('max_price')

/** A card without a price change after it is left out. */
export const changedSince = optionalDate('changed_since')

/** A TCGplayer product's id. */
export const tcgplayerId = optionalWholeNumber('tcgplayer_id', 1)

export const scryfallId = optionalUuid('scryfall_id')

export const mtgjsonId = optionalUuid('mtgjson_id')

/** A list of cards requires at least one of them. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId] as const

/** A set's name, or words of it, or its code. */
export const setName = optionalSearchText('q', 'a set’s name or code', queryCharsMax)

const sortsNamed = (names: readonly Sort[]) => new Map(names.map((name) => [name, name]))

export const searchSort = oneOf<Sort>('sort', sortsNamed(sorts), 'relevance')

/** Of a list without a query. */
export const listSort = oneOf<Sort>('sort', sortsNamed(sorts.filter((sort) => sort !== 'relevance')), 'newest')

/** The index in `periods`. */
export const moverPeriod = oneOf('period', new Map(changePeriods.map(({ name }, period) => [name, period])), week)

/** The index in `directions`. */
export const moverDirection = oneOf('direction', new Map(directions.map((name, number) => [name, number])), up)

/** Which figure of a change sorts the list. */
export const movedBy = oneOf<'percent' | 'amount'>(
  'by',
  new Map((['percent', 'amount'] as const).map((name) => [name, name])),
  'percent',
)

/** The lowest price before and after a change, in cents. */
export const moverPrice = price('min_price', moverCentsDefault)

export const view = oneOf<View>('view', new Map(views.map((name) => [name, name])), 'summary')

/** Of one card. */
export const cardView = oneOf<View>('view', new Map(cardViews.map((name) => [name, name])), 'full')

/** The format of the body. */
export const format = oneOf<'json' | 'csv'>(
  'format',
  new Map((['json', 'csv'] as const).map((name) => [name, name])),
  'json',
)

const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

export const searchLimit = wholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered')

export const suggestLimit = wholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered')

export const setsLimit = wholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered')

export const offset = wholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected')

/** In form B. */
export const historyDays = wholeNumber('days', bounds(historyDaysDefault, historyDaysMax), 'rejected')

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
export const historyPeriod = oneOf('period', new Map(periods.map((period) => [period.name, period])), days30)
