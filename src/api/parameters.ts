/** The parameters of all endpoints. */
import { cardViews, type View, views } from '../catalog/card-fields.ts'
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
import { type ListSort, listSorts, type Sort, sorts } from '../search/scope/orders.ts'
import * as kinds from './parameter-kinds.ts'

export const searchLimitDefault = 20
/**
 * The default of the lowest price, in cents, that a mover must have before and after its move. It excludes cards that
 * cost pennies: a change of one penny can double their price.
 */
export const moverCentsDefault = 100
export const suggestLimitDefault = 10
const setsLimitDefault = 50
const historyDaysDefault = 30

/** Returns each text's index, by text. */
const places = (texts: readonly string[]) => new Map(texts.map((text, place) => [text, place]))

/** A regular expression: the text contains a character other than a blank. */
const notBlank = '\\S'
const bounds = (standard: number, maximum: number) => ({ default: standard, minimum: 1, maximum })

/** @param description a text for the OpenAPI description, with only facts that the parameter's bounds do not state */
const described = <Kind extends kinds.Parameter>(parameter: Kind, description: string): Kind => ({
  ...parameter,
  description,
})

const limitWords = 'The most items in the response.'
const sortWords =
  'The order. `price` sorts the lowest price first, `-price` the highest. `change` and `-change` sort by the percentage of ' +
  'change in seven days. Cards with an unknown price or change come last.'

// Parameters of the path. The operations check whether the game exists, and whether a set has the code.
export const cardId = described(kinds.pathText('id'), 'The card’s id, as a search or a list returns it.')
export const gameInPath = described(kinds.pathText('game'), 'The game’s id, as `/v1/games` returns it.')
export const setCode = described(kinds.pathText('code'), 'The set’s code. Upper and lower case are equal.')

// Parameters of searches and lists. A price is read as cents. The operations check whether the version has the game.
export const cardName = described(
  kinds.required(kinds.boundedText('q', 'a card name', queryCharsMax, notBlank)),
  'The card’s name, or words of it. Each word may be cut short.',
)
export const game = described(kinds.gameSlug('game'), 'The game of the cards or sets.')
export const set = described(
  kinds.optionalText('set'),
  'The code of the set, or its name, with or without a code before it (`SV03: Obsidian Flames`). Upper and lower case are the same.',
)
export const rarity = described(
  kinds.optionalText('rarity'),
  'The rarity of the cards: the whole text. Upper and lower case are the same.',
)
export const printing = described(
  kinds.optionalText('printing'),
  'The finish or edition of the cards, as the extended view names it, or a usual word for it: `nonfoil`, `holo`, `reverse`.',
)
export const number = described(
  kinds.boundedText('number', 'a collector’s number', numberCharsMax),
  'The collector’s number of the cards. It must match in full; upper and lower case are the same. Leading zeros, and a slash with all that follows, are ignored.',
)
export const minPrice = described(
  kinds.price('min_price', undefined),
  'The lowest market price. With this bound, a card without a market price is left out.',
)
export const maxPrice = described(
  kinds.price('max_price', undefined),
  'The highest market price. It must not be below `min_price`. With this bound, a card without a market price is left out.',
)
export const changedSince = described(
  kinds.optionalDate('changed_since'),
  'Cards whose market, lowest or highest price changed after this date. The date of a change is the first day on which the card ' +
    'had its current prices. For a card without a history, it is the day of its `updatedAt`.',
)
export const tcgplayerId = described(
  kinds.productId('tcgplayer_id'),
  'The id of a TCGplayer product. All printings of the product are listed.',
)
export const scryfallId = described(
  kinds.optionalUuid('scryfall_id'),
  'The id of a card at Scryfall. The card is listed in all its finishes.',
)
export const mtgjsonId = described(
  kinds.optionalUuid('mtgjson_id'),
  'The id of a card at MTGJSON. The card is listed in all its finishes.',
)
export const cardmarketId = described(
  kinds.productId('cardmarket_id'),
  'The id of a Cardmarket product. All printings of the product are listed.',
)
/** A list of cards requires at least one of these parameters. */
export const listedBy = [game, set, tcgplayerId, scryfallId, mtgjsonId, cardmarketId] as const
export const searchSort = described(kinds.word<Sort>('sort', sorts, 'relevance'), sortWords)
export const listSort = described(kinds.word<ListSort>('sort', listSorts, 'newest'), sortWords)
export const view = described(
  kinds.word<View>('view', views, 'summary'),
  'The fields of each card. `full` has the fields of `/v1/cards/{id}`. `extended` adds the card’s printing, its currency, its ids at other sites, and its prices at other markets.',
)
export const searchLimit = described(
  kinds.wholeNumber('limit', bounds(searchLimitDefault, searchLimitMax), 'lowered'),
  limitWords,
)
export const offset = described(
  kinds.wholeNumber('offset', { default: 0, minimum: 0, maximum: offsetMax }, 'rejected'),
  'The number of items to skip. Past the end, `data` is empty.',
)
export const suggestLimit = described(
  kinds.wholeNumber('limit', bounds(suggestLimitDefault, suggestLimitMax), 'lowered'),
  limitWords,
)

