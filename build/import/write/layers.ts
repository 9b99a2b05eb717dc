/** Applies layers to existing cards: an overlay by id, a price guide by game, set name, number and name together. */
import { conditions } from '../../../src/api/schemas.ts'
import { foldName } from '../../../src/names/fold.ts'
import { compareTexts } from '../../../src/text-order.ts'
import type { ComposedCard, Currency, Layer, NamedPrices } from '../catalog.ts'
import { slug } from '../ids.ts'
import type { Report } from '../report.ts'
import type { Catalogs } from './assign.ts'
import { applyProducts, marketOfKey, setMarketPrice, takeEuros, tooManyMarkets } from './markets.ts'

/**
 * Returns the cards whose market price is a layer's, in id order. Markets come first: in a folder in euros, they give a card the prices
 * that layers then replace.
 */
export function applyLayers(
  cards: readonly ComposedCard[],
  layers: readonly Layer[],
  catalogs: Catalogs,
  currency: Currency,
  report: Report,
): readonly ComposedCard[] {
  const byId = new Map(layers.length === 0 ? [] : cards.map((card) => [card.id, card]))
  for (const { byId: prices } of layers)
    for (const { id, key, cents } of prices)
      if (key === cardmarketKey && byId.has(id)) byId.get(id)!.cardmarketId = cents
  /** By layer, the cards that it prices. */
  const pricedBy = layers.map((layer) => new Set(applyMarkets(layer, cards, byId, report)))
  if (currency === 'EUR') for (const card of cards) takeEuros(card)
  if (layers.length === 0) return []
  const ownPriced = new Set<ComposedCard>()
  const abbreviations = new Map<string, string>()
  for (const { sets } of catalogs.values())
    for (const { game, name, abbreviation } of sets) abbreviations.set(`${game} ${name}`, abbreviation)
  let byName: Map<string, ComposedCard[]> | undefined
  for (const [i, layer] of layers.entries()) {
    const priced = pricedBy[i]!
    const market = new Set<ComposedCard>()
    for (const { id, key, cents } of layer.byId) {
      const card = byId.get(id)
      if (card === undefined) {
        report.leftOut(null, layer.file, null, 'no such card', `${id} ${key}`)
        continue
      }
      if (key === cardmarketKey || marketOfKey(key) !== undefined) continue
      setPrice(card, key, cents)
      priced.add(card)
      if (key === 'market') market.add(card)
    }
    if (layer.byName.length > 0) byName ??= namedCards(cards, abbreviations)
    for (const named of layer.byName) {
      const found = byName!.get(nameKey(named)) ?? []
      if (found.length === 1) {
        for (const [key, cents] of named.prices) setPrice(found[0]!, key, cents)
        priced.add(found[0]!)
      } else {
        const reason =
          found.length === 0
            ? 'no card of that game, set, number and name'
            : 'several cards of that game, set, number and name'
        report.leftOut(named.game, layer.file, null, reason, `${named.setName}: ${named.name} #${named.number}`)
      }
    }
    for (const card of priced) {
      if (market.has(card)) card.sources.unshift(layer.label)
      else if (!card.sources.includes(layer.label)) card.sources.push(layer.label)
      card.updatedAt ??= layer.day
    }
    for (const card of market) ownPriced.add(card)
  }
  // The order of the files' rows must not change the written bytes.
  for (const card of cards) {
    sortKeys(card.conditions, byCondition)
    sortKeys(card.graded, compareTexts)
  }
  return cards.filter((card) => ownPriced.has(card))
}

const cardmarketKey = 'cardmarketId'

/** Returns the cards that got prices. */
function applyMarkets(
  layer: Layer,
  cards: readonly ComposedCard[],
  byId: ReadonlyMap<string, ComposedCard>,
  report: Report,
): ComposedCard[] {
  const priced = applyProducts(layer, cards, report)
  for (const { id, key, cents } of layer.byId) {
    const card = byId.get(id)
    const named = card && marketOfKey(key)
    if (named === undefined) continue
    if (setMarketPrice(card!, named, cents, layer.day)) priced.push(card!)
    else report.leftOut(card!.game, layer.file, null, tooManyMarkets, `${id} ${key}`)
  }
  return priced
}

function setPrice(card: ComposedCard, key: string, cents: number): void {
  if (key === 'market' || key === 'low' || key === 'mid' || key === 'high') card.prices[key] = cents
  else if (conditionKeys.includes(key)) {
    card.conditions ??= new Map()
    card.conditions.set(key, cents)
  } else {
    card.graded ??= new Map()
    card.graded.set(key, cents)
  }
}

function sortKeys(values: Map<string, number> | null, compare: (a: string, b: string) => number): void {
  if (values === null || values.size < 2) return
  const entries = [...values].sort(([a], [b]) => compare(a, b))
  values.clear()
  for (const [key, cents] of entries) values.set(key, cents)
}

const conditionKeys: readonly string[] = conditions
const byCondition = (a: string, b: string): number => conditionKeys.indexOf(a) - conditionKeys.indexOf(b)

function namedCards(
  cards: readonly ComposedCard[],
  abbreviations: ReadonlyMap<string, string>,
): Map<string, ComposedCard[]> {
  const named = new Map<string, ComposedCard[]>()
  for (const card of cards) {
    const { game, name, setName, number } = card
    if (number === null) continue
    const abbreviation = abbreviations.get(`${game} ${setName}`) ?? ''
    // TCGplayer prefixes many names with the abbreviation: SWSH12: Silver Tempest.
    const [before, ...behind] = setName.split(': ')
    const bare = behind.length > 0 && slug(before!) === slug(abbreviation) ? behind.join(': ') : setName
    for (const set of new Set([setName, bare])) {
      const key = nameKey({ game, setName: set, number, name })
      const others = named.get(key)
      if (others === undefined) named.set(key, [card])
      else others.push(card)
    }
  }
  return named
}

const nameKey = ({ game, setName, number, name }: Omit<NamedPrices, 'prices'>): string =>
  [game, foldName(setName), number.toLowerCase().replace(/(^|\D)0+(?=\d)/g, '$1'), foldName(name)].join('\n')
