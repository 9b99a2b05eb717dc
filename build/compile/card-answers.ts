/** A card's texts in responses, from its record. */
import {
  type BatchItem,
  type CardSummary,
  type Condition,
  type ExtendedField,
  type ResponseOf,
  summaryConditions,
} from '../../src/api/schemas.ts'
import { conditions, csvField, lineEnd } from '../../src/catalog/card-fields.ts'
import { withoutPhrases } from '../../src/indexes/phrases.ts'
import type { CardRecord } from '../read/snapshot-schema.ts'

/** The values that a card's texts show besides the fields of its record. */
export interface ShownOfCard {
  /** The game's slug. */
  readonly game: string
  /** The set's name. */
  readonly set: string
  /** The currency of all prices, null if unknown. */
  readonly currency: string | null
}

export function details(card: CardRecord, { game, set }: ShownOfCard): string {
  const { id, name, setCode, number, rarity, image, sources, updatedAt } = card
  const { market, low, mid, high, conditions, graded } = card.prices
  const offers = { market: decimal(market), low: decimal(low), mid: decimal(mid), high: decimal(high) }
  const prices = { ...offers, conditions: conditionDecimals(conditions), graded: decimals(graded) }
  const answer: ResponseOf<'card'> = {
    data: { id, name, game, set, setCode, number, rarity, image, prices, sources: [...sources], updatedAt },
  }
  return JSON.stringify(answer)
}

export function summary(card: CardRecord, { game, set }: ShownOfCard): string {
  const { id, name, rarity } = card
  const conditions = card.prices.conditions.filter(isOfSummary)
  const prices = { market: decimal(card.prices.market), conditions: conditionDecimals(conditions) }
  const answer: CardSummary = { id, name, game, set, rarity, prices }
  return JSON.stringify(answer)
}

/** The fields that only an extended view has, and the end of its object. Frequent phrases are shortened. */
export function extras(card: CardRecord, { currency }: ShownOfCard): string {
  const { printing, tcgplayerId, scryfallId, mtgjsonId, cardmarketId } = card
  type Fields = Pick<ResponseOf<'extendedCard'>, ExtendedField>
  const fields: Fields = {
    printing,
    currency,
    tcgplayerId,
    scryfallId,
    mtgjsonId,
    cardmarketId,
    markets: card.markets.map(({ market, currency, price, low, buylist, updatedAt }) => ({
      market,
      currency,
      price: decimal(price),
      low: decimal(low),
      buylist: decimal(buylist),
      updatedAt,
    })),
  }
  return withoutPhrases(`,${JSON.stringify(fields).slice(1)}`)
}

/** A line of CSV: see `cardsHead`. */
export function csvLine(card: CardRecord, { game, set, currency }: ShownOfCard): string {
  const { id, name, setCode, number, rarity, printing, updatedAt } = card
  const { market, low, mid, high } = card.prices
  const ofCondition = new Map<Condition, number>(card.prices.conditions)
  const texts = [id, name, game, set, setCode, number, rarity, printing, currency]
  const prices = [market, low, mid, high, ...conditions.map((condition) => ofCondition.get(condition) ?? null)]
  return [...texts.map((text) => csvField(text ?? '')), ...prices.map(decimal), updatedAt].join() + lineEnd
}

type PriceOf<Key> = readonly [key: Key, cents: number]

const isOfSummary = (price: PriceOf<Condition>): price is PriceOf<(typeof summaryConditions)[number]> =>
  summaryConditions.some((condition) => condition === price[0])

export function item({ id, name, prices }: CardRecord, { game }: ShownOfCard): string {
  const answer: BatchItem = { id, name, game, prices: { market: decimal(prices.market) } }
  return JSON.stringify(answer)
}

const decimal = (cents: number | null): number | null => (cents === null ? null : cents / 100)

const decimals = (prices: readonly PriceOf<string>[]): Record<string, number> =>
  Object.fromEntries(prices.map(([key, cents]) => [key, cents / 100]))

const conditionDecimals = <Key extends Condition>(prices: readonly PriceOf<Key>[]) =>
  decimals(prices) as { [Name in Key]?: number }
