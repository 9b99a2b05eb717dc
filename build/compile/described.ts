/** What search, lists and the order of cards are compiled from, read in the cards' details. */
import { cardStart, textNumber } from '../../src/indexes/cards-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import type { Card } from '../read/cards-and-sets.ts'

export interface DescribedCard {
  /** Where it stands in the files. */
  readonly place: number
  readonly id: string
  readonly name: string
  readonly game: number
  /** The place of its set in the list of sets. */
  readonly setNumber: number
  readonly number: string | null
  readonly rarity: string | null
  /** Cents, null if unknown. */
  readonly market: number | null
  readonly tcgplayerId: number | null
}

/** What follows all that does not move with prices. A text has no quotation mark without a backslash before it. */
const steadyEnd = Buffer.from(',"image":')

/** Where in its block's texts the card's fields lie that do not move with prices: all up to its image, but the product. */
export function steadyFields(card: Card): { start: number; end: number } {
  const { texts, textsAt } = card.block
  const start = textsAt[textNumber(card, 'details')]! + cardStart.length
  return { start, end: Buffer.from(texts.buffer, 0, texts.length).indexOf(steadyEnd, start) }
}

export function describe(card: Card, place: number): DescribedCard {
  const { block } = card
  const { start, end } = steadyFields(card)
  const { id, name, number, rarity } = JSON.parse(
    `${Buffer.from(block.texts.buffer, start, end - start).toString()}}`,
  ) as DescribedCard
  const market = block.markets[card.place]!
  const product = block.products[card.place]!
  return {
    ...{ place, id, name, game: block.games[card.place]!, setNumber: block.sets[card.place]!, number, rarity },
    ...{ market: market === noPrice ? null : market, tcgplayerId: product === 0 ? null : product },
  }
}
