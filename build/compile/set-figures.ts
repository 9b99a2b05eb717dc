/** Computes the prices of each set's cards: sums, counts, and the dearest cards. */
import { dearestMax, noCard, type SetFiguresFile } from '../../src/indexes/set-figures-file.ts'
import { foldNumber } from '../../src/names/numbers.ts'
import type { Card } from './compiled-cards.ts'

type PricedCard = Pick<Card, 'name' | 'number' | 'setNumber' | 'market'>

/**
 * Printings with the same number count as one card of the set. A card without a number counts as one card.
 * @param cards by card index
 */
export function compileSetFigures(cards: readonly PricedCard[], setCount: number): SetFiguresFile {
  const figures = {
    cents: new Float64Array(2 * setCount),
    counts: new Uint32Array(3 * setCount),
    dearest: new Uint32Array(dearestMax * setCount).fill(noCard),
  }
  const cardsOf = Map.groupBy(cards.keys(), (card) => cards[card]!.setNumber)
  for (const [set, members] of cardsOf) {
    const priced = members.filter((card) => cards[card]!.market !== null)
    const centsOf = (card: number) => cards[card]!.market!
    const cheapest = new Map<string | number, number>()
    for (const card of priced) {
      const key = keyOf(cards[card]!, card)
      cheapest.set(key, Math.min(cheapest.get(key) ?? Number.POSITIVE_INFINITY, centsOf(card)))
    }
    const numbers = new Set(members.map((card) => keyOf(cards[card]!, card)))
    figures.cents.set([sumOf(priced.map(centsOf)), sumOf([...cheapest.values()])], 2 * set)
    figures.counts.set([priced.length, numbers.size, cheapest.size], 3 * set)
    const dearest = priced.sort((a, b) => centsOf(b) - centsOf(a) || a - b).slice(0, dearestMax)
    figures.dearest.set(dearest, dearestMax * set)
  }
  return figures
}

const keyOf = ({ number }: PricedCard, card: number): string | number => (number === null ? card : foldNumber(number))

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
