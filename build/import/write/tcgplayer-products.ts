/**
 * Decides which cards of other sources own TCGplayer's products. Two cards of a source may name the same product in the
 * same finish. The mirror's own record of the product then decides: the card with the product's set and number owns the
 * product. All other cards get neither the product nor its price.
 *
 *   mirror                     MTGJSON
 *   451 BRO 70 Foil            BRO 70  product 451, foil     owns the product
 *                              BRO 71  product 451, foil     has no product
 */
import { foldNumber } from '../../../src/names/numbers.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { idOfKey } from '../finishes.ts'
import { type Ids, tcgplayerKey, tcgplayerKeyText } from '../ids.ts'
import {
  type CatalogSource,
  type LinkedCard,
  productsOf,
  type SourceCard,
  type SourceCatalog,
  unpriced,
} from '../source-catalog.ts'

export type Catalogs = ReadonlyMap<CatalogSource, SourceCatalog>

/** True for TCGplayer's key of a card that the mirror has, or had. */
type IsKnown = (key: string) => boolean

export const isKnownTo =
  (ids: Ids): IsKnown =>
  (key) =>
    ids.idOf('tcgcsv', key) !== undefined

/** TCGplayer's key for a card of another source. An unpriced product stands for the product's first sub-type. */
export function tcgplayerKeyOfCard({ subType, first, ...card }: LinkedCard, isKnown: IsKnown): string | undefined {
  if (subType === null) return undefined
  const products = productsOf({ subType, first, ...card })
  const priced = products.map((product) => tcgplayerKeyText(product, subType)).find(isKnown)
  if (priced !== undefined) return priced
  const unpriced = first ? products.map((product) => tcgplayerKeyText(product, null)).filter(isKnown) : []
  return unpriced.length === 1 ? unpriced[0] : undefined
}

/**
 * True if the card's finish may be of two products, TCGplayer has at least one of them, and neither has the finish. If
 * such a card got an id of its own, it would stay apart from TCGplayer's card for ever.
 */
export const isMissingAtTcgplayer = (card: LinkedCard, ids: Ids): boolean =>
  card.alternativeProduct !== undefined &&
  productsOf(card).some((product) => ids.isUnpriced(product) || ids.subTypesOf(product).length > 0) &&
  tcgplayerKeyOfCard(card, isKnownTo(ids)) === undefined

interface Lost {
  /** TCGplayer's key. */
  readonly product: string
  /** True if another card of the source owns the product; false if the owner is unknown. */
  readonly isDecided: boolean
}

/** The lost products, by the keys of the cards that lost them. */
export type LostProducts = ReadonlyMap<string, Lost>

export interface OwnProducts {
  /**
   * The catalogs, in which at most one card of each source has a given product and its prices. The cards keep their
   * order.
   */
  readonly catalogs: Catalogs
  /** The products that cards have lost. */
  readonly lost: ReadonlyMap<CatalogSource, LostProducts>
}

/** Decides which card of each source owns a product. All sets of the catalogs must have their codes. */
export function ownProducts(catalogs: Catalogs, ids: Ids): OwnProducts {
  const mirror = catalogs.get('tcgcsv')?.cards ?? []
  const ofMirror = new Map(mirror.map((card) => [card.product!, card]))
  // At the first call, new cards of the mirror have no id yet.
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

/** The products that several cards of a source name in one finish, each with these cards. */
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
 * The card with the product's set and number; undefined if no card has them. If all cards are of one set, only numbers
 * are compared. If several cards fit, a card that already has the product's id wins, else the first by key.
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
  // If the product has no number, several cards of the set may own it.
  if (known.number === null && fits.length > 1) return undefined
  return fits.find(isIt) ?? fits.sort((a, b) => compareTexts(a.key, b.key))[0]
}

function withoutProduct({ alternativeProduct: _, ...card }: SourceCard): SourceCard {
  return { ...card, product: null, subType: null, ...unpriced }
}
