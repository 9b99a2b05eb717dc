/** The texts of the OpenAPI description: short, and only facts that the tables do not have. */
import type { Operation } from '../routes.ts'
import type { SchemaName } from '../schemas.ts'

/** The description does not describe itself. */
export type DescribedOperation = Exclude<Operation, 'getDescription'>

export const tags = {
  Cards: 'Cards and their prices.',
  'Sets and games': 'What cards belong to.',
  Service: 'The service itself.',
} as const

interface OperationDescription {
  /** Undefined: Cards. */
  readonly tag?: keyof typeof tags
  readonly summary: string
  readonly description?: string
}

const ofHistory =
  'Oldest day first, at most one entry a date. The window ends on the newest date of the data, the same for all cards.'

export const operationDescriptions: Readonly<Record<DescribedOperation, OperationDescription>> = {
  searchCards: {
    summary: 'Search cards by name',
    description:
      'Finds names of which every word of `q` begins a word, in any order; case, accents and punctuation do not matter. ' +
      'The name itself comes first, then whole words, then beginnings. Where no name matches: words of names with numbers and sets, then ' +
      'a printed number, a code with a number, or a set alone, and last of all typos.',
  },
  suggestNames: {
    summary: 'Suggest names while one is typed',
    description:
      'Each name of a game once, in the order in which a search would first show a card of it, but without typos.',
  },
  listCards: {
    summary: 'List the cards of a game, a set or a product',
    description: 'By themselves in the order of the newest set, then of the collector’s numbers.',
  },
  getCard: { summary: 'Get a card with all its prices' },
  getCardHistory: { summary: 'Get a card’s price history by a period', description: ofHistory },
  getCardPrices: { summary: 'Get a card’s price history by a number of days', description: ofHistory },
  getCardChanges: {
    summary: 'Get how a card’s price has changed',
    description:
      '`market` is the newest known price of the data’s last three days, `from` that of the seven days up to so long before. ' +
      'A period without a price is null. `high` and `low` are those of the last 365 days.',
  },
  listMovers: {
    summary: 'List the cards that moved most',
    description:
      'The largest change first, up or down. A card that did not move, whose change is unknown, or whose price was 0, is not listed.',
  },
  listSets: {
    tag: 'Sets and games',
    summary: 'List sets',
    description: 'The newest first, those without a date last.',
  },
  getSet: {
    tag: 'Sets and games',
    summary: 'Get a set with its printings and rarities',
    description: 'Those of the most cards first.',
  },
  listGames: { tag: 'Sets and games', summary: 'List all games' },
  batchCards: {
    summary: 'Get several cards by their ids',
    description:
      'In the order asked. An id that no card has is left out; one that is given twice is answered twice. It counts as one request.',
  },
  matchCards: {
    summary: 'Find the cards that the lines of a stock list mean',
    description:
      'In the order of the lines. A line has a name or an id. `exact`: all that it says is so of one card. `likely`: of one card ' +
      'alone, if one difference is allowed (brackets that the name lacks, a face of the card, words of a set, another total behind ' +
      'a number’s slash, one typo), or if a line without a printing means the usual one. `ambiguous`: of several, of which the ' +
      'first five are candidates. It counts as one request.',
  },
  downloadCards: {
    summary: 'Download all cards of a game',
    description:
      'A card a line, with all its prices and its TCGplayer product, by set and collector’s number. It is always packed by gzip, ' +
      'may be read as slowly as need be, and counts as one request.',
  },
  getHealth: {
    tag: 'Service',
    summary: 'See whether the service answers, and from which data',
    description: 'It needs no key and counts nothing.',
  },
}

/** By name, or by operation and name if the parameter has another meaning there. */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  q: 'The name, or words or beginnings of words of it.',
  game: 'Only of this game.',
  set: 'Only of this set: its code in any case or, where no set has that code, its name, with or without its publisher’s prefix.',
  rarity: 'Only of this rarity, whole and in any case.',
  printing:
    'Only of this finish or edition, as the extended view names it, or by a usual word for it: `nonfoil`, `holo`, `reverse`.',
  scryfall_id: 'Only cards with this id at Scryfall, in all their finishes.',
  mtgjson_id: 'Only cards with this id at MTGJSON, in all their finishes.',
  cardmarket_id: 'Only printings of the Cardmarket product with this id.',
  'listSets.q': 'A set’s code, or words or beginnings of words of its name.',
  code: 'The set’s code, in any case.',
  number:
    'Only with this collector’s number: whole, in any case, without leading zeros or a slash and what follows it.',
  tcgplayer_id: 'Only printings of the TCGplayer product with this id.',
  min_price: 'Only of this market price or above. A card without one is within no bounds.',
  max_price: 'Only of this market price or below, and not below `min_price`.',
  changed_since:
    'Only if the market, the lowest or the highest price changed after this date: the first day of the newest run of equal days ' +
    'is later. A card without a history counts by its `updatedAt`.',
  view: 'What each card has: `full` all that a card’s own address has, `extended` its printing, currency, ids elsewhere and prices at other markets, too.',
  format:
    'What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON.',
  bom: 'With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none.',
  'getCard.view':
    'How much the card has: `extended` adds its printing, currency, ids elsewhere and prices at other markets.',
  sort:
    'The order: `price` has the lowest first, `-price` the highest, `change` and `-change` go by the percentage of seven days, ' +
    'unknown ones come last.',
  limit: 'So many at most.',
  offset: 'So many are skipped. Past the end, `data` is empty.',
  id: 'The card’s id, as a search or a list tells it.',
  period: 'How far the history goes back.',
  'listMovers.period': 'Over how long a time.',
  direction: 'Which way they moved.',
  by: 'What the largest of comes first.',
  'listMovers.min_price': 'Only of this price or above, before and after: pennies double every day.',
  'downloadCards.game': 'The game, as `/v1/games` tells its id.',
  'getSet.game': 'The game, as `/v1/games` tells its id.',
  days: 'So many days, up to and with the newest of the data.',
}

export const schemaDescriptions: Readonly<Partial<Record<SchemaName, string>>> = {
  fullCard:
    'A card with all its prices. An unknown price is null, never 0; conditions and grades without a price are left out.',
  card: 'A card by its id.',
  extendedCard: 'A card in full, its printing, its currency, its ids elsewhere, and its prices at other markets.',
  listedCard:
    'A card in a list, in any view. Fields that the view does not have are left out; of those that it has, an unknown one is null.',
  searchPage: 'A page of cards, in the view that was asked for. `total` counts all that match.',
  suggestion: 'A name of a game, and how many cards have it.',
  suggestions: 'Names.',
  batch:
    'The cards of a batch in the view that was asked for, fewer than the ids where an id is no card’s; `missing` has those ids in the view `extended`.',
  matches: 'What each line means.',
  cardSet: 'A set.',
  setDetails: 'A set, its cards counted by printing and by rarity, and the number behind the slash of their numbers.',
  setsPage: 'A page of sets.',
  games: 'All games.',
  historyByPeriod: 'A card’s price history.',
  historyByDays: 'A card’s price history.',
  changes: 'How a card’s price has changed.',
  mover: 'A card that moved.',
  moversPage: 'A page of cards that moved. `total` counts all that moved that way.',
  health: 'The version of the data, its newest date, how many cards it has, and the version of the software.',
  errorInFormA: 'An error.',
  errorInFormB: 'An error.',
}
