/**
 * Composes all cards and sets from the catalogs of all sources. A card of several sources is written once, to the files
 * of the preferred source, with that source's fields and prices. All other sources fill in unknown fields.
 *
 *   tcgcsv ──┐                               ┌─▶ sets/SOURCE.ndjson
 *   scryfall ┼─ by id ─ preferred ─ layers ──┴─▶ cards/SOURCE-GAME.ndjson
 *   mtgjson ─┘
 */
import { conditions as conditionNames } from '../../../src/catalog/card-fields.ts'
import { compareTexts } from '../../../src/text-order.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import { isPrinting, uuidForm } from '../../read/snapshot-schema.ts'
import { finishOf, idOfKey } from '../finishes.ts'
import type { Ids } from '../ids.ts'
import type { Report } from '../import-report.ts'
import {
  type CatalogSource,
  type ComposedCard,
  type ComposedSet,
  type Currency,
  isSealed,
  type Layer,
  type Market,
  type SourceCard,
  sourceLabels,
} from '../source-catalog.ts'
import { plainText } from '../source-values.ts'
import type { AssignedIds } from './assign.ts'
import { cardsFile, setsFile } from './folder.ts'
import { applyLayers } from './layers.ts'
import { isSameMarket } from './markets.ts'
import { isPriced } from './plausibility.ts'
import { type Catalogs, ownProducts } from './tcgplayer-products.ts'

interface Composing {
  readonly catalogs: Catalogs
  readonly assigned: AssignedIds
  readonly ids: Ids
  readonly prefer: readonly CatalogSource[]
  readonly report: Report
}

/**
 * Composes the cards and sets. `sets` and `cardFiles` are by file. `ownPriced` are the cards whose market price is from
 * a layer.
 * @param known the cards, if they were composed before
 */
export function compose(
  composing: Composing & { readonly games: FolderGames },
  known: readonly ComposedCard[] | undefined,
  layers: readonly Layer[],
  currency: Currency,
) {
  const { catalogs, ids, prefer, games, report } = composing
  const cards = known ?? composeCards(composing)
  const ownPriced = applyLayers(cards, layers, { currency, games, report })
  const usedSets = new Set(cards.map(({ writer, game, setCode }) => `${writer} ${game} ${setCode}`))
  const cardFiles = Map.groupBy(cards, ({ writer, game }) => cardsFile(writer, game))
  const files = new Map<string, ComposedSet[]>()
  const written = new Set<string>()
  const totals = printedTotals(catalogs, ids, prefer)
  for (const source of prefer) {
    const own: ComposedSet[] = []
    for (const { key, game, name, releaseDate } of catalogs.get(source)?.sets ?? []) {
      const code = ids.codeOf(source, key)!
      // A group or set without cards keeps its code for later, but it is not written.
      if (!usedSets.has(`${source} ${game} ${code}`) || written.has(`${game} ${code}`)) continue
      written.add(`${game} ${code}`)
      const printedTotal = totals.get(`${game} ${code}`)
      own.push({ game, code, name, releaseDate, ...(printedTotal === undefined ? {} : { printedTotal }) })
    }
    own.sort((a, b) => compareTexts(setOrder(a), setOrder(b)))
    if (own.length > 0) files.set(setsFile(source), own)
  }
  return { sets: files, cardFiles, cards, ownPriced }
}

/**
 * The printed total of each set, by `game code`. If several sources have one, the most preferred source's total is
 * used.
 */
function printedTotals(catalogs: Catalogs, ids: Ids, prefer: readonly CatalogSource[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const source of prefer.toReversed()) {
    for (const { key, game, printedTotal } of catalogs.get(source)?.sets ?? [])
      if (printedTotal !== undefined) totals.set(`${game} ${ids.codeOf(source, key)!}`, printedTotal)
  }
  return totals
}

const setOrder = ({ game, code }: ComposedSet): string => `${game} ${code}`

/** A card of a source, with its id here. */
interface Found {
  readonly id: string
  readonly source: CatalogSource
  readonly card: SourceCard
}

/** Returns the cards in the order of their ids. */
export function composeCards({ catalogs: read, assigned, ids, prefer, report }: Composing): ComposedCard[] {
  const { catalogs } = ownProducts(read, ids)
  const found: Found[] = []
  for (const source of prefer) {
    const own = assigned.get(source)
    catalogs.get(source)?.cards.forEach((card, i) => void found.push({ id: own![i]!, source, card }))
  }
  // The sort is stable, so the preferred source's card stays first.
  found.sort((a, b) => compareTexts(a.id, b.id))
  const named = [...catalogs].flatMap(([source, { sets }]) =>
    sets.map(({ key, name }) => [`${source} ${key}`, { code: ids.codeOf(source, key)!, name }] as const),
  )
  const sets = new Map(named)
  const composed: ComposedCard[] = []
  for (let start = 0, end = 1; start < found.length; start = end++) {
    while (end < found.length && found[end]!.id === found[start]!.id) end++
    composed.push(composeCard(found.slice(start, end), sets, report))
  }
  return composed
}

