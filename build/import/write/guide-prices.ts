/**
 * Decides which card gets which prices of a Cardmarket product. A product has its own prices, and prices of its other
 * finish. In the guide of Pokémon, number 6, the fields with `-holo` are the prices of Reverse Holofoils. In all other
 * guides, the fields with `-foil` are the prices of foils. A game's row has the number of its guide.
 *
 *   cards with the product's id       own prices go to              prices of the other finish go to
 *   Normal, Reverse Holofoil          Normal                        Reverse Holofoil                 Pokémon
 *   Holofoil, Reverse Holofoil        Holofoil                      Reverse Holofoil
 *   Normal, Foil                      Normal                        Foil                             other games
 *   Foil                              Foil, if no foil has prices   Foil
 *   Normal, Foil, Etched              Normal                        no card: the foil is unknown
 *
 * An edition is not a finish. All editions of a card get the same prices.
 */
import { fold } from '../../../src/names/fold.ts'
import type { GameRow } from '../../games/game-rows.ts'
import type { ComposedCard, ProductPrices } from '../source-catalog.ts'

const guideOfReverseHolofoils = 6

/** True if the game's guide has prices of Reverse Holofoils. @param row undefined if the folder has no such game now */
export const hasReverseHolofoils = (row: Pick<GameRow, 'cardmarket'> | undefined): boolean =>
  row?.cardmarket === guideOfReverseHolofoils

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

/**
 * Returns the prices of each card, in the order of the cards.
 * @param cards all cards that have the product's id
 * @param isReverse the prices of the other finish are those of Reverse Holofoils
 */
export function pricesByFinish(
  { price, low, foilPrice, foilLow }: Pick<ProductPrices, 'price' | 'low' | 'foilPrice' | 'foilLow'>,
  cards: readonly ComposedCard[],
  isReverse: boolean,
): readonly Prices[] {
  const own: Prices = { price, low }
  const other: Prices = { price: foilPrice, low: foilLow }
  const finishes = cards.map(finishOf)
  if (isReverse) return finishes.map((finish) => (finish === reverse ? other : own))
  const foils = new Set(finishes.filter((finish) => foilWord.test(finish)))
  const others = new Set(finishes.filter((finish) => !foils.has(finish)))
  const hasOther = foilPrice !== null || foilLow !== null
  const ofFoil = foils.size > 1 ? unknown : others.size === 0 && !hasOther ? own : other
  return finishes.map((finish) => {
    if (foils.has(finish)) return ofFoil
    return finish === plain || others.size === 1 ? own : unknown
  })
}
