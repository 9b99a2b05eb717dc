/** Reads the rows of a prices file: from its bytes if it has the usual form, else by the schema. */
import type { GameSlug } from '../../../../src/games.ts'
import { centsOfNumber } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { unknownCents } from '../../catalog.ts'
import type { ImportErrors } from '../../errors.ts'
import { isSmall } from '../../read/json.ts'
import { FileBuffer, type InputFile } from '../../read/open.ts'
import { ExpectedFields, FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { readResults } from './results.ts'
import { type Price, priceFields, priceSchema } from './shapes.ts'
import { UsualPrices } from './usual-prices.ts'

/**
 * A product's price under a sub-type: cents, or `unknownCents`.
 *
 * @param wrong reports the row as wrong
 */
export type OnPrice = (
  product: number,
  subType: string,
  market: number,
  low: number,
  mid: number,
  high: number,
  wrong: (field: string, wrong: string, found: string) => void,
) => void

export class PricesReader {
  readonly fields = new ExpectedFields(priceFields)
  /** Without it, every product would look sealed. */
  readonly productFields = new ExpectedFields(['extendedData'])
  readonly errors: ImportErrors
  readonly report: Report
  readonly #usual = new UsualPrices()
  readonly #buffer = new FileBuffer()

  constructor(errors: ImportErrors, report: Report) {
    this.errors = errors
    this.report = report
  }

  /** Calls `onPrice` for each valid row. */
  async read(file: InputFile, game: GameSlug, onPrice: OnPrice): Promise<void> {
    const { errors, report } = this
    const bytes = isSmall(file) ? this.#buffer.readWhole(file, errors) : undefined
    if (bytes === undefined && isSmall(file)) return
    if (bytes !== undefined && this.#usual.read(bytes)) {
      this.#takeUsual(file.path, game, onPrice)
      return
    }
    await readResults(file, bytes, game, errors, report, (record, place, records) => {
      this.fields.see(record, file.path)
      this.take(record, `results[${place}]`, records, onPrice)
    })
  }

  #takeUsual(file: string, game: GameSlug, onPrice: OnPrice): void {
    const { length, product, market, low, mid, high, subType } = this.#usual
    if (length > 0) this.fields.seeAll()
    const wrong: (readonly [row: number, field: string, wrong: string, found: string])[] = []
    let row = 0
    const addWrong = (field: string, message: string, found: string): void => {
      wrong.push([row, field, message, found])
    }
    for (; row < length; row++)
      onPrice(product[row]!, subType[row]!, market[row]!, low[row]!, mid[row]!, high[row]!, addWrong)
    if (wrong.length === 0) return
    const records = new FileRecords(file, game, this.errors, this.report)
    records.count(length)
    for (const [at, field, message, found] of wrong) records.wrong(`results[${at}].${field}`, message, found)
    records.end()
  }

  /** Calls `onPrice` if a parsed record is valid. Does not count it. */
  take(record: unknown, place: string, records: FileRecords, onPrice: OnPrice): void {
    const price = records.check(priceSchema, record, place)
    if (price === undefined) return
    const cents = (field: (typeof priceFields)[number]): number => this.#cents(price, field, place, records)
    const [market, low, mid, high] = [cents('marketPrice'), cents('lowPrice'), cents('midPrice'), cents('highPrice')]
    onPrice(price.productId, price.subTypeName, market, low, mid, high, (field, wrong, found) => {
      records.wrong(`${place}.${field}`, wrong, found)
    })
  }

  #cents(price: Price, field: (typeof priceFields)[number], place: string, records: FileRecords): number {
    const value = price[field]
    if (value === null) return unknownCents
    const result = centsOfNumber(value)
    if (typeof result === 'number') return result
    // A price out of bounds is a parked offer; the row's other prices are valid.
    this.report.doubtful(records.game, records.file, `${place}.${field}`, `${result}, so it is unknown`, shown(value))
    return unknownCents
  }
}