// Parameters of cards and their histories
export const cardView = described(
  kinds.word<View>('view', cardViews, 'full'),
  'The fields of the card. `extended` adds its printing, its currency, its ids at other sites, and its prices at other markets.',
)
/** The `view` of the list of games. The messages of misplaced.ts never suggest it, because it shows no cards. */
export const gamesView = described(
  kinds.word<'summary' | 'extended'>('view', ['summary', 'extended'], 'summary'),
  'The fields of a game. `extended` adds the language of its cards and the words by which lists name it.',
)
export const format = described(
  kinds.word<'json' | 'csv'>('format', ['json', 'csv'], 'json'),
  'The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON.',
)
/** `1` if CSV must begin with a byte order mark. */
export const bom = described(
  kinds.word<'0' | '1'>('bom', ['0', '1'], '0'),
  '`1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one.',
)
export const historyDays = described(
  kinds.wholeNumber('days', bounds(historyDaysDefault, historyDaysMax), 'rejected'),
  'The number of days. The last one is the newest day of the data.',
)

export interface Period {
  readonly name: string
  readonly days: number
}

const days30: Period = { name: '30d', days: 30 }
export const periods: readonly Period[] = [
  { name: '7d', days: 7 },
  days30,
  { name: '90d', days: 90 },
  { name: '1y', days: 365 },
  { name: 'all', days: Number.POSITIVE_INFINITY },
]
export const historyPeriod = described(
  kinds.oneOf('period', new Map(periods.map((period) => [period.name, period])), days30),
  'The length of the history.',
)

// Parameters of movers. A period is read as its index in `periods` of changes-file.ts, a direction as its index in
// `directions`.
export const moverPeriod = described(
  kinds.oneOf('period', places(changePeriods.map(({ name }) => name)), week),
  'The time between the two prices that are compared.',
)
export const moverDirection = described(
  kinds.oneOf('direction', places(directions), up),
  'The direction of the change.',
)
export const movedBy = described(
  kinds.word<'percent' | 'amount'>('by', ['percent', 'amount'], 'percent'),
  'The measure of the change. The largest comes first.',
)
export const moverPrice = described(
  kinds.price('min_price', moverCentsDefault),
  'Only cards that cost at least this much, both before and after the change. It leaves out cards worth pennies, whose prices often double.',
)

// Parameters of lists of sets
export const setName = described(
  kinds.boundedText('q', 'a set’s name or code', queryCharsMax, notBlank),
  'The set’s code, or words of its name. Each word may be cut short.',
)
export const setsLimit = described(
  kinds.wholeNumber('limit', bounds(setsLimitDefault, setsLimitMax), 'lowered'),
  limitWords,
)
