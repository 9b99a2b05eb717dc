/** Makes cards of a group's products and prices. */
import type { GameSlug } from '../../../../src/games.ts'
import { type Ids, tcgplayerKeyText } from '../../ids.ts'
import { type SourceCard, unpriced } from '../../source-catalog.ts'
import { bySubType, plainText, printingName } from '../names.ts'
import type { Import } from '../source.ts'
import type { GroupRecords } from './group.ts'
import type { PriceRow } from './prices.ts'
import type { Product } from './products.ts'

interface GroupContext {
  readonly game: GameSlug
  /** The group's key. */
  readonly set: string
  /** Of its prices, or their day. */
  readonly time: string
}

/** @param taken products of earlier groups */
export function cardsOfGroup(
  records: GroupRecords,
  context: GroupContext,
  taken: Set<number>,
  { ids, report }: Pick<Import, 'ids' | 'report'>,
): SourceCard[] {
  const { game } = context
  const cards: SourceCard[] = []
  const known = new Set<number>()
  for (const product of records.products) {
    const prices = records.prices.get(product.productId)
    known.add(product.productId)
    const reason = taken.has(product.productId) ? 'product of two groups' : product.leftOutAs
    if (reason === null) {
      taken.add(product.productId)
      cards.push(...cardsOfProduct(product, prices ?? [], context, ids))
    } else report.leftOut(game, records.productsFile, product.place, reason, `${product.productId} ${product.name}`)
  }
  for (const [productId, prices] of records.prices) {
    if (known.has(productId)) continue
    report.leftOut(game, records.pricesFile, null, 'price of no product', `${productId}`, prices.length)
  }
  return cards
}

/** A card for each sub-type with a price; a single card without a sub-type for a product that never had a price. */
function cardsOfProduct(
  product: Product,
  prices: readonly PriceRow[],
  { game, set, time }: GroupContext,
  ids: Ids,
): SourceCard[] {
  const { productId, name, number, rarity, image } = product
  const common = { set, game, number, rarity, image, product: productId }
  const sorted = [...prices].sort((a, b) => bySubType(a.subType, b.subType))
  if (sorted.length === 0) {
    const subType = ids.isUnpriced(productId) ? null : ([...ids.subTypesOf(productId)].sort(bySubType)[0] ?? null)
    return [{ key: tcgplayerKeyText(productId, subType), ...common, name, subType, first: true, ...unpriced }]
  }
  if (ids.isUnpriced(productId)) ids.moveToSubType(productId, sorted[0]!.subType)
  return sorted.map(({ subType, market, low, mid, high }, i) => ({
    key: tcgplayerKeyText(productId, subType),
    ...common,
    name: printingName(name, plainText(subType), sorted.length > 1),
    subType,
    first: i === 0,
    market,
    low,
    mid,
    high,
    day: market === null && low === null && mid === null && high === null ? null : time,
  }))
}
