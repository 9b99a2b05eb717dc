/**
 * Finds the name, number, rarity and image of a product's card, or the reason why the product is not a card. Then makes
 * the cards of a group.
 */
import type * as v from 'valibot'
import type { GameSlug } from '../../../../src/games.ts'
import { withoutNumber } from '../../../../src/names/numbers.ts'
import { type Ids, tcgplayerKeyText } from '../../ids.ts'
import { type SourceCard, sealedRarity, unpriced } from '../../source-catalog.ts'
import { bySubType, imageOf, numberOf, plainText, printingName } from '../../source-values.ts'
import type { Choices } from '../../write/choices.ts'
import type { Import } from '../source.ts'
import type { PriceRow } from './results.ts'
import type { productSchema } from './tcgcsv-schemas.ts'

export interface Product {
  readonly productId: number
  /** The name without the card's number. If the product is not a card, the name as printed. */
  readonly name: string
  readonly number: string | null
  /** The total behind the slash of the number; null if there is none. */
  readonly total: number | null
  readonly rarity: string | null
  readonly image: string | null
  /**
   * The reason why the product is not a card; null if it is one. A name is blank if it consists only of tags and
   * entities.
   */
  readonly leftOutAs: 'sealed' | 'code card' | 'name must not be blank' | null
  /** The product's place in its group's file. */
  readonly place: string
}

const codeCard = 'Code Card'

export function productOf(
  { productId, name, imageUrl, extendedData }: v.InferOutput<typeof productSchema>,
  place: string,
  { imageBase, sealed }: Pick<Choices, 'imageBase' | 'sealed'>,
): Product {
  const extended = (key: string): string | null => {
    const text = `${extendedData.find((data) => data.name === key)?.value ?? ''}`
    return text.trim() === '' ? null : text
  }
  const [number, rarity] = [extended('Number'), extended('Rarity')]
  const plainName = plainText(name)
  const kind = kindOf(number, rarity)
  const isCard = kind === null || (kind === 'sealed' && sealed === true)
  const leftOutAs = isCard ? (plainName === '' ? 'name must not be blank' : null) : kind
  if (leftOutAs !== null)
    return { productId, name, number: null, total: null, rarity: null, image: null, leftOutAs, place }
  const printed = number === null ? null : plainText(number)
  return {
    productId,
    name: withoutNumber(plainName, printed),
    number: number === null ? null : numberOf(number),
    total: totalOf(printed),
    rarity: kind === 'sealed' ? sealedRarity : plainText(rarity ?? '') || null,
    image: imageOf(imageUrl, imageBase),
    leftOutAs,
    place,
  }
}

/** The total in a number: 102 for `4/102`. */
function totalOf(number: string | null): number | null {
  const [, total] = /^\w+\/0*([1-9]\d{0,3})$/.exec(number ?? '') ?? []
  return total === undefined ? null : Number(total)
}

function kindOf(number: string | null, rarity: string | null): 'sealed' | 'code card' | null {
  if (number !== null) return null
  if (rarity === null) return 'sealed'
  return plainText(rarity) === codeCard ? 'code card' : null
}

/** The records of a group. */
export interface GroupRecords {
  readonly products: readonly Product[]
  readonly prices: ReadonlyMap<number, readonly PriceRow[]>
  readonly productsFile: string
  readonly pricesFile: string
}

interface GroupContext {
  readonly game: GameSlug
  /** The group's key. */
  readonly set: string
  /** The time of the group's prices, or their day. */
  readonly time: string
}

/** @param taken the products of earlier groups; the products of this group are added to it */
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
    } else {
      const { productId, name, place } = product
      report.leftOut({ game, file: records.productsFile, place, reason, record: `${productId} ${name}` })
    }
  }
  for (const [productId, prices] of records.prices) {
    const noProduct = { game, file: records.pricesFile, reason: 'price of no product', record: `${productId}` }
    if (!known.has(productId)) report.leftOut(noProduct, prices.length)
  }
  return cards
}

/**
 * Makes a card for each sub-type that has a price. A product that never had a price becomes one card without a
 * sub-type.
 */
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
