/**
 * Compares a source's prices with its last import. Each record of a download can be right, and yet the download can
 * have no prices, or prices in another unit.
 */

import type { GameSlug } from '../../../src/games.ts'
import { cardsComparedMin, cardsKeptPercentMin, marketFactorMax } from '../../publish/completeness.ts'
import { gameOf, tcgplayerKeyText } from '../ids.ts'
import type { ImportErrors } from '../import-errors.ts'
import type { Report } from '../import-report.ts'
import type { Layer, SourceCard, SourceCatalog } from '../source-catalog.ts'

/** A set with at least this many priced cards in the last import is compared on its own. */
const setCardsComparedMin = 20
/** The largest factor by which the median market price of a set may rise or fall. */
const setMarketFactorMax = 5

const priceFields = ['market', 'low', 'mid', 'high'] as const
export type Prices = Pick<SourceCard, (typeof priceFields)[number]>

export const isPriced = (prices: Prices): boolean => priceFields.some((field) => prices[field] !== null)

/**
 * The prices of a card in the last import, and now. In the last import, at least one price was known. `now` is
 * undefined if the card is gone.
 */
export type BeforeAndNow = readonly [before: Prices, now: Prices | undefined]

interface Comparison {
  /** True if the set's prices look wrong. False for a set with few cards, because a few cards are no evidence. */
  readonly isSetWrong: boolean
  readonly isGameWrong: boolean
  readonly setFigures: string
  readonly gameFigures: string
}

export function compare(cards: readonly BeforeAndNow[]): Comparison {
  const had = cards.filter(([{ market }]) => market !== null)
  /** For each card that still has a market price, the price now divided by the price before, ascending. */
  const ratios = had
    .flatMap(([{ market }, now]) => {
      const price = now?.market ?? null
      return price === null ? [] : [price === market ? 1 : price / market!]
    })
    .sort((a, b) => a - b)
  const lost = had.length - ratios.length
  /**
   * True for a card that had other prices but no market price, and has no price now. A card that had a market price is
   * in `lost` instead, even if it still has a low price.
   */
  const isEmptied = ([{ market }, now]: BeforeAndNow) => market === null && (now === undefined || !isPriced(now))
  const emptied = lost + cards.filter(isEmptied).length
  const median = ratios[(ratios.length - 1) >> 1] ?? 1
  const isScaled = (factorMax: number) => median > factorMax || median * factorMax < 1
  const isGone = had.length >= cardsComparedMin && ratios.length * 100 < had.length * cardsKeptPercentMin
  const changed = ratios.length === 0 ? '' : `, and the median of the others is ${number(median)} times what it was`
  return {
    isSetWrong: cards.length >= setCardsComparedMin && (2 * emptied > cards.length || isScaled(setMarketFactorMax)),
    isGameWrong: isGone || isScaled(marketFactorMax),
    setFigures: `${number(emptied)} of ${number(cards.length)} cards that had a price have none now${changed}`,
    gameFigures: `${number(lost)} of ${number(had.length)} cards that had a market price have none now${changed}`,
  }
}

const number = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 6 })

/** The message about a game. `acceptedGamesIn` finds the game in it. */
export const implausible = (game: GameSlug, { gameFigures }: Comparison): string =>
  `${gameFigures}: ${acceptOption} ${game} imports it all the same`

const acceptOption = '--accept'

/** The games that lines of an error offer to accept. */
export const acceptedGamesIn = (lines: readonly string[]): readonly GameSlug[] =>
  lines.flatMap((line) => /: --accept (\w+) imports it all the same$/.exec(line)?.[1] ?? [])

/**
 * Adds an error for each game whose market prices in a layer differ too much from those that the layer had before. The
 * prices may be those of cards or of products.
 */
export function checkLayer(
  before: Layer | undefined,
  now: Layer,
  {
    games,
    accept,
    path,
    errors,
  }: {
    readonly games: ReadonlySet<GameSlug>
    readonly accept: ReadonlySet<string>
    readonly path: string
    readonly errors: ImportErrors
  },
): void {
  const prices = new Map(marketPrices(now, games).map(([id, , cents]) => [id, onlyMarket(cents)]))
  const guides = new Set(now.byProduct.map(({ games: [game] }) => game))
  // A guide that is missing now keeps its last prices, so it is not compared.
  const compared = marketPrices(before, games).filter(([, game]) => now.byProduct.length === 0 || guides.has(game))
  for (const [game, cards] of Map.groupBy(compared, ([, game]) => game)) {
    const comparison = compare(cards.map(([id, , cents]) => [onlyMarket(cents), prices.get(id)]))
    if (comparison.isGameWrong && !accept.has(game)) errors.add(path, game, implausible(game, comparison))
  }
}

