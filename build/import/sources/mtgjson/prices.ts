/** MTGJSON's prices: a shop's 90 days as a column of cents a day, which take 60 MB, and the newest day of each other shop. */
import { dateOfDay, dayOfDate } from '../../../../src/calendar.ts'
import { centsOfNumber } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { type DayPrices, type Market, type SourceCard, unknownCents } from '../../catalog.ts'
import type { FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { dayOfText } from '../values.ts'
import { type Prices, pricesSchema } from './shapes.ts'

type Shop = NonNullable<Prices['paper'][string]>
type Days = Readonly<Record<string, number | null | undefined>> | null | undefined

/** TCGplayer's retail price is a card's market price. The other shops are its other markets. */
const importedShops = {
  tcgplayer: 'USD',
  cardmarket: 'EUR',
  cardkingdom: 'USD',
  cardsphere: 'USD',
  manapool: 'USD',
} as const
type ShopName = keyof typeof importedShops
const shopNames = Object.keys(importedShops) as ShopName[]
const finishes: readonly (readonly ['normal' | 'foil' | 'etched', finish: string])[] = [
  ['normal', 'nonfoil'],
  ['foil', 'foil'],
  ['etched', 'etched'],
]

const noDay = 0

/** By card: the newest day on which a shop has a price, and its prices of that day. */
class NewestPrices {
  /** As `dayOfDate` counts. */
  readonly day: Int32Array
  readonly retail: Int32Array
  readonly buylist: Int32Array

  constructor(cards: number) {
    this.day = new Int32Array(cards)
    this.retail = new Int32Array(cards).fill(unknownCents)
    this.buylist = new Int32Array(cards).fill(unknownCents)
  }

  /** @param day the newest of both */
  take(card: number, sold: Days, bought: Days, day: string, field: string, wrong: OnWrong): void {
    if (dayOfText(day) !== day) {
      wrong(`retail.${field}`, noDate, shown(day))
      return
    }
    this.day[card] = dayOfDate(day)
    this.retail[card] = centsAt(sold, day, `retail.${field}`, wrong)
    this.buylist[card] = centsAt(bought, day, `buylist.${field}`, wrong)
  }
}

const noDate = 'must have days, YYYY-MM-DD'

const isShop = (name: string): name is ShopName => Object.hasOwn(importedShops, name)

export class PriceTable {
  readonly #cards: SourceCard[]
  readonly #historyShop: ShopName
  readonly #indexes: Map<string, number>
  readonly #days = new Map<string, Int32Array>()
  readonly #newest: Readonly<Record<ShopName, NewestPrices>>
  readonly #leftOut = new Map<string, number>()
  readonly #dates = new Map<number, string>()
  /** Wrong prices of the current uuid, which is one record. */
  #wrongIn = 0

  /** @param historyShop whose retail prices are the history */
  constructor(cards: SourceCard[], historyShop: ShopName) {
    this.#cards = cards
    this.#historyShop = historyShop
    this.#indexes = new Map(cards.map(({ key }, index) => [key, index]))
    const newest = shopNames.map((name) => [name, new NewestPrices(cards.length)])
    this.#newest = Object.fromEntries(newest) as Record<ShopName, NewestPrices>
  }

  /** Adds a uuid's value in `data`. */
  take(uuid: string, value: unknown, records: FileRecords): void {
    records.count()
    const place = `data.${uuid}`
    this.#wrongIn = 0
    const paper = usualPaper(value) ?? records.check(pricesSchema, value, place)?.paper
    if (paper === undefined) return
    for (const name in paper) {
      const shop = paper[name]!
      if (shop === null) continue
      const { currency } = shop
      if (!isShop(name)) this.#count('another shop', name)
      else if (currency !== null && currency !== undefined && currency !== importedShops[name])
        this.#count('in another currency', `${name} ${currency}`)
      else this.#takeShop(uuid, name, shop, `${place}.paper.${name}`, records)
    }
  }

  #takeShop(uuid: string, name: ShopName, { retail, buylist }: Shop, place: string, records: FileRecords): void {
    for (const [field, finish] of finishes) {
      const sold: Days = retail?.[field]
      // TCGplayer's is no market of its own.
      const bought: Days = name === 'tcgplayer' ? undefined : buylist?.[field]
      const day = later(newestOf(sold), newestOf(bought))
      if (day === '') continue
      const card = this.#indexes.get(`${uuid} ${finish}`)
      if (card === undefined) {
        if (name === 'tcgplayer') this.#count('price of no known card', `${uuid} ${finish}`)
        continue
      }
      const wrong: OnWrong = (at, what, found) => records.wrong(`${place}.${at}`, what, found, this.#wrongIn++ === 0)
      const isHistory = name === this.#historyShop
      if (isHistory) this.#takeDays(card, sold, `retail.${field}`, wrong)
      this.#newest[name].take(card, sold, bought, day, field, isHistory ? ignore : wrong)
    }
  }

  #takeDays(card: number, days: Days, place: string, wrong: OnWrong): void {
    for (const date in days) {
      const price = days[date]
      if (price === null || price === undefined) continue
      const column = this.#days.get(date) ?? this.#newColumn(date)
      if (column === undefined) wrong(place, noDate, shown(date))
      else column[card] = centsAt(days, date, place, wrong)
    }
  }

  /** Undefined if it is no day. */
  #newColumn(date: string): Int32Array | undefined {
    if (dayOfText(date) !== date) return undefined
    const column = new Int32Array(this.#cards.length).fill(unknownCents)
    this.#days.set(date, column)
    return column
  }

  /** The newest day with a market price; null if there is none. */
  get newest(): string | null {
    const { day, retail } = this.#newest.tcgplayer
    const newest = day.reduce((last, one, card) => (retail[card] === unknownCents ? last : Math.max(last, one)), noDay)
    return newest === noDay ? null : dateOfDay(newest)
  }

  #count(reason: string, what: string): void {
    const key = `${reason}\n${what}`
    this.#leftOut.set(key, (this.#leftOut.get(key) ?? 0) + 1)
  }

  report(file: string, report: Report): void {
    for (const [key, count] of this.#leftOut) {
      const [reason, what] = key.split('\n')
      report.leftOut('mtg', file, null, reason!, what!, count)
    }
  }

  *days(): Generator<DayPrices> {
    for (const day of [...this.#days.keys()].sort()) yield { day, market: this.#days.get(day)!, low: null, high: null }
  }

  /** Sets each card's newest prices. Call it last: it replaces the cards in place, to save memory. */
  pricedCards(): SourceCard[] {
    const { tcgplayer } = this.#newest
    this.#cards.forEach(({ markets: _, ...card }, index) => {
      const market = known(tcgplayer.retail[index]!)
      const day = market === null ? null : this.#dateOf(tcgplayer.day[index]!)
      const markets = shopNames.flatMap((name) => (name === 'tcgplayer' ? [] : this.#marketOf(name, index)))
      this.#cards[index] = { ...card, market, day, ...(markets.length === 0 ? {} : { markets }) }
    })
    this.#indexes.clear()
    return this.#cards
  }

  /** Each date is in memory once. */
  #dateOf(day: number): string {
    return this.#dates.get(day) ?? this.#dates.set(day, dateOfDay(day)).get(day)!
  }

  #marketOf(name: ShopName, card: number): Market[] {
    const { day, retail, buylist } = this.#newest[name]
    const [price, bought] = [known(retail[card]!), known(buylist[card]!)]
    if (price === null && bought === null) return []
    const prices = { price, low: null, buylist: bought, updatedAt: this.#dateOf(day[card]!) }
    return [{ market: name, currency: importedShops[name], ...prices }]
  }
}

