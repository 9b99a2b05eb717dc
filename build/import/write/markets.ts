/** The prices of composed cards at other markets, and a folder whose own prices are in euros. */

import type { GameSlug } from '../../../src/games.ts'
import { cardMarketsMax } from '../../../src/limits.ts'
import { compareTexts } from '../../../src/text-order.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import type { Report } from '../import-report.ts'
import type { ComposedCard, Layer, Market } from '../source-catalog.ts'
import { hasReverseHolofoils, pricesByFinish } from './guide-prices.ts'

type Named = Pick<Market, 'market' | 'currency'>

export const isSameMarket = (a: Named, b: Named): boolean => a.market === b.market && a.currency === b.currency

/** The market and currency of a layer's key `market:NAME:CURRENCY`; undefined for other keys. */
export function marketOfKey(key: string): Named | undefined {
  const [, market, currency] = /^market:([^:]*):([^:]*)$/.exec(key) ?? []
  return market === undefined || currency === undefined ? undefined : { market, currency }
}

/** True if a layer's key names one of the card's own prices, and not a price at another market. */
export const isOwnPrice = (key: string): boolean => marketOfKey(key) === undefined

/**
 * Replaces the card's prices at one market. Returns false if the card already has as many other markets as are allowed.
 */
function setMarket(card: ComposedCard, market: Market): boolean {
  const others = card.markets.filter((one) => !isSameMarket(one, market))
  if (others.length === cardMarketsMax) return false
  card.markets = [...others, market]
  return true
}

/** Sets a layer's price at a market. The card's other prices at that market stay. */
export function setMarketPrice(card: ComposedCard, named: Named, price: number, updatedAt: string): boolean {
  const known = card.markets.find((one) => isSameMarket(one, named))
  return setMarket(card, { ...named, price, low: known?.low ?? null, buylist: known?.buylist ?? null, updatedAt })
}

const cardmarket: Named = { market: 'cardmarket', currency: 'EUR' }

/** Applies the prices of products to the cards that have the products' ids. Returns the cards that got prices. */
export function applyProducts(
  { byProduct, file }: Layer,
  cards: readonly ComposedCard[],
  folder: FolderGames,
  report: Report,
): ComposedCard[] {
  if (byProduct.length === 0) return []
  const ofProducts = Map.groupBy(cards, ({ cardmarketId }) => cardmarketId)
  const priced: ComposedCard[] = []
  const leftOut = new Map<GameSlug, number>()
  for (const product of byProduct) {
    const { games, day } = product
    const [guide] = games as [GameSlug]
    const found = ofProducts.get(product.product)?.filter(({ game }) => games.includes(game)) ?? []
    if (found.length === 0) leftOut.set(guide, (leftOut.get(guide) ?? 0) + 1)
    const isReverse = hasReverseHolofoils(folder.row(guide))
    for (const [i, { price, low }] of pricesByFinish(product, found, isReverse).entries()) {
      const card = found[i]!
      if (price === null && low === null) continue
      const market = { ...cardmarket, price, low, buylist: null, updatedAt: day }
      if (setMarket(card, market)) priced.push(card)
      else report.leftOut({ game: card.game, file, reason: tooManyMarkets, record: card.id })
    }
  }
  const reason = 'product of no card with that cardmarketId'
  for (const [game, count] of leftOut) report.leftOut({ game, file, reason, record: `${count} products` }, count)
  return priced
}

export const tooManyMarkets = `more than ${cardMarketsMax} markets`

const euros = 'EUR'

/**
 * Replaces the card's own prices by those of its first market in euros. The card's prices in dollars are kept as those
 * of another market. Returns false if the card has no room for another market.
 */
export function takeEuros(card: ComposedCard): boolean {
  const { prices, updatedAt } = card
  const dollars = { price: prices.market, low: prices.low, buylist: null, updatedAt }
  const hasDollars = prices.market !== null || prices.low !== null
  const isKept = !hasDollars || setMarket(card, { market: 'tcgplayer', currency: 'USD', ...dollars })
  const first = card.markets.filter(({ currency }) => currency === euros).sort(byOwnOrder)[0]
  prices.market = first?.price ?? null
  prices.low = first?.low ?? null
  prices.mid = null
  prices.high = null
  card.updatedAt = first?.updatedAt ?? null
  if (first !== undefined) card.sources = [first.market, ...card.sources.filter((source) => source !== first.market)]
  return isKept
}

/** Cardmarket first, then by name. */
function byOwnOrder(a: Market, b: Market): number {
  const isLater = ({ market }: Market): number => Number(market !== cardmarket.market)
  return isLater(a) - isLater(b) || compareTexts(a.market, b.market)
}
