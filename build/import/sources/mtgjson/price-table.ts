/**
 * MTGJSON's prices. For one shop, there are 90 days of prices, as one column of cents for each day, which takes 60 MB.
 * For every shop, there are the prices of the newest day.
 */
import { compareTexts } from '../../../../src/text-order.ts'
import { shown } from '../../../read/snapshot-problems.ts'
import { centsOf } from '../../../read/snapshot-schema.ts'
import type { FileRecords } from '../../read/file-records.ts'
import { type DayPrices, type Market, type SourceCard, unknownCents } from '../../source-catalog.ts'
import { dayOfText } from '../../source-values.ts'
import { type Days, pricesSchema, type Shop } from './mtgjson-schemas.ts'

/**
 * TCGplayer's retail price is a card's market price. The prices of the other shops are the card's prices at other
 * markets.
 */
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

const finishFields = new Set<string>(finishes.map(([field]) => field))

const isShop = (name: string): name is ShopName => Object.hasOwn(importedShops, name)

export class PriceTable {
  readonly #cards: SourceCard[]
  readonly #historyShop: ShopName
  readonly #records: FileRecords
  readonly #indexes: Map<string, number>
  readonly #days = new Map<string, Int32Array>()
  /** The newest day with a market price; null if there is none. */
  newest: string | null = null
  /** The prices of the newest day, by shop and card. */
  readonly #newest: Readonly<Record<ShopName, (Market | undefined)[]>>

  /** @param historyShop the shop whose retail prices are the history */
  constructor(cards: SourceCard[], historyShop: ShopName, records: FileRecords) {
    this.#cards = cards
    this.#historyShop = historyShop
    this.#records = records
    this.#indexes = new Map(cards.map(({ key }, index) => [key, index]))
    const none = () => new Array<Market | undefined>(cards.length)
    this.#newest = Object.fromEntries(shopNames.map((name) => [name, none()])) as Record<ShopName, Market[]>
  }

  /** Adds the value of a uuid in `data`. The value is one record of the file. */
  take(uuid: string, value: unknown): void {
    const records = this.#records
    records.count()
    const place = `data.${uuid}`
    const onWrong: OnWrong = (at, ...wrong) => records.wrong(`${place}.paper.${at}`, ...wrong)
    const { paper = {} } = records.check(pricesSchema, value, place) ?? {}
    for (const [name, shop] of Object.entries(paper)) {
      if (shop === null) continue
      const { currency } = shop
      if (!isShop(name)) records.leftOutOften('another shop', name)
      else if (currency !== null && currency !== importedShops[name])
        records.leftOutOften('in another currency', `${name} ${currency}`)
      else this.#takeShop(uuid, name, shop, onWrong)
    }
  }

  #takeShop(uuid: string, name: ShopName, { retail, buylist }: Shop, onWrong: OnWrong): void {
    for (const prices of [retail, buylist])
      for (const field in prices)
        if (!finishFields.has(field)) this.#records.leftOutOften('of another finish', `${name} ${field}`)
    for (const [field, finish] of finishes) {
      const sold = retail[field]
      // TCGplayer's retail prices are the card's own prices. So TCGplayer is not one of the markets, and its buylist is
      // not read.
      const bought = name === 'tcgplayer' ? {} : buylist[field]
      const days = [...Object.keys(sold), ...Object.keys(bought)].filter(
        (day) => isPrice(sold, day) || isPrice(bought, day),
      )
      const day = days.reduce((newest, one) => (one > newest ? one : newest), '')
      if (day === '') continue
      const card = this.#indexes.get(`${uuid} ${finish}`)
      if (card === undefined) {
        if (name === 'tcgplayer') this.#records.leftOutOften('price of no known card', `${uuid} ${finish}`)
        continue
      }
      const [soldAt, boughtAt] = [`${name}.retail.${field}`, `${name}.buylist.${field}`]
      const isHistory = name === this.#historyShop
      if (isHistory) this.#takeDays(card, sold, soldAt, onWrong)
      const onWrongNewest = isHistory ? () => {} : onWrong
      if (dayOfText(day) !== day) onWrongNewest(soldAt, noDate, shown(day))
      else {
        const price = centsAt(sold, day, soldAt, onWrongNewest)
        const paid = centsAt(bought, day, boughtAt, onWrongNewest)
        if (price === null && paid === null) continue
        if (name === 'tcgplayer' && day > (this.newest ?? '')) this.newest = day
        const currency = importedShops[name]
        this.#newest[name][card] = { market: name, currency, price, low: null, buylist: paid, updatedAt: day }
      }
    }
  }

  #takeDays(card: number, days: Days, place: string, onWrong: OnWrong): void {
    for (const date in days) {
      if (!isPrice(days, date)) continue
      let column = this.#days.get(date)
      if (column === undefined && dayOfText(date) === date) {
        column = new Int32Array(this.#cards.length).fill(unknownCents)
        this.#days.set(date, column)
      }
      if (column === undefined) onWrong(place, noDate, shown(date))
      else column[card] = centsAt(days, date, place, onWrong) ?? unknownCents
    }
  }

  /** Yields the history of these cards day by day. @param cards the cards' indexes */
  *days(cards: Uint32Array): Generator<DayPrices> {
    for (const [day, prices] of [...this.#days].sort(([a], [b]) => compareTexts(a, b)))
      yield { day, market: Int32Array.from(cards, (card) => prices[card]!), low: null, high: null }
  }

  /** Returns the cards with their newest prices. Call this last: it replaces the cards in place, to save memory. */
  pricedCards(): SourceCard[] {
    this.#cards.forEach(({ markets: _, ...card }, index) => {
      const { price: market = null, updatedAt: day = null } = this.#newest.tcgplayer[index] ?? {}
      const markets = shopNames.flatMap((name) => (name === 'tcgplayer' ? [] : (this.#newest[name][index] ?? [])))
      this.#cards[index] = { ...card, market, day, ...(markets.length === 0 ? {} : { markets }) }
    })
    this.#indexes.clear()
    return this.#cards
  }
}

type OnWrong = (place: string, wrong: string, found: string) => void

const noDate = 'must have days, YYYY-MM-DD'

/** The file may name a day like a property of any object, such as `constructor`. */
const isPrice = (days: Days, day: string): boolean =>
  Object.hasOwn(days, day) && days[day] !== null && days[day] !== undefined

/** The price in cents; null if it is unknown or wrong. */
function centsAt(days: Days, day: string, place: string, onWrong: OnWrong): number | null {
  if (!isPrice(days, day)) return null
  const price = days[day]
  const cents = typeof price === 'number' ? centsOf(price) : 'must be a number'
  if (typeof cents === 'number') return cents
  onWrong(`${place}.${day}`, cents, shown(price))
  return null
}