type OnWrong = (place: string, wrong: string, found: string) => void
const ignore: OnWrong = () => {}

const known = (cents: number): number | null => (cents === unknownCents ? null : cents)
const later = (a: string, b: string): string => (a > b ? a : b)

/** The newest day with a price, '' if there is none. */
function newestOf(days: Days): string {
  let newest = ''
  for (const date in days) if (date > newest && days[date] !== null && days[date] !== undefined) newest = date
  return newest
}

function centsAt(days: Days, day: string, place: string, onWrong: OnWrong): number {
  const price = days?.[day]
  if (price === null || price === undefined) return unknownCents
  const cents = centsOfNumber(price)
  if (typeof cents === 'number') return cents
  onWrong(`${place}.${day}`, cents, `${price}`)
  return unknownCents
}

/** `paper`, if all parts that are imported have their types. The schema checks everything, in ten times the time. */
function usualPaper(value: unknown): Prices['paper'] | undefined {
  const paper = (value as Partial<Prices> | null)?.paper
  if (!isPlain(paper)) return undefined
  for (const name in paper) {
    const shop: unknown = paper[name]
    if (!isPlain(shop)) return undefined
    if (typeof shop['currency'] !== 'string') return undefined
    if (isShop(name) && !(isUsual(shop['retail']) && isUsual(shop['buylist']))) return undefined
  }
  return paper as Prices['paper']
}

/** True if all days of all finishes have numbers. */
function isUsual(prices: unknown): boolean {
  if (prices === undefined) return true
  if (!isPlain(prices)) return false
  for (const [finish] of finishes) {
    const days = prices[finish]
    if (days === undefined) continue
    if (!isPlain(days)) return false
    for (const day in days) if (typeof days[day] !== 'number') return false
  }
  return true
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
