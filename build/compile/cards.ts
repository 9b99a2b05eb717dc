/** Cards to what is sent of them: details, search summaries and batch items, rendered once and for all. */
import { gameSlugs } from '../../src/games.ts'
import { type Texts, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { partCards } from '../../src/limits.ts'
import type { CardRecord } from '../records.ts'

/**
 * @param cards by card number
 * @param setNameOf the display name of a card's set
 * @returns the pieces of each part
 */
export function compileCards(cards: readonly CardRecord[], setNameOf: (card: CardRecord) => string): Uint8Array[][] {
  const parts: Uint8Array[][] = []
  for (let start = 0; start === 0 || start < cards.length; start += partCards) {
    const part = cards.slice(start, start + partCards)
    parts.push(
      writeCardsPart({
        details: texts(part, (card) => details(card, setNameOf(card))),
        summaries: texts(part, (card) => summary(card, setNameOf(card))),
        items: texts(part, item),
      }),
    )
  }
  return parts
}

function details(card: CardRecord, set: string): string {
  const { id, name, setCode, number, rarity, image, sources, updatedAt } = card
  const { market, low, mid, high, conditions, graded } = card.prices
  const prices = {
    market: decimal(market),
    low: decimal(low),
    mid: decimal(mid),
    high: decimal(high),
    conditions: decimals(conditions),
    graded: decimals(graded),
  }
  const game = gameSlugs[card.game]
  return JSON.stringify({ data: { id, name, game, set, setCode, number, rarity, image, prices, sources, updatedAt } })
}

function summary(card: CardRecord, set: string): string {
  const { id, name, rarity } = card
  const conditions = card.prices.conditions.filter(([key]) => key === 'near_mint' || key === 'lightly_played')
  const prices = { market: decimal(card.prices.market), conditions: decimals(conditions) }
  return JSON.stringify({ id, name, game: gameSlugs[card.game], set, rarity, prices })
}

const item = (card: CardRecord): string =>
  JSON.stringify({
    id: card.id,
    name: card.name,
    game: gameSlugs[card.game],
    prices: { market: decimal(card.prices.market) },
  })

const decimal = (cents: number | null): number | null => (cents === null ? null : cents / 100)

const decimals = (prices: readonly (readonly [string, number])[]) =>
  Object.fromEntries(prices.map(([key, cents]) => [key, cents / 100]))

function texts(cards: readonly CardRecord[], render: (card: CardRecord) => string): Texts {
  const at = new Uint32Array(cards.length + 1)
  const rendered: Buffer[] = []
  cards.forEach((card, i) => {
    const text = Buffer.from(render(card))
    rendered.push(text)
    at[i + 1] = at[i]! + text.length
  })
  return { bytes: Buffer.concat(rendered), at }
}
