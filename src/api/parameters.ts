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
  OneOf,
  OptionalBoundedText,
  OptionalPrice,
  OptionalSearchText,
  OptionalText,
  OptionalUuid,
  OptionalWholeNumber,
  PathText,
  Price,
  RequiredText,
  WholeNumber,
} from './parameter-kinds.ts'

export const cardId = new PathText('id')

/** A set's code within the game before it. The operation checks whether it exists. */
export const setCode = new PathText('code')

export const cardName = new RequiredText('q', 'a card name', queryCharsMax)

/** The game's number, -1 for all games. */
export const game = new OneOf('game', new Map(gameSlugs.map((slug, number) => [slug, number])), -1)

/** A game's slug. The operation checks whether it exists. */
export const gameInPath = new PathText('game')

/** A set's code or name. */
export const set = new OptionalText('set')

export const rarity = new OptionalText('rarity')

export const printing = new OptionalText('printing')

/** The collector's number. */
export const number = new OptionalBoundedText('number', 'a collector’s number', numberCharsMax)

/** Of the market price, in cents. */
export const minPrice = new OptionalPrice('min_price')

export const maxPrice = new OptionalPrice('max_price')

/** A TCGplayer product's id. */
export const tcgplayerId = new OptionalWholeNumber('tcgplayer_id', 1)

export const scryfallId = new OptionalUuid('scryfall_id')

export const mtgjsonId = new OptionalUuid('mtgjson_id')

/** A list of cards requires at least one of them. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId] as const

/** A set's name, or words of it, or its code. */
export const setName = new OptionalSearchText('q', 'a set’s name or code', queryCharsMax)

const sortsNamed = (names: readonly Sort[]) => new Map(names.map((name) => [name, name]))

export const searchSort = new OneOf<Sort>('sort', sortsNamed(sorts), 'relevance')

/** Of a list without a query. */
export const listSort = new OneOf<Sort>('sort', sortsNamed(sorts.filter((sort) => sort !== 'relevance')), 'newest')

/** The index in `periods`. */
export const moverPeriod = new OneOf('period', new Map(changePeriods.map(({ name }, period) => [name, period])), week)

/** The index in `directions`. */
export const moverDirection = new OneOf('direction', new Map(directions.map((name, number) => [name, number])), up)

/** Which figure of a change sorts the list. */
export const movedBy = new OneOf<'percent' | 'amount'>(
  'by',
  new Map((['percent', 'amount'] as const).map((name) => [name, name])),
  'percent',
)

/** The lowest price before and after a change, in cents. */
export const moverPrice = new Price('min_price', moverCentsDefault)

export const view = new OneOf<View>('view', new Map(views.map((name) => [name, name])), 'summary')

/** Of one card. */
export const cardView = new OneOf<View>('view', new Map(cardViews.map((name) => [name, name])), 'full')

const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

export const searchLimit = new WholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered')

export const suggestLimit = new WholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered')

export const setsLimit = new WholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered')

export const offset = new WholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected')

/** In form B. */
export const historyDays = new WholeNumber('days', bounds(historyDaysDefault, historyDaysMax), 'rejected')

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
export const historyPeriod = new OneOf('period', new Map(periods.map((period) => [period.name, period])), days30)
