/** The finishes of Magic cards, with the same names in MTGJSON and Scryfall, and TCGplayer's products for them. */

import type { LinkedCard, SourceCard } from '../catalog.ts'
import { bySubType, normal, printingName } from './names.ts'

/** Printings by finish: a part of names and, but for `Normal`, of ids. */
const printings: ReadonlyMap<string, string> = new Map([
  ['nonfoil', normal],
  ['foil', 'Foil'],
  ['etched', 'Etched'],
  ['glossy', 'Glossy'],
  ['signed', 'Signed'],
])

const printingOf = (finish: string): string => printings.get(finish) ?? finish

/** The printing of a key `id finish`. */
export const finishOf = (key: string): string => printingOf(key.slice(key.indexOf(' ') + 1))

/** The source's id of a key `id finish`. */
export const idOfKey = (key: string): string => key.slice(0, key.indexOf(' '))

/** A card in all its finishes. */
interface Finished {
  readonly id: string
  readonly name: string
  readonly finishes: readonly string[]
  /** TCGplayer's product, and the one of etched cards, which may be the same. */
  readonly product: number | null
  readonly etchedProduct: number | null
  /** The one of foil cards, or of the others if `product` is that of foil cards. */
  readonly alternativeProduct?: number | null
}

type Printing = Pick<SourceCard, 'key' | 'name'> & LinkedCard

/** A card for each finish. TCGplayer's sub-type of foil and etched cards is `Foil`; etched cards are mostly products of their own. */
export function printingsOf(card: Finished): Printing[] {
  const sorted = [...new Set(card.finishes)].sort((a, b) => bySubType(printingOf(a), printingOf(b)))
  return sorted.map((finish, i) => ({
    key: `${card.id} ${finish}`,
    name: printingName(card.name, printingOf(finish), sorted.length > 1),
    ...linkOf(finish, sorted, card),
    first: i === 0 && finish !== 'etched',
  }))
}

function linkOf(
  finish: string,
  finishes: readonly string[],
  { product, etchedProduct, alternativeProduct }: Finished,
): Omit<LinkedCard, 'first'> {
  const alternative = alternativeProduct && alternativeProduct !== product ? { alternativeProduct } : {}
  if (finish === 'nonfoil') return { product, ...alternative, subType: normal }
  if (finish === 'foil') return { product, ...alternative, subType: 'Foil' }
  if (finish !== 'etched') return { product, subType: null }
  const own = etchedProduct ?? (finishes.length === 1 ? product : null)
  // If foil and etched cards share a product, its prices are the foil card's.
  return { product: own, subType: own !== null && own === product && finishes.includes('foil') ? null : 'Foil' }
}