const onlyMarket = (market: number): Prices => ({ market, low: null, mid: null, high: null })

const marketPrices = (
  layer: Layer | undefined,
  games: ReadonlySet<GameSlug>,
): (readonly [id: string, game: GameSlug, cents: number])[] => [
  ...(layer?.byId ?? []).flatMap(({ id, key, cents }) =>
    key === 'market' && games.has(gameOf(id)) ? [[id, gameOf(id), cents] as const] : [],
  ),
  ...(layer?.byProduct ?? []).flatMap(({ product, games: [game], price }) =>
    price !== null && games.has(game!) ? [[`${product}`, game!, price] as const] : [],
  ),
]

interface Compared {
  /** The source's cards after its last import. */
  readonly before: readonly SourceCard[]
  readonly now: readonly SourceCard[]
  readonly path: string
  readonly force: boolean
  readonly errors: ImportErrors
}

/**
 * Adds an error in two cases. In one, the prices are of an earlier day than those of the last import. In the other,
 * their day is a guess and no later than the last import's, but the prices differ. The guess is mostly the day of the
 * newest change of a product, and products change less often than prices. So such prices belong to a later day, and
 * would replace the history of an earlier one. Cards that were kept from the last import are not compared.
 */
export function checkDate(
  { date, isDateGuessed = false }: { readonly date: string | null; readonly isDateGuessed?: boolean },
  { before, now, path, force, errors }: Compared,
): void {
  const kept = new Set(now)
  const earlier = before.filter((card) => !kept.has(card))
  const last = newestDay(earlier)
  if (isDateGuessed && date! <= last && differ(earlier, now)) {
    const wrong = `is dated ${date}, but its prices differ from the last import, of ${last}: name their day with --date`
    errors.add(path, '', wrong)
    return
  }
  const known = new Set(before)
  const day = newestDay(now.filter((card) => !known.has(card)))
  if (force || day === '' || day >= last) return
  errors.add(path, '', `is of ${day}, and the last import was of ${last}: --force imports it all the same`)
}

/** The newest day, YYYY-MM-DD; empty if no day is known. */
export const newestDay = (dated: readonly Pick<SourceCard, 'day'>[]): string =>
  dated.reduce((newest, { day }) => {
    const date = day?.slice(0, 10) ?? ''
    return date > newest ? date : newest
  }, '')

function differ(earlier: readonly SourceCard[], now: readonly SourceCard[]): boolean {
  const known = new Map(earlier.map((card) => [card.key, card]))
  return now.some((card) => {
    const was = known.get(card.key) ?? known.get(tcgplayerKeyText(card.product!, null))
    return was !== undefined && priceFields.some((field) => was[field] !== card[field])
  })
}

/** Reports the sets that had prices, and have none now. */
export function reportUnpricedSets(before: SourceCatalog, now: SourceCatalog, file: string, report: Report): void {
  const [had, have] = [pricedSets(before), pricedSets(now)]
  const reason = 'had prices, and has none now'
  for (const { key, game, name } of now.sets)
    if (had.has(key) && !have.has(key)) report.doubtful({ game, file, reason, record: `${key} ${name}` })
}

const pricedSets = ({ cards }: SourceCatalog): ReadonlySet<string> =>
  new Set(cards.filter(isPriced).map(({ set }) => set))

const comparedFields = ['set', 'name', 'number', 'rarity', 'image', 'market', 'low', 'mid', 'high'] as const

/**
 * Reports cards that are new, were changed or renamed, or are gone since the source's last import.
 * @param ids the ids of the cards
 * @param earlier the cards of the last import, by id; cards that still exist are removed from this map
 */
export function reportChanges(
  { cards }: SourceCatalog,
  ids: readonly string[],
  earlier: Map<string, SourceCard>,
  report: Report,
): void {
  cards.forEach((card, i) => {
    const { game, name } = card
    const id = ids[i]!
    const before = earlier.get(id)
    if (before === undefined) {
      report.game(game).added++
      return
    }
    if (comparedFields.some((field) => before[field] !== card[field])) report.game(game).changed++
    if (before.name !== name) report.change('renamed', game, id, `was ${before.name}, is ${name}`)
    earlier.delete(id)
  })
  for (const [id, { name }] of earlier) report.change('gone', gameOf(id), id, `the source no longer has ${name}`)
}
