/**
 * Compares a source's prices with its last import. A download can be right record by record, and yet hold no prices, or prices in
 * another unit.
 */
import type { GameSlug } from '../../../src/games.ts'
import { cardsComparedMin, cardsKeptPercentMin, marketFactorMax } from '../../../src/limits.ts'
import type { Layer, SourceCard, SourceCatalog } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { gameOf, tcgplayerKeyText } from '../ids.ts'
import type { Report } from '../report.ts'

type MarketPrice = Pick<SourceCard, 'key' | 'game' | 'market'>

/** Adds an error for each game whose market prices differ too much. */
export function checkPrices(
  before: readonly MarketPrice[],
  now: readonly MarketPrice[],
  file: string,
  errors: ImportErrors,
): void {
  for (const [game, { had, lost, ratios }] of compare(before, now)) {
    const median = ratios.sort((a, b) => a - b)[(ratios.length - 1) >> 1] ?? 1
    const isEmptied = had >= cardsComparedMin && (had - lost) * 100 < had * cardsKeptPercentMin
    const isScaled = median > marketFactorMax || median * marketFactorMax < 1
    if (!isEmptied && !isScaled) continue
    const gone = `${number(lost)} of ${number(had)} cards that had a market price have none now`
    const changed = ratios.length === 0 ? '' : `, and the median of the others is ${number(median)} times what it was`
    errors.add(file, game, `${gone}${changed}: --force imports all the same, and the build needs it, too`)
  }
}

const number = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 6 })

interface Compared {
  /** The number of cards that had a market price. */
  had: number
  /** The number of these that have none now. */
  lost: number
  /** Of the others: the price now divided by the price then. */
  readonly ratios: number[]
}

/** Cards kept from the import before are not compared. */
function compare(before: readonly MarketPrice[], now: readonly MarketPrice[]): Map<GameSlug, Compared> {
  const kept = new Set(now)
  const prices = new Map(now.map(({ key, market }) => [key, market]))
  const games = new Map<GameSlug, Compared>()
  for (const card of before) {
    const { game, key, market } = card
    if (market === null || kept.has(card)) continue
    const compared = games.get(game) ?? { had: 0, lost: 0, ratios: [] }
    games.set(game, compared)
    compared.had++
    const price = prices.get(key) ?? null
    if (price === null) compared.lost++
    else compared.ratios.push(price === market ? 1 : price / market)
  }
  return games
}

/** A layer's market prices of these games. */
export const marketPrices = (layer: Layer | undefined, games: ReadonlySet<GameSlug>): MarketPrice[] =>
  (layer?.byId ?? []).flatMap(({ id, key, cents }) => {
    const game = gameOf(id)
    return key === 'market' && games.has(game) ? [{ key: id, game, market: cents }] : []
  })

/**
 * Adds an error if the prices differ from the last import, but their date is no later: they are of a day on which no product
 * changed, and would replace the history of an earlier day.
 */
export function checkDate(
  date: string,
  before: readonly SourceCard[],
  now: readonly SourceCard[],
  file: string,
  errors: ImportErrors,
): void {
  const kept = new Set(now)
  const earlier = before.filter((card) => !kept.has(card))
  const last = earlier.reduce((newest, { day }) => (day !== null && day > newest ? day : newest), '')
  if (date > last) return
  const known = new Map(earlier.map((card) => [card.key, card]))
  const isOther = now.some((card) => {
    const was = known.get(card.key) ?? known.get(tcgplayerKeyText(card.product!, null))
    return was !== undefined && priceFields.some((field) => was[field] !== card[field])
  })
  if (!isOther) return
  const wrong = `is dated ${date}, but its prices differ from the last import, of ${last.slice(0, 10)}: name their day with --date`
  errors.add(file, '', wrong)
}

const priceFields = ['market', 'low', 'mid', 'high'] as const

/** Reports the sets that had prices, and have none now. */
export function reportUnpricedSets(before: SourceCatalog, now: SourceCatalog, file: string, report: Report): void {
  const [had, have] = [pricedSets(before), pricedSets(now)]
  for (const { key, game, name } of now.sets)
    if (had.has(key) && !have.has(key))
      report.doubtful(game, file, null, 'had prices, and has none now', `${key} ${name}`)
}

const pricedSets = ({ cards }: SourceCatalog): ReadonlySet<string> =>
  new Set(cards.filter(isPriced).map(({ set }) => set))

export const isPriced = (prices: Pick<SourceCard, (typeof priceFields)[number]>): boolean =>
  priceFields.some((field) => prices[field] !== null)
