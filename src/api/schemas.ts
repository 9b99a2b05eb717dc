/**
 * The schemas of all responses, as the contract defines them. They allow no additional fields. The server and the build
 * take their types from here, so the compiler checks what they render. Tests validate responses with these schemas.
 * Every schema can be written as JSON Schema, so no schema transforms its input.
 */
import * as v from 'valibot'
import { conditions } from '../catalog/card-fields.ts'
import { slugForm } from '../games.ts'
import { periods } from '../indexes/changes-file.ts'
import {
  batchIdsMax,
  cardMarketsMax,
  historyDaysMax,
  idCharsMax,
  matchCandidatesMax,
  matchLinesMax,
  offsetMax,
  priceCentsMax,
  printedTotalMax,
  printingCharsMax,
  searchLimitMax,
  setsLimitMax,
  suggestLimitMax,
} from '../limits.ts'
import { historyPeriod, moverPeriod } from './parameters.ts'
import { codesIn } from './problems.ts'

export type Condition = (typeof conditions)[number]

/** The conditions whose prices the summary view shows. */
export const summaryConditions = ['near_mint', 'lightly_played'] as const satisfies Condition[]

const wholeNumber = (from: number, to: number) => v.pipe(v.number(), v.integer(), v.minValue(from), v.maxValue(to))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.pipe(v.string(), v.minLength(1))
const unknownOr = <Schema extends v.GenericSchema>(schema: Schema) => v.nullable(schema)

const id = v.pipe(v.string(), v.regex(/^[a-z0-9._~-]+$/), v.maxLength(idCharsMax))
/** In the OpenAPI description, the games of the served version replace this pattern. */
export const gameForm = v.regex(slugForm)
const game = v.pipe(v.string(), gameForm)
const date = v.pipe(v.string(), v.isoDate())
/** A time in UTC. Its seconds are optional. */
const time = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/))
const webAddress = v.pipe(v.string(), v.regex(/^[Hh][Tt]{2}[Pp][Ss]?:\/\//))
const price = v.pipe(v.number(), v.minValue(0), v.maxValue(priceCentsMax / 100))
const grade = v.pipe(v.string(), v.regex(/^[a-z]+(_\d{1,2}){1,2}$/))

/** Prices by condition. Conditions without a known price are left out. */
const pricesOf = <const Keys extends readonly Condition[]>(keys: Keys) =>
  v.strictObject(v.entriesFromList(keys, v.exactOptional(price)))

const card = v.strictObject({
  id,
  name: text,
  game,
  set: text,
  setCode: text,
  number: unknownOr(text),
  rarity: unknownOr(text),
  image: unknownOr(webAddress),
  prices: v.strictObject({
    market: unknownOr(price),
    low: unknownOr(price),
    mid: unknownOr(price),
    high: unknownOr(price),
    conditions: pricesOf(conditions),
    graded: v.record(grade, price),
  }),
  sources: v.array(text),
  updatedAt: unknownOr(time),
})

const uuid = v.pipe(v.string(), v.uuid())

/** A card's prices at another market, in its currency. */
const market = v.strictObject({
  market: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,32}$/)),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  price: unknownOr(price),
  low: unknownOr(price),
  buylist: unknownOr(price),
  updatedAt: unknownOr(v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z)?$/))),
})

/** The additional fields of the extended view, in their order. */
const extended = {
  printing: unknownOr(v.pipe(text, v.maxLength(printingCharsMax))),
  currency: unknownOr(text),
  tcgplayerId: unknownOr(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  scryfallId: unknownOr(uuid),
  mtgjsonId: unknownOr(uuid),
  cardmarketId: unknownOr(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  markets: v.pipe(v.array(market), v.maxLength(cardMarketsMax)),
}
export type ExtendedField = keyof typeof extended

const extendedCard = v.strictObject({ ...card.entries, ...extended })

/** Makes all fields optional. */
const optional = <Entries extends v.ObjectEntries>(entries: Entries) =>
  Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, v.exactOptional(schema)])) as {
    [Name in keyof Entries]: v.ExactOptionalSchema<Entries[Name], undefined>
  }

