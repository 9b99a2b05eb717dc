/** The shapes of responses, as the client packages of TCG Price Lookup read them. They allow no additional fields. */
import * as v from 'valibot'
import { conditions } from '../catalog/card-fields.ts'
import { offsetMax, priceCentsMax, searchLimitMax, setsLimitMax } from '../limits.ts'

/** The most ids that one search may have. The client packages split a longer list into several searches. */
export const idsMax = 20

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.pipe(v.string(), v.minLength(1))
const price = v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(priceCentsMax / 100)))
const date = v.pipe(v.string(), v.isoDate())
const named = { id: text, slug: text, name: text }

const tcgplayer = v.strictObject({ market: price, low: price, mid: price, high: price })
const ofCondition = v.strictObject({ tcgplayer })
const averages = { avg_1d: v.null(), avg_7d: v.null(), avg_30d: price }
const ofGrade = v.strictObject({ ebay: v.strictObject(averages) })

const card = {
  id: text,
  tcgplayer_id: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
  name: text,
  number: v.nullable(text),
  rarity: v.nullable(text),
  variant: v.nullable(text),
  image_url: v.nullable(text),
  updated_at: text,
  set: v.strictObject(named),
  game: v.strictObject(named),
  prices: v.strictObject({
    raw: v.strictObject(v.entriesFromList(conditions, v.exactOptional(ofCondition))),
    /** Prices by grader, then by grade. */
    graded: v.exactOptional(v.record(text, v.record(v.string(), ofGrade))),
  }),
}

const row = v.strictObject({
  source: v.literal('tcgplayer'),
  condition: v.literal('near_mint'),
  grader: v.null(),
  grade: v.null(),
  price_market: price,
  price_low: price,
  price_mid: v.null(),
  price_high: price,
  avg_1d: v.null(),
  avg_7d: v.null(),
  avg_30d: v.null(),
})

const set = v.strictObject({ ...named, game: text, count, released_at: v.nullable(date) })
const game = v.strictObject({ ...named, count })

const pageOf = <Item extends v.GenericSchema>(item: Item, limitMax: number) =>
  v.strictObject({
    data: v.array(item),
    total: count,
    limit: v.pipe(count, v.minValue(1), v.maxValue(limitMax)),
    offset: v.pipe(count, v.maxValue(offsetMax)),
  })

const foundCard = v.strictObject({ ...card, last_price_update: text })

export const shapes = {
  card: v.strictObject(card),
  cards: pageOf(foundCard, searchLimitMax),
  history: v.strictObject({
    data: v.array(v.strictObject({ date, prices: v.array(row) })),
    period: v.picklist(['7d', '30d', '90d', '1y']),
  }),
  sets: pageOf(set, setsLimitMax),
  games: pageOf(game, setsLimitMax),
  error: v.strictObject({ error: text }),
}

export type Card = v.InferOutput<typeof shapes.card>
export type RawPrices = Card['prices']['raw']
export type GradedPrices = NonNullable<Card['prices']['graded']>
export type HistoryRow = v.InferOutput<typeof row>
export type SetSummary = v.InferOutput<typeof set>
export type GameSummary = v.InferOutput<typeof game>
