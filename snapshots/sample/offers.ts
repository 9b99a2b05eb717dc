/** A card's prices by condition and by grade, made up around its market price. All in cents. */
import { type Random, randomFrom } from '../../test/support/random.ts'
import type { SampleCard } from './tables.ts'

const wear = { near_mint: 1, lightly_played: 0.85, moderately_played: 0.7, heavily_played: 0.5, damaged: 0.35 }
const grades = { psa_10: 5.5, psa_9: 1.9, bgs_9_5: 3.4, cgc_10: 3.8, cgc_9: 1.6 }

/** Prices by condition: an old or dear card is sold in every one, a cheap new one only unplayed. */
export function conditionsOf(card: SampleCard, market: number, isOld: boolean): Record<string, number> {
  const kinds = isOld || market > 5000 ? 5 : market > 200 ? 3 : market > 50 ? 2 : 1
  return scaled(randomFrom(`${card.id} conditions`), market, Object.entries(wear).slice(0, kinds))
}

/** Prices by grade: only what is dear is worth grading, and not in every grade; null for the rest. */
export function gradedOf(card: SampleCard, market: number): Record<string, number> | null {
  if (market < 3000) return null
  const random = randomFrom(`${card.id} graded`)
  return scaled(
    random,
    market,
    Object.entries(grades).filter(() => random() < 0.75),
  )
}

function scaled(random: Random, market: number, shares: [string, number][]): Record<string, number> {
  return Object.fromEntries(
    shares.map(([key, share]) => [key, Math.max(1, Math.round(market * share * (0.95 + random() * 0.1)))]),
  )
}