const { id: _id, name: _name, game: _game, prices: _prices, ...more } = card.entries
const { market: _market, ...morePrices } = card.entries.prices.entries

/** A card in a list, in any view. One schema for all views, so that clients need no union. */
const listedCard = v.strictObject({
  id,
  name: text,
  game,
  prices: v.strictObject({ market: unknownOr(price), ...optional(morePrices) }),
  ...optional(more),
  ...optional(extended),
})

/** The card of `/v1/cards/{id}`, in the full or the extended view. */
const fullCard = v.strictObject({ ...card.entries, ...optional(extended) })

type FullCard = v.InferOutput<typeof card>
export type BatchItem = Pick<FullCard, 'id' | 'name' | 'game'> & { readonly prices: Pick<FullCard['prices'], 'market'> }

/** A card of a search in the summary view. */
const cardSummary = v.strictObject({
  id,
  name: text,
  game,
  set: text,
  rarity: unknownOr(text),
  prices: v.strictObject({ market: unknownOr(price), conditions: pricesOf(summaryConditions) }),
})
export type CardSummary = v.InferOutput<typeof cardSummary>

const suggestion = v.strictObject({ name: text, game, cards: v.pipe(count, v.minValue(1)) })

const cardSet = v.strictObject({ code: text, name: text, game, cardCount: count, releaseDate: unknownOr(date) })

const countOf = v.strictObject({ name: text, cards: v.pipe(count, v.minValue(1)) })

const setDetails = v.strictObject({
  ...cardSet.entries,
  printings: v.array(countOf),
  rarities: v.array(countOf),
  printedTotal: unknownOr(wholeNumber(1, printedTotalMax)),
})

/** A game. Only the extended view has the language and the words. */
const cardGame = v.strictObject({
  id: game,
  name: text,
  cardCount: count,
  setCount: count,
  ...optional({ language: v.picklist(['English', 'Japanese']), words: v.array(text) }),
})

const day = v.strictObject({
  date,
  market: unknownOr(price),
  low: unknownOr(price),
  high: unknownOr(price),
})

const cardHistory = v.strictObject({ cardId: id, period: v.picklist(historyPeriod.values), history: v.array(day) })
const cardPrices = v.strictObject({ cardId: id, days: wholeNumber(1, historyDaysMax), history: v.array(day) })

/** A batch of items, without those ids that no card has. */
const batchOf = <Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({ data: v.pipe(v.array(item), v.maxLength(batchIdsMax)) })

const percent = v.number()

/** `amount` and `percent` are null if the price after the change is unknown. `percent` is also null if `from` is 0. */
const change = v.strictObject({ from: price, amount: unknownOr(v.number()), percent: unknownOr(percent) })

const extreme = v.strictObject({ date, market: price })

const changes = v.strictObject({
  cardId: id,
  asOf: unknownOr(date),
  market: unknownOr(price),
  changes: v.strictObject(
    v.entriesFromList(
      periods.map(({ name }) => name),
      unknownOr(change),
    ),
  ),
  high: unknownOr(extreme),
  low: unknownOr(extreme),
})

const mover = v.strictObject({
  ...cardSummary.entries,
  change: v.strictObject({
    period: v.picklist(moverPeriod.values),
    from: price,
    to: price,
    amount: v.number(),
    percent,
  }),
})

const pageOf = <Item extends v.GenericSchema>(item: Item, limitMax: number) =>
  v.strictObject({
    data: v.array(item),
    total: count,
    limit: wholeNumber(1, limitMax),
    offset: wholeNumber(0, offsetMax),
  })

/** A part of the OpenAPI document. Its content is not described here, because OpenAPI has a schema for it. */
const anyObject = v.record(v.string(), v.unknown())

const status = wholeNumber(400, 599)

