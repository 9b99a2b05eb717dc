/** MTGJSON's prices as a column of cents a day, so that 90 days of all cards take 60 MB. */
import { compareTexts } from '../../../../src/text-order.ts'
import { centsOfNumber } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { type DayPrices, type SourceCard, unknownCents } from '../../catalog.ts'
import type { FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { dayOfText } from '../values.ts'
import { type Prices, pricesSchema } from './shapes.ts'

type Retail = NonNullable<NonNullable<Prices['paper'][string]>['retail']>

/** The only shop that is imported: its retail price is the market price of a TCGplayer product. */
const importedShop = 'tcgplayer'
const finishes: readonly (readonly ['normal' | 'foil' | 'etched', finish: string])[] = [
  ['normal', 'nonfoil'],
  ['foil', 'foil'],
  ['etched', 'etched'],
]

export class PriceTable {
  readonly #cards: SourceCard[]
  readonly #indexes: Map<string, number>
  readonly #days = new Map<string, Int32Array>()
  readonly #leftOut = new Map<string, number>()
  /** Wrong prices of the current uuid, which is one record. */
  #wrongIn = 0

  constructor(cards: SourceCard[]) {
    this.#cards = cards
    this.#indexes = new Map(cards.map(({ key }, index) => [key, index]))
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
      if (currency !== null && currency !== undefined && currency !== 'USD') this.#count('not in US dollars', name)
      else if (name !== importedShop) this.#count('another shop', name)
      else this.#takeShop(uuid, shop.retail, `${place}.paper.${name}.retail`, records)
    }
  }

  #takeShop(uuid: string, retail: Retail | null | undefined, place: string, records: FileRecords): void {
    for (const [name, finish] of finishes) {
      const days = retail?.[name]
      if (days === null || days === undefined) continue
      const card = this.#indexes.get(`${uuid} ${finish}`)
      for (const date in days) {
        if (card === undefined) {
          this.#count('price of no known card', `${uuid} ${finish}`)
          break
        }
        const price = days[date]
        if (price === null || price === undefined) continue
        const cents = centsOfNumber(price)
        const column = this.#days.get(date) ?? this.#newColumn(date)
        if (column === undefined)
          records.wrong(`${place}.${name}`, 'must have days, YYYY-MM-DD', shown(date), this.#wrongIn++ === 0)
        else if (typeof cents === 'string')
          records.wrong(`${place}.${name}.${date}`, cents, `${price}`, this.#wrongIn++ === 0)
        else column[card] = cents
      }
    }
  }

  /** Undefined if it is no day. */
  #newColumn(date: string): Int32Array | undefined {
    if (dayOfText(date) !== date) return undefined
    const column = new Int32Array(this.#cards.length).fill(unknownCents)
    this.#days.set(date, column)
    return column
  }

  /** The newest day with a price; null if there is none. */
  get newest(): string | null {
    const days = [...this.#days]
      .filter(([, cents]) => cents.some((price) => price !== unknownCents))
      .map(([day]) => day)
    return days.sort().at(-1) ?? null
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

  /** Sets each card's newest price. Call it last: it replaces the cards in place, to save memory. */
  pricedCards(): SourceCard[] {
    const days = [...this.#days].sort(([a], [b]) => compareTexts(b, a))
    this.#cards.forEach((card, index) => {
      const newest = days.find(([, cents]) => cents[index] !== unknownCents)
      this.#cards[index] = { ...card, market: newest?.[1][index] ?? null, day: newest?.[0] ?? null }
    })
    this.#indexes.clear()
    return this.#cards
  }
}

/** `paper`, if all parts that are imported have their types. The schema checks everything, in ten times the time. */
function usualPaper(value: unknown): Prices['paper'] | undefined {
  const paper = (value as Partial<Prices> | null)?.paper
  if (!isPlain(paper)) return undefined
  for (const name in paper) {
    const shop: unknown = paper[name]
    if (!isPlain(shop)) return undefined
    if (typeof shop['currency'] !== 'string') return undefined
    if (shop['currency'] !== 'USD' || name !== importedShop) continue
    const { retail } = shop
    if (!isPlain(retail)) return undefined
    for (const [finish] of finishes) {
      const days = retail[finish]
      if (days === undefined) continue
      if (!isPlain(days)) return undefined
      for (const day in days) if (typeof days[day] !== 'number') return undefined
    }
  }
  return paper as Prices['paper']
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
