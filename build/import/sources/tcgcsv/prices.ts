/** Reads the rows of a prices file. */
import type { GameSlug } from '../../../../src/games.ts'
import { centsOfNumber } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { unknownCents } from '../../catalog.ts'
import type { ImportErrors } from '../../errors.ts'
import type { InputFile } from '../../read/open.ts'
import { ExpectedFields, type FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { readResults } from './results.ts'
import { type Price, priceFields, priceSchema } from './shapes.ts'

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

  constructor(errors: ImportErrors, report: Report) {
    this.errors = errors
    this.report = report
  }

  /** Calls `onPrice` for each valid row. */
  async read(file: InputFile, game: GameSlug, onPrice: OnPrice): Promise<void> {
    await readResults(file, game, this, (record, place, records) => {
      this.fields.see(record, file.path)
      this.take(record, place, records, onPrice)
    })
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