/** The schemas of responses, by name. */
export const schemas = {
  fullCard,
  card: v.strictObject({ data: fullCard }),
  extendedCard,
  listedCard,
  searchPage: pageOf(listedCard, searchLimitMax),
  suggestion,
  suggestions: v.strictObject({ data: v.pipe(v.array(suggestion), v.maxLength(suggestLimitMax)) }),
  /** Only the extended view has `missing`. */
  batch: v.strictObject({ data: v.array(listedCard), missing: v.exactOptional(v.array(v.string())) }),
  /** If a match is exact or likely, it has `card`. If it is ambiguous, it has `candidates`, and `card` is null. */
  matches: v.strictObject({
    data: v.pipe(
      v.array(
        v.strictObject({
          match: v.picklist(['exact', 'likely', 'ambiguous', 'none']),
          card: unknownOr(listedCard),
          candidates: v.pipe(v.array(listedCard), v.maxLength(matchCandidatesMax)),
        }),
      ),
      v.maxLength(matchLinesMax),
    ),
  }),
  cardSet,
  setDetails: v.strictObject({ data: setDetails }),
  setsPage: pageOf(cardSet, setsLimitMax),
  games: v.strictObject({ data: v.array(cardGame) }),
  historyByPeriod: v.strictObject({ data: cardHistory }),
  historyByDays: v.strictObject({ data: cardPrices }),
  historiesByPeriod: batchOf(cardHistory),
  historiesByDays: batchOf(cardPrices),
  changes: v.strictObject({ data: changes }),
  mover,
  moversPage: pageOf(mover, searchLimitMax),
  health: v.strictObject({
    status: v.literal('ok'),
    version: text,
    asOf: unknownOr(date),
    cards: count,
    currency: v.exactOptional(text),
    software: text,
  }),
  description: v.strictObject({
    openapi: text,
    info: anyObject,
    servers: v.array(anyObject),
    tags: v.array(anyObject),
    paths: anyObject,
    components: anyObject,
  }),
  errorInFormA: v.strictObject({
    error: v.strictObject({ code: v.picklist(codesIn('A')), message: text, status }),
  }),
  errorInFormB: v.strictObject({ error: v.strictObject({ code: v.picklist(codesIn('B')), message: text }) }),
}

export type SchemaName = keyof typeof schemas

/** Descriptions of schemas in the OpenAPI document. */
export const schemaDescriptions: Readonly<Partial<Record<SchemaName, string>>> = {
  fullCard:
    'A card with all its prices. An unknown price is null, never 0. Conditions and grades without a price are left out.',
  card: 'The card with the id.',
  extendedCard: 'A full card with its printing, its currency, its ids at other sites, and its prices at other markets.',
  listedCard:
    'A card in a list, in any view. Fields of other views are left out. If the value of a field of this view is unknown, the field is null.',
  searchPage: 'A page of cards, in the requested view. `total` counts all cards that match.',
  suggestion: 'A name of cards of a game, and the number of cards with this name.',
  suggestions: 'The suggested names.',
  batch:
    'The cards of a batch, in the requested view. Ids that no card has are left out. In the view `extended`, `missing` lists them.',
  matches: 'The cards that each line means.',
  cardSet: 'A set, and the number of its cards.',
  setDetails:
    'A set, how many cards it has of each printing and of each rarity, and the total that is printed behind the slash of a number.',
  setsPage: 'A page of sets.',
  games: 'All games.',
  historyByPeriod: 'A card’s price history.',
  historyByDays: 'A card’s price history.',
  historiesByPeriod: 'The price histories of several cards.',
  historiesByDays: 'The price histories of several cards.',
  changes: 'The changes of a card’s price.',
  mover: 'A card whose price changed.',
  moversPage: 'A page of cards whose price changed. `total` counts all cards that fit the parameters.',
  health: 'The version of the data, its newest date, the number of its cards, and the version of the software.',
  errorInFormA: 'An error with its code, its message for people, and the status. (Form A.)',
  errorInFormB: 'An error with its code and its message for people. (Form B.)',
}

/** The type of responses with the schema of that name. */
export type ResponseOf<Name extends SchemaName> = v.InferOutput<(typeof schemas)[Name]>