function composeCard(
  records: readonly Found[],
  /** By `source key`. */
  sets: ReadonlyMap<string, { readonly code: string; readonly name: string }>,
  report: Report,
): ComposedCard {
  const { id, source: writer, card: first } = records[0]!
  const priced = records.find(({ card }) => isPriced(card)) ?? records[0]!
  const { market, low, mid, high, day } = priced.card
  const sources = [priced, ...records.filter((record) => record !== priced)].map(({ source }) => sourceLabels[source])
  if (records.length > 1) reportFarApart(id, cardsFile(writer, first.game), records, report)
  const known = <Field extends 'number' | 'rarity' | 'image' | 'product'>(field: Field): SourceCard[Field] | null =>
    records.find(({ card }) => card[field] !== null)?.card[field] ?? null
  const set = sets.get(`${writer} ${first.set}`)!
  return {
    id,
    game: first.game,
    name: first.name,
    setCode: set.code,
    setName: set.name,
    number: known('number'),
    rarity: known('rarity'),
    image: known('image'),
    prices: { market, low, mid, high },
    conditions: null,
    graded: null,
    sources,
    updatedAt: day,
    // TCGplayer knows its own product. Another source may name two products for one card.
    tcgplayerId: records.find(({ source }) => source === 'tcgcsv')?.card.product ?? known('product'),
    printing: records.map(printingOf).find((printing) => printing !== null) ?? null,
    scryfallId: uuidOf(records, ({ source, card }) => (source === 'scryfall' ? idOfKey(card.key) : card.scryfallId)),
    mtgjsonId: uuidOf(records, ({ source, card }) => (source === 'mtgjson' ? idOfKey(card.key) : undefined)),
    cardmarketId: records.find(({ card }) => card.cardmarketId !== undefined)?.card.cardmarketId ?? null,
    markets: marketsOf(records),
    writer,
  }
}

/** For each market and currency, the prices of the most preferred source that has them. */
const marketsOf = (records: readonly Found[]): readonly Market[] =>
  records
    .flatMap(({ card: { markets = [] } }) => markets)
    .filter((one, i, all) => all.findIndex((other) => isSameMarket(other, one)) === i)

/** The card's printing: TCGplayer's sub-type, or the finish in another source. */
const printingOf = ({ source, card }: Found): string | null =>
  source !== 'tcgcsv'
    ? finishOf(card.key)
    : card.subType === null || isSealed(card)
      ? null
      : plainText(card.subType) || null

/** The first UUID, in lower case. */
const uuidOf = (records: readonly Found[], idOf: (found: Found) => string | undefined): string | null =>
  records.map((found) => idOf(found)?.toLowerCase()).find((id) => id !== undefined && uuidForm.test(id)) ?? null

const farApart = 10

function reportFarApart(id: string, file: string, records: readonly Found[], report: Report): void {
  const known = records.flatMap(({ source, card: { market } }) => (market === null ? [] : [[source, market] as const]))
  known.sort(([, a], [, b]) => a - b)
  const [lowest, highest] = [known[0]!, known.at(-1)!]
  if (known.length < 2 || highest[1] < lowest[1] * farApart || highest[1] === lowest[1]) return
  const prices = [lowest, highest].map(([source, cents]) => `${sourceLabels[source]} ${cents / 100}`).join(', ')
  const reason = `market prices are ten times apart or more: ${prices}`
  report.doubtful({ game: records[0]!.card.game, file, reason, record: id })
}

const decimal = (cents: number | null): number | null => (cents === null ? null : cents / 100)

const decimals = (values: Iterable<readonly [string, number | null]>): object =>
  Object.fromEntries(Array.from(values, ([key, cents]) => [key, decimal(cents)]))

/** Writes the values in a fixed order. The order of a file's rows must not change the written bytes. */
const decimalsOf = (values: ReadonlyMap<string, number>, order: readonly string[]): object =>
  decimals(order.flatMap((key) => (values.has(key) ? [[key, values.get(key)!] as const] : [])))

const marketRecord = ({ market, currency, price, low, buylist, updatedAt }: Market): object => ({
  market,
  currency,
  ...decimals(Object.entries({ price, low, buylist })),
  updatedAt,
})

/** A card as a line of the snapshot. */
export function recordOf(card: ComposedCard): object {
  const { id, game, name, setCode, number, rarity, image, prices, conditions, graded, sources, updatedAt } = card
  const { tcgplayerId, printing, scryfallId, mtgjsonId, cardmarketId, markets } = card
  return {
    id,
    game,
    name,
    setCode,
    number,
    rarity,
    image,
    prices: {
      ...decimals(Object.entries(prices)),
      ...(conditions === null ? {} : { conditions: decimalsOf(conditions, conditionNames) }),
      ...(graded === null ? {} : { graded: decimalsOf(graded, [...graded.keys()].sort(compareTexts)) }),
    },
    sources,
    updatedAt: updatedAt === null || updatedAt.endsWith('Z') ? updatedAt : `${updatedAt}T00:00:00Z`,
    tcgplayerId,
    printing: printing !== null && isPrinting(printing) ? printing : null,
    scryfallId,
    mtgjsonId,
    ...(cardmarketId === null ? {} : { cardmarketId }),
    ...(markets.length === 0 ? {} : { markets: markets.map(marketRecord) }),
  }
}
