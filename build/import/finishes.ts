/**
 * Cards of Magic, and the products that TCGplayer has for their finishes. MTGJSON and Scryfall use the same names for
 * finishes.
 */

import { type LinkedCard, type SourceCard, type SourceSet, unpriced } from './source-catalog.ts'
import { bySubType, normal, numberOf, plainText, printingName } from './source-values.ts'

/** The printing of each finish. It becomes a part of names and, except for `Normal`, of ids. */
const printings: ReadonlyMap<string, string> = new Map([
  ['nonfoil', normal],
  ['foil', 'Foil'],
  ['etched', 'Etched'],
  ['glossy', 'Glossy'],
  ['signed', 'Signed'],
])

const printingOf = (finish: string): string => printings.get(finish) ?? finish

/** The printing of the card with a key `id finish`. */
export const finishOf = (key: string): string => printingOf(key.slice(key.indexOf(' ') + 1))

/** The source's id in a key `id finish`. */
export const idOfKey = (key: string): string => key.slice(0, key.indexOf(' '))

/** A card in all its finishes. */
interface MagicCard {
  readonly id: string
  readonly set: string
  /** The name and the number as printed. */
  readonly name: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image: string | null
  readonly finishes: readonly string[]
  /** TCGplayer's product, and its product of etched cards. They may be the same product. */
  readonly product: number | null
  readonly etchedProduct: number | null
  /** A second product, if foil cards have their own. Either this one or `product` may be that of foil cards. */
  readonly alternativeProduct?: number | null
  readonly cardmarketId: number | null
}

/** A set of Magic. Its code is its key. */
export const magicSet = (key: string, name: string, releaseDate: string | null, group: number | null): SourceSet => ({
  key,
  game: 'mtg',
  abbreviation: key,
  name: plainText(name) || name,
  releaseDate,
  group,
})

/**
 * Makes a card for each finish, without prices. TCGplayer has the sub-type `Foil` for both foil and etched cards.
 * Etched cards are mostly separate products.
 */
export function cardsByFinish(card: MagicCard): SourceCard[] {
  const { id, set, number, rarity, image, cardmarketId } = card
  const sorted = [...new Set(card.finishes)].sort((a, b) => bySubType(printingOf(a), printingOf(b)))
  return sorted.map((finish, i) => ({
    key: `${id} ${finish}`,
    set,
    game: 'mtg',
    name: printingName(plainText(card.name) || card.name, printingOf(finish), sorted.length > 1),
    number: number === null ? null : numberOf(number),
    rarity: rarity || null,
    image,
    ...linkOf(finish, sorted, card),
    first: i === 0 && finish !== 'etched',
    ...unpriced,
    ...(cardmarketId === null ? {} : { cardmarketId }),
  }))
}

function linkOf(
  finish: string,
  finishes: readonly string[],
  { product, etchedProduct, alternativeProduct }: MagicCard,
): Omit<LinkedCard, 'first'> {
  const alternative = alternativeProduct && alternativeProduct !== product ? { alternativeProduct } : {}
  if (finish === 'nonfoil') return { product, ...alternative, subType: normal }
  if (finish === 'foil') return { product, ...alternative, subType: 'Foil' }
  if (finish !== 'etched') return { product, subType: null }
  const own = etchedProduct ?? (finishes.length === 1 ? product : null)
  // If foil and etched cards share a product, the foil card gets its prices.
  return { product: own, subType: own !== null && own === product && finishes.includes('foil') ? null : 'Foil' }
}
