/** The parameters of all endpoints. */
import { cardViews, type View, views } from '../catalog/card-fields.ts'
import { gameSlugs } from '../games.ts'
import { periods as changePeriods, directions, up, week } from '../indexes/changes-file.ts'
import {
  historyDaysMax,
  numberCharsMax,
  offsetMax,
  queryCharsMax,
  searchLimitMax,
  setsLimitMax,
  suggestLimitMax,
} from '../limits.ts'
import { type Sort, sorts } from '../search/scope/orders.ts'
import * as kinds from './parameter-kinds.ts'

export const searchLimitDefault = 20
/**
 * The default of the lowest price that a mover must have before and after its move. It keeps out cards that cost
 * pennies, because pennies double every day.
 */
export const moverCentsDefault = 100
export const suggestLimitDefault = 10
const setsLimitDefault = 50
const historyDaysDefault = 30

/** By text: its index. */
const places = (texts: readonly string[]) => new Map(texts.map((text, place) => [text, place]))

/** A regular expression: the text contains a character other than a blank. */
const notBlank = '\\S'
const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

/** @param description a text for the OpenAPI description. It has only facts that the parameter's bounds do not say */
const described = <Kind extends kinds.Parameter>(parameter: Kind, description: string): Kind => ({
  ...parameter,
  description,
})

const limitWords = 'So many at most.'
const sortWords =
  'The order: `price` has the lowest first, `-price` the highest, `change` and `-change` go by the percentage of seven days, ' +
  'unknown ones come last.'

// Parameters of the path. The operations check whether the game exists, and whether a set has the code.
export const cardId = described(kinds.pathText('id'), 'The card’s id, as a search or a list tells it.')
export const gameInPath = described(kinds.pathText('game'), 'The game, as `/v1/games` tells its id.')
export const setCode = described(kinds.pathText('code'), 'The set’s code, in any case.')

// Parameters of searches and lists. A game is read as its number, -1 for all games, and a price as cents.
export const cardName = described(
  kinds.required(kinds.boundedText('q', 'a card name', queryCharsMax, notBlank)),
  'The name, or words or beginnings of words of it.',
)
export const game = described(kinds.oneOf('game', places(gameSlugs), -1), 'Only of this game.')
export const set = described(
  kinds.optionalText('set'),
  'Only of this set: its code in any case or, where no set has that code, its name, with or without its publisher’s prefix.',
)
export const rarity = described(kinds.optionalText('rarity'), 'Only of this rarity, whole and in any case.')
export const printing = described(
  kinds.optionalText('printing'),
  'Only of this finish or edition, as the extended view names it, or by a usual word for it: `nonfoil`, `holo`, `reverse`.',
)
export const number = described(
  kinds.boundedText('number', 'a collector’s number', numberCharsMax),
  'Only with this collector’s number: whole, in any case, without leading zeros or a slash and what follows it.',
)
export const minPrice = described(
  kinds.price('min_price', undefined),
  'Only of this market price or above. A card without one is within no bounds.',
)
export const maxPrice = described(
  kinds.price('max_price', undefined),
  'Only of this market price or below, and not below `min_price`.',
)
export const changedSince = described(
  kinds.optionalDate('changed_since'),
  'Only if the market, the lowest or the highest price changed after this date. A card changed on the first day that had its ' +
    'newest prices. A card without a history counts by its `updatedAt`.',
)
export const tcgplayerId = described(
  kinds.productId('tcgplayer_id'),
  'Only printings of the TCGplayer product with this id.',
)
export const scryfallId = described(
  kinds.optionalUuid('scryfall_id'),
  'Only cards with this id at Scryfall, in all their finishes.',
)
export const mtgjsonId = described(
  kinds.optionalUuid('mtgjson_id'),
  'Only cards with this id at MTGJSON, in all their finishes.',
)
export const cardmarketId = described(
  kinds.productId('cardmarket_id'),
  'Only printings of the Cardmarket product with this id.',
)
/** A list of cards requires at least one of them. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId, cardmarketId] as const
export const searchSort = described(kinds.word<Sort>('sort', sorts, 'relevance'), sortWords)
const listSorts = sorts.filter((sort) => sort !== 'relevance')
export const listSort = described(kinds.word<Sort>('sort', listSorts, 'newest'), sortWords)
export const view = described(
  kinds.word<View>('view', views, 'summary'),
  'What each card has: `full` all that a card’s own address has, `extended` its printing, currency, ids elsewhere and prices at other markets, too.',
)
export const searchLimit = described(
  kinds.wholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered'),
  limitWords,
)
export const offset = described(
  kinds.wholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected'),
  'So many are skipped. Past the end, `data` is empty.',
)
export const suggestLimit = described(
  kinds.wholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered'),
  limitWords,
)

// Parameters of cards and their histories
export const cardView = described(
  kinds.word<View>('view', cardViews, 'full'),
  'How much the card has: `extended` adds its printing, currency, ids elsewhere and prices at other markets.',
)
export const format = described(
  kinds.word<'json' | 'csv'>('format', ['json', 'csv'], 'json'),
  'What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON.',
)
/** `1` if CSV must begin with a byte order mark. */
export const bom = described(
  kinds.word<'0' | '1'>('bom', ['0', '1'], '0'),
  'With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none.',
)
export const historyDays = described(
  kinds.wholeNumber('days', bounds(historyDaysDefault, historyDaysMax), 'rejected'),
  'So many days, up to and with the newest of the data.',
)

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
export const historyPeriod = described(
  kinds.oneOf('period', new Map(periods.map((period) => [period.name, period])), days30),
  'How far the history goes back.',
)

// Parameters of movers. A period is read as its index in `periods` of changes-file.ts, a direction as its index in
// `directions`.
export const moverPeriod = described(
  kinds.oneOf('period', places(changePeriods.map(({ name }) => name)), week),
  'Over how long a time.',
)
export const moverDirection = described(kinds.oneOf('direction', places(directions), up), 'Which way they moved.')
export const movedBy = described(
  kinds.word<'percent' | 'amount'>('by', ['percent', 'amount'], 'percent'),
  'What the largest of comes first.',
)
export const moverPrice = described(
  kinds.price('min_price', moverCentsDefault),
  'Only of this price or above, before and after: pennies double every day.',
)

// Parameters of lists of sets
export const setName = described(
  kinds.boundedText('q', 'a set’s name or code', queryCharsMax, notBlank),
  'A set’s code, or words or beginnings of words of its name.',
)
export const setsLimit = described(
  kinds.wholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered'),
  limitWords,
)
