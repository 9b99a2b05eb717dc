/** Reads rows of prices. */
import type { GameSlug } from '../../../../src/games.ts'
import { centsOfNumber } from '../../../read/cents.ts'
import { shown } from '../../../read/snapshot-problems.ts'
import type { ImportErrors } from '../../errors.ts'
import type { InputFile } from '../../read/open.ts'
import { ExpectedFields, type FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { readResults } from './results.ts'
import { priceFields, priceSchema } from './shapes.ts'

/** A product's prices under a sub-type: cents, null if unknown. */
export interface PriceRow {
  readonly productId: number
  readonly subType: string
  readonly market: number | null
  readonly low: number | null
  readonly mid: number | null
  readonly high: number | null
}

type OnPrice = (row: PriceRow, place: string, records: FileRecords) => void

export class PricesReader {
  readonly fields = new ExpectedFields(priceFields)
  readonly errors: ImportErrors
  readonly report: Report

  constructor(errors: ImportErrors, report: Report) {
    this.errors = errors
    this.report = report
  }

  /** Calls `onPrice` for each valid row of a prices file. */
  read(file: InputFile, game: GameSlug, onPrice: OnPrice): Promise<void> {
    return readResults(file, game, this, (record, place, records) => {
      const row = this.row(record, place, records)
      if (row !== undefined) onPrice(row, place, records)
    })
  }

  /** Undefined if the record is wrong. Does not count it. */
  row(record: unknown, place: string, records: FileRecords): PriceRow | undefined {
    this.fields.see(record, records.file)
    const price = records.check(priceSchema, record, place)
    if (price === undefined) return undefined
    const cents = (field: (typeof priceFields)[number]): number | null => {
      const value = price[field]
      const result = value === null ? null : centsOfNumber(value)
      if (typeof result !== 'string') return result
      // A price out of bounds is a parked offer; the row's other prices are valid.
      this.report.doubtful(records.game, records.file, `${place}.${field}`, `${result}, so it is unknown`, shown(value))
      return null
    }
    const { productId, subTypeName: subType } = price
    const [market, low, mid, high] = [cents('marketPrice'), cents('lowPrice'), cents('midPrice'), cents('highPrice')]
    return { productId, subType, market, low, mid, high }
  }
}

export const reportTwice = ({ subType }: PriceRow, place: string, records: FileRecords): void =>
  records.wrong(`${place}.subTypeName`, 'is there twice for its product', shown(subType))
