/** Made-up prices over time: a seeded walk for each card, in cents. */
import assert from 'node:assert/strict'
import { randomFrom } from '../../test/support/random.ts'
import type { SampleCard } from './tables.ts'
import { unknownPrices } from './unknowns.ts'

/** One day of a card; null: unknown. */
export interface Day {
  readonly market: number | null
  readonly low: number | null
  readonly high: number | null
}

/** The price of a card of a rarity, from … to, in whole units; most are near the lower end. */
const usual: Readonly<Record<string, readonly [from: number, to: number]>> = {
  Common: [0.08, 3],
  Token: [0.1, 4],
  Uncommon: [0.15, 5],
  Rare: [0.4, 20],
  Promo: [2, 25],
  Leader: [1, 15],
  'Holo Rare': [10, 60],
  'Rare Holo': [12, 80],
  'Holo Rare VMAX': [5, 15],
  'Double Rare': [2, 14],
  'Triple Rare': [4, 20],
  'Shiny Rare': [8, 60],
  'Ultra Rare': [4, 60],
  'Super Rare': [1.5, 30],
  'Secret Rare': [12, 90],
  'Hyper Rare': [18, 60],
  'Character Super Rare': [12, 60],
  'Special Illustration Rare': [40, 150],
  Special: [1, 12],
  Legendary: [6, 45],
  Majestic: [5, 40],
  'Mythic Rare': [8, 40],
  Enchanted: [60, 260],
}

/** The level, in cents, around which the card's price walks. */
export function levelOf(card: SampleCard): number {
  if (card.about !== null) return Math.round(card.about * 100)
  const range = usual[card.rarity]
  assert(range, `${card.id}: no usual price for ${card.rarity}`)
  const place = randomFrom(`${card.id} level`)()
  return Math.round((range[0] + (range[1] - range[0]) * place * place * place) * 100)
}

/**
 * The card's days, oldest first. Two days of three repeat the one before, the others move by up to 4 %, a few jump
 * by up to a third; below the level it rises rather than falls, so that the walk stays near. One price in some
 * hundreds is unknown, on the last day only what `unknownPrices` says.
 */
export function walk(card: SampleCard, days: number): Day[] {
  const random = randomFrom(`${card.id} walk`)
  const level = levelOf(card)
  const lowShare = 0.6 + random() * 0.3
  const highShare = 1.2 + random() * 1.2
  let market = Math.max(1, Math.round(level * (0.75 + random() * 0.5)))
  let low = Math.max(1, Math.round(market * lowShare))
  let high = Math.round(market * highShare)
  const isUnknown = (price: keyof Day) => unknownPrices[card.id]?.includes(price)
  return Array.from({ length: days }, (_, day) => {
    const kind = random()
    if (kind < 1 / 3) {
      const size = kind < 0.012 ? 0.08 + random() * 0.25 : random() * 0.04
      const rises = random() < (market < level ? 0.6 : 0.4)
      market = Math.max(1, Math.round(market * (rises ? 1 + size : 1 - size)))
      // The cheapest and the dearest offer don't follow each move.
      if (random() < 0.7 || low > market) low = Math.max(1, Math.round(market * lowShare))
      if (random() < 0.7 || high < market) high = Math.round(market * highShare)
    }
    if (day === days - 1) {
      return {
        market: isUnknown('market') ? null : market,
        low: isUnknown('low') ? null : low,
        high: isUnknown('high') ? null : high,
      }
    }
    const gap = random()
    return { market: gap < 0.001 ? null : market, low: gap < 0.004 ? null : low, high: gap < 0.002 ? null : high }
  })
}

/** Which of the days the sources have: most, without a day here and there, and a week or so for one card in six. */
export function present(card: SampleCard, days: number): boolean[] {
  const random = randomFrom(`${card.id} gaps`)
  const gapAt = random() < 1 / 6 ? 1 + Math.floor(random() * (days - 20)) : days
  const gapDays = 3 + Math.floor(random() * 12)
  return Array.from({ length: days }, (_, day) => {
    if (day === 0 || day === days - 1) return true
    return random() >= 0.003 && (day < gapAt || day >= gapAt + gapDays)
  })
}
