/**
 * Which of a Cardmarket product's prices are of which card. A product has prices of its own, and prices of its other finish: `-holo` of
 * Reverse Holofoils in the guide of Pokémon, `-foil` of foils in all others.
 *
 *   product of                        own prices                    prices of the other finish
 *   Normal, Reverse Holofoil          Normal                        Reverse Holofoil                 Pokémon
 *   Holofoil, Reverse Holofoil        Holofoil                      Reverse Holofoil
 *   Normal, Foil                      Normal                        Foil                             other games
 *   Foil                              Foil, without those of foils  Foil
 *   Normal, Foil, Etched              Normal                        no card: which foil it is, is unknown
 *
 * Editions are no finish: the guide's price is that of each.
 */
import type { GameSlug } from '../../../src/games.ts'
import { fold } from '../../../src/names/fold.ts'
import type { ComposedCard, ProductPrices } from '../source-catalog.ts'

export const isOfPokemon = (game: GameSlug): boolean => game === 'pokemon' || game === 'pokemonjp'

const edition = /^(?:1st|first|unlimited|limited)(?: edition)?(?: |$)/
const plain = 'normal'
const reverse = 'reverse holofoil'
const foilWord = /(?:^| )(?:holo|holofoil|foil|etched)(?: |$)/

/** The printing without its edition, folded. */
const finishOf = ({ printing }: Pick<ComposedCard, 'printing'>): string =>
  fold(printing ?? '')
    .join(' ')
    .replace(edition, '') || plain

interface Prices {
  readonly price: number | null
  readonly low: number | null
}
const unknown: Prices = { price: null, low: null }

/** @param cards all that have the product's id. Returns the prices of each, in their order */
export function pricesByFinish(
  { games, price, low, foilPrice, foilLow }: ProductPrices,
  cards: readonly ComposedCard[],
): readonly Prices[] {
  const own: Prices = { price, low }
  const other: Prices = { price: foilPrice, low: foilLow }
  const finishes = cards.map(finishOf)
  if (isOfPokemon(games[0]!)) return finishes.map((finish) => (finish === reverse ? other : own))
  const foils = new Set(finishes.filter((finish) => foilWord.test(finish)))
  const others = new Set(finishes.filter((finish) => !foils.has(finish)))
  const hasOther = foilPrice !== null || foilLow !== null
  const ofFoil = foils.size > 1 ? unknown : others.size === 0 && !hasOther ? own : other
  return finishes.map((finish) => {
    if (foils.has(finish)) return ofFoil
    return finish === plain || others.size === 1 ? own : unknown
  })
}
