/**
 * TCGplayer's products of other sources' cards. If two cards of a source name one product in one finish, the mirror's own record says
 * whose it is: the product's set and number are those of one of the two. Any other card has neither the product nor a price of it.
 *
 *   mirror                     MTGJSON
 *   451 BRO 70 Foil            BRO 70  product 451, foil     the product's card
 *                              BRO 71  product 451, foil     a card without a product
 */
import { foldNumber } from '../../../src/names/numbers.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { type Ids, tcgplayerKey, tcgplayerKeyText } from '../ids.ts'
import {
  type CatalogSource,
  type LinkedCard,
  productsOf,
  type SourceCard,
  type SourceCatalog,
  unpriced,
} from '../source-catalog.ts'
import { idOfKey } from '../sources/finishes.ts'

export type Catalogs = ReadonlyMap<CatalogSource, SourceCatalog>

/** True for TCGplayer's key of a card that the mirror has, or had. */
type IsKnown = (key: string) => boolean

export const isKnownTo =
  (ids: Ids): IsKnown =>
  (key) =>
    ids.idOf('tcgcsv', key) !== undefined

/** TCGplayer's key of another source's card. An unpriced product's key is that of its first sub-type. */
export function tcgplayerKeyOfCard({ subType, first, ...card }: LinkedCard, isKnown: IsKnown): string | undefined {
  if (subType === null) return undefined
  const products = productsOf({ subType, first, ...card })
  const priced = products.map((product) => tcgplayerKeyText(product, subType)).find(isKnown)
  if (priced !== undefined) return priced
  const unpriced = first ? products.map((product) => tcgplayerKeyText(product, null)).filter(isKnown) : []
  return unpriced.length === 1 ? unpriced[0] : undefined
}

/** True for a finish of one of two products if TCGplayer has these, and neither in that finish. An id of its own would part it for ever. */
export const isMissingAtTcgplayer = (card: LinkedCard, ids: Ids): boolean =>
  card.alternativeProduct !== undefined &&
  productsOf(card).some((product) => ids.isUnpriced(product) || ids.subTypesOf(product).length > 0) &&
  tcgplayerKeyOfCard(card, isKnownTo(ids)) === undefined

interface Lost {
  /** TCGplayer's key. */
  readonly product: string
  /** True if it is that of another card of the source; false if it is unknown whose it is. */
  readonly isDecided: boolean
}

/** By the cards' keys. */
export type LostProducts = ReadonlyMap<string, Lost>

export interface OwnProducts {
  /** The catalogs with each product and its prices at one card of a source. Their cards are in the same order. */
  readonly catalogs: Catalogs
  /** The products that cards have lost. */
  readonly lost: ReadonlyMap<CatalogSource, LostProducts>
}

/** The sets of all catalogs must have their codes. */
export function ownProducts(catalogs: Catalogs, ids: Ids): OwnProducts {
  const mirror = catalogs.get('tcgcsv')?.cards ?? []
  const ofMirror = new Map(mirror.map((card) => [card.product!, card]))
  // New cards of the mirror have no id yet when this is first asked.
  const keys = new Set(mirror.map(({ key }) => key))
  const [isKnownById, isKnown] = [isKnownTo(ids), (key: string): boolean => keys.has(key) || isKnownById(key)]
  const own = new Map(catalogs)
  const lost = new Map<CatalogSource, LostProducts>()
  for (const [source, catalog] of catalogs) {
    if (source === 'tcgcsv') continue
    const lostHere = new Map<string, Lost>()
    for (const [product, cards] of sharedProducts(catalog.cards, isKnown)) {
      const known = ofMirror.get(tcgplayerKey(product).product)
      const owner = known && ownerOf(source, cards, known, ids)
      for (const { key } of cards)
        if (key !== owner?.key) lostHere.set(key, { product, isDecided: owner !== undefined })
    }
    if (lostHere.size === 0) continue
    lost.set(source, lostHere)
    const cards = catalog.cards.map((card) => (lostHere.has(card.key) ? withoutProduct(card) : card))
    own.set(source, { sets: catalog.sets, cards })
  }
  return { catalogs: own, lost }
}

/** The cards of a source that name a product in one finish, of those that several name. */
function sharedProducts(cards: readonly SourceCard[], isKnown: IsKnown): Map<string, SourceCard[]> {
  const byProduct = new Map<string, SourceCard>()
  const shared = new Map<string, SourceCard[]>()
  for (const card of cards) {
    const { product, subType } = card
    if (product === null || subType === null) continue
    const key = tcgplayerKeyOfCard(card, isKnown) ?? tcgplayerKeyText(product, subType)
    const first = byProduct.get(key)
    if (first === undefined) byProduct.set(key, card)
    else if (idOfKey(first.key) !== idOfKey(card.key)) shared.set(key, [...(shared.get(key) ?? [first]), card])
  }
  return shared
}

/**
 * The card with the product's set and number; undefined if none has them. Within one set, the number says it. Of two cards with that set
 * and number, the one that is it already, else the first.
 */
function ownerOf(
  source: CatalogSource,
  cards: readonly SourceCard[],
  known: SourceCard,
  ids: Ids,
): SourceCard | undefined {
  const code = ids.codeOf('tcgcsv', known.set)
  const isOneSet = cards.every(({ set }) => set === cards[0]!.set)
  const fits = cards.filter(({ set, number }) => {
    const isSet = isOneSet || ids.codeOf(source, set) === code
    return isSet && (known.number === null || foldNumber(number ?? '') === foldNumber(known.number))
  })
  const isIt = ({ key }: SourceCard): boolean => {
    const id = ids.idOf(source, key)
    return id !== undefined && tcgplayerKey(ids.keyOf('tcgcsv', id) ?? '').product === known.product
  }
  // Without a number, several of the set may be it.
  if (known.number === null && fits.length > 1) return undefined
  return fits.find(isIt) ?? fits.sort((a, b) => compareTexts(a.key, b.key))[0]
}

function withoutProduct({ alternativeProduct: _, ...card }: SourceCard): SourceCard {
  return { ...card, product: null, subType: null, ...unpriced }
}
