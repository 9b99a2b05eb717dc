/** The records of a file `{"totalItems":254,"success":true,"errors":[],"results":[…]}`, and rows of prices. */
import * as v from 'valibot'
import type { GameSlug } from '../../../../src/games.ts'
import { shown, shownIssue } from '../../../read/snapshot-problems.ts'
import { centsOf } from '../../../read/snapshot-schema.ts'
import { ExpectedFields, FileRecords, type Reporting } from '../../read/file-records.ts'
import { readValues } from '../../read/json.ts'
import type { InputFile } from '../../read/open.ts'
import { OtherFields } from '../../read/other-fields.ts'
import { envelopeSchema, priceFields, priceSchema } from './tcgcsv-schemas.ts'

export type OnRecord = (record: unknown, place: string, records: FileRecords) => void

/** Counts each element of `results`, and calls `onRecord` with it. */
export async function readResults(
  file: InputFile,
  game: GameSlug | null,
  reporting: Reporting,
  onRecord: OnRecord,
): Promise<void> {
  const { errors } = reporting
  const records = new FileRecords(file.path, game, reporting)
  const envelope: Record<string, unknown> = Object.create(null)
  const onValue = (place: string | number, record: unknown): void => {
    if (typeof place === 'string') return
    records.count()
    onRecord(record, `results[${place}]`, records)
  }
  const onRootMember = (key: string | number, value: unknown): void => {
    envelope[key] = value
  }
  if (!(await readValues(file, 'results', errors, { onValue, onRootMember }))) return
  const checked = v.safeParse(envelopeSchema, envelope)
  if (!checked.success) {
    const [path, wrong, found] = shownIssue(checked.issues[0])
    errors.add(file.path, path!, wrong, found)
  }
  records.end()
}

/**
 * Checks the fields of all price records of an import. It finds expected fields that no record has, and fields that are
 * not read.
 */
export class PriceFields {
  readonly #expected = new ExpectedFields(priceFields)
  readonly #others = new OtherFields(['productId', 'subTypeName', 'directLowPrice', ...priceFields])

  see(record: unknown, place: string, records: FileRecords): void {
    this.#expected.see(record, records.file)
    if (typeof record === 'object' && record !== null) this.#others.see(record, place, records)
  }

  check(...what: Parameters<ExpectedFields['check']>): void {
    this.#expected.check(...what)
  }
}

/** A product's prices under a sub-type: cents, null if unknown. */
export interface PriceRow {
  readonly productId: number
  readonly subType: string
  readonly market: number | null
  readonly low: number | null
  readonly mid: number | null
  readonly high: number | null
}

/** Undefined if the record is wrong. This does not count the record. */
export function priceRowOf(
  record: unknown,
  place: string,
  records: FileRecords,
  fields: PriceFields,
): PriceRow | undefined {
  fields.see(record, place, records)
  const price = records.check(priceSchema, record, place)
  if (price === undefined) return undefined
  const cents = (field: (typeof priceFields)[number]): number | null => {
    const value = price[field]
    const result = value === null ? null : centsOf(value)
    if (typeof result !== 'string') return result
    // A price out of bounds means an offer that is not for sale. The row's other prices are valid.
    records.doubtful(`${place}.${field}`, `${result}, so it is unknown`, shown(value))
    return null
  }
  const { productId, subTypeName: subType } = price
  const [market, low, mid, high] = [cents('marketPrice'), cents('lowPrice'), cents('midPrice'), cents('highPrice')]
  return { productId, subType, market, low, mid, high }
}

export const reportTwice = ({ subType }: PriceRow, place: string, records: FileRecords): void =>
  records.wrong(`${place}.subTypeName`, 'is there twice for its product', shown(subType))
