/** Applies layers to existing cards: an overlay by id, a price guide by game, set name, number and name together. */
import { conditions } from '../../../src/catalog/card-fields.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import type { Report } from '../import-report.ts'
import { type ComposedCard, type Currency, cardmarketKey, type Layer, type NamedPrices } from '../source-catalog.ts'
import { cardsFile } from './folder.ts'
import { applyProducts, isOwnPrice, marketOfKey, setMarketPrice, takeEuros, tooManyMarkets } from './markets.ts'
import { NamedCards } from './named-cards.ts'

interface Applying {
  readonly currency: Currency
  readonly games: FolderGames
  readonly report: Report
}

/**
 * Applies all layers. Returns the cards whose market price comes from a layer, in id order. Prices at markets are
 * applied first: in a folder in euros, they become a card's own prices, which layers may then replace.
 */
export function applyLayers(
  cards: readonly ComposedCard[],
  layers: readonly Layer[],
  { currency, games, report }: Applying,
): readonly ComposedCard[] {
  const byId = new Map(layers.length === 0 ? [] : cards.map((card) => [card.id, card]))
  for (const { cardmarketIds } of layers)
    for (const { id, cardmarketId } of cardmarketIds) if (byId.has(id)) byId.get(id)!.cardmarketId = cardmarketId
  /** The cards that each layer prices. */
  const pricedBy = layers.map((layer) => new Set(applyMarkets(layer, cards, byId, { games, report })))
  for (const card of currency === 'EUR' ? cards : [])
    if (!takeEuros(card)) {
      const file = cardsFile(card.writer, card.game)
      report.leftOut({ game: card.game, file, reason: tooManyMarkets, record: `${card.id} tcgplayer USD` })
    }
  if (layers.length === 0) return []
  const ownPriced = new Set<ComposedCard>()
  let named: NamedCards | undefined
  for (const [i, layer] of layers.entries()) {
    const priced = pricedBy[i]!
    const market = new Set<ComposedCard>()
    const noSuchCard = (id: string, key: string): void =>
      report.leftOut({ game: null, file: layer.file, reason: 'no such card', record: `${id} ${key}` })
    for (const { id } of layer.cardmarketIds) if (!byId.has(id)) noSuchCard(id, cardmarketKey)
    for (const { id, key, cents } of layer.byId) {
      const card = byId.get(id)
      if (card === undefined) {
        noSuchCard(id, key)
        continue
      }
      if (!isOwnPrice(key)) continue
      setPrice(card, key, cents)
      priced.add(card)
      if (key === 'market') market.add(card)
    }
    if (layer.byName.length > 0) named ??= new NamedCards(cards)
    for (const [card, { prices }] of cardRows(layer, named, report)) {
      for (const [key, cents] of prices) setPrice(card, key, cents)
      priced.add(card)
    }
    for (const card of priced) {
      if (market.has(card)) card.sources.unshift(layer.label)
      else if (!card.sources.includes(layer.label)) card.sources.push(layer.label)
      card.updatedAt ??= layer.day
    }
    for (const card of market) ownPriced.add(card)
  }
  return cards.filter((card) => ownPriced.has(card))
}

/** Applies a layer's prices at markets. Returns the cards that got prices. */
function applyMarkets(
  layer: Layer,
  cards: readonly ComposedCard[],
  byId: ReadonlyMap<string, ComposedCard>,
  { games, report }: Pick<Applying, 'games' | 'report'>,
): ComposedCard[] {
  const priced = applyProducts(layer, cards, games, report)
  for (const { id, key, cents } of layer.byId) {
    const card = byId.get(id)
    const named = card && marketOfKey(key)
    if (named === undefined) continue
    if (setMarketPrice(card!, named, cents, layer.day)) priced.push(card!)
    else report.leftOut({ game: card!.game, file: layer.file, reason: tooManyMarkets, record: `${id} ${key}` })
  }
  return priced
}

/** The row of each card that a guide names. */
function cardRows(
  { byName, file }: Layer,
  named: NamedCards | undefined,
  report: Report,
): ReadonlyMap<ComposedCard, NamedPrices> {
  const leaveOut = (row: NamedPrices, reason: string): void =>
    report.leftOut({ game: row.game, file, reason, record: `${row.setName}: ${row.name} #${row.number}` })
  const all = byName.map((row) => ({ row, ...named!.find(row) }))
  /**
   * The cards that rows name with a printing in brackets. If a row without brackets fits two printings, and one of them
   * is in this set, the row means the other printing.
   */
  const bracketed = new Set(
    all.flatMap(({ cards, isPrintingNamed }) => (isPrintingNamed && cards.length === 1 ? cards : [])),
  )
  const rows = all.flatMap(({ row, cards, isPrintingNamed }) => {
    const others = cards.length === 2 && !isPrintingNamed ? cards.filter((one) => !bracketed.has(one)) : cards
    const [card, other] = others.length === 1 ? others : cards
    if (card !== undefined && other === undefined) return [{ card, row, isPrintingNamed }]
    leaveOut(row, `${card === undefined ? 'no card' : 'several cards'} of that game, set, number and name`)
    return []
  })
  const found = new Map<ComposedCard, NamedPrices>()
  for (const [card, own] of Map.groupBy(rows, ({ card }) => card)) {
    const exact = own.length === 1 ? own : own.filter(({ isPrintingNamed }) => isPrintingNamed)
    if (exact.length === 1) found.set(card, exact[0]!.row)
    for (const { row } of own) if (found.get(card) !== row) leaveOut(row, 'another row is of the same card')
  }
  return found
}

function setPrice(card: ComposedCard, key: string, cents: number): void {
  if (key === 'market' || key === 'low' || key === 'mid' || key === 'high') card.prices[key] = cents
  else {
    const field = conditionKeys.includes(key) ? 'conditions' : 'graded'
    card[field] ??= new Map()
    card[field].set(key, cents)
  }
}

const conditionKeys: readonly string[] = conditions
