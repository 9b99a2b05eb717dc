/**
 * Streams the rows of a history file.
 *
 *   bytes ─▶ rows in the usual form: scanned ─────────────────────────────────────────────▶ onRow
 *         └▶ all others (quotes, long numbers, mistakes): split into fields ─▶ the schema ─▶ onRow, or a problem
 *
 * The usual form is a date in the bounds, an id of printable ASCII without quotes, and prices of up to eight digits and
 * two decimals, or none. Each row that the scan accepts passes the schema, too, with the same values.
 */
import { isUtf8 } from 'node:buffer'
import { dayOfDate } from '../../../src/calendar.ts'
import { unknownPrice } from '../../../src/indexes/series/codec.ts'
import { historyDateMin, lineBytesMax, priceCentsMax } from '../../../src/limits.ts'
import type { CardIds } from '../card-ids.ts'
import { cannotBeRead, openFile, type SnapshotFile } from '../files.ts'
import { lineTooLong, type Problems, shown } from '../snapshot-problems.ts'
import { checked } from '../snapshot-schema.ts'
import { recordEnd, splitRecord } from './csv-records.ts'
import { firstHistoryDay, historyColumns, isHistoryDay, type RowFields, rowSchema } from './row.ts'

/** A valid row. Prices are cents, or `unknownPrice`. */
export interface HistoryRow {
  /** The card's number, -1 if the card is unknown. */
  readonly card: number
  /** The number of days since 1970-01-01. */
  readonly day: number
  readonly market: number
  readonly low: number
  readonly high: number
  readonly line: number
}

interface RowsInput {
  readonly file: SnapshotFile
  readonly ids: CardIds
  /** Gets the id of an unknown card, before `onRow` gets the row. */
  readonly onUnknown: (id: string) => void
  /** Collects the problems of the file. */
  readonly problems: Problems
  readonly onBytes: (chunk: Buffer) => void
  readonly onRow: (row: HistoryRow) => void
}

/** Calls `onRow` for each valid row. */
export async function readHistory(input: RowsInput): Promise<void> {
  const { file, problems, onBytes } = input
  const reader = new RowReader(input)
  try {
    for await (const chunk of openFile(file, onBytes)) if (!reader.take(chunk)) return
  } catch (error) {
    problems.add(reader.place, 'line', cannotBeRead(error))
    return
  }
  reader.end()
}

const newline = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c
const dot = 0x2e
const digit0 = 0x30
const digit9 = 0x39

/** The role of a column is its index in `historyColumns`. A column with `roleOther` is skipped. */
const [roleDate, roleId, roleMarket, roleLow, roleHigh, roleOther] = [0, 1, 2, 3, 4, 5] as const

const dateChars = 'YYYY-MM-DD'.length
/** A scan returns this if a field does not have the usual form. No day, price or id has this value. */
const unusual = -0x7fff_ffff

class RowReader {
  /** The next line's number, from 1. */
  #line = 1
  readonly #input: RowsInput
  /** Undefined before the header. */
  #roles: Uint8Array | undefined
  #rest: Buffer = Buffer.alloc(0)
  /** The offset of the scan. */
  #at = 0
  /**
   * The date of the previous row, and its day, since most rows have the same date as the previous row. At first, it is
   * any valid date.
   */
  readonly #date = Buffer.from(historyDateMin, 'latin1')
  #day = firstHistoryDay

  constructor(input: RowsInput) {
    this.#input = input
  }

  /** The place of the next line, for a problem. */
  get place(): string {
    return `${this.#input.file.name}:${this.#line}`
  }

  /** Takes the next bytes. Returns false if the rest of the file can't be read. */
  take(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const end = this.#records(bytes, bytes.lastIndexOf(newline) + 1)
    if (end === -1) return false
    this.#rest = bytes.subarray(end)
    if (this.#rest.length <= lineBytesMax) return true
    this.#wrong('line', lineTooLong)
    return false
  }

  end(): void {
    const bytes = Buffer.concat([this.#rest, Buffer.of(newline)])
    const end = this.#records(bytes, bytes.length)
    if (end === -1) return
    if (end < bytes.length) this.#wrong('line', 'has a quote that is not closed')
    else if (this.#roles === undefined) {
      const { file, problems } = this.#input
      problems.add(`${file.name}:1`, 'line', 'must be a header', 'the file is empty')
    }
  }

  #wrong(field: string, message: string, found?: string): void {
    this.#input.problems.add(this.place, field, message, found)
  }

  /**
   * Reads all records that end before `limit`. Returns where the next record starts, or -1 if the rest of the file
   * can't be read.
   */
  #records(bytes: Buffer, limit: number): number {
    let start = 0
    while (start < limit) {
      const roles = this.#roles
      if (roles !== undefined && this.#usualRow(bytes, start, roles)) {
        start = this.#at
        this.#line++
        continue
      }
      const end = recordEnd(bytes, start, limit)
      if (end === -1) break
      if (!this.#record(bytes.subarray(start, end))) return -1
      for (let i = start; i < end; i++) if (bytes[i] === newline) this.#line++
      start = end
    }
    return start
  }

  /** Reads a header, a blank line, or a row by the schema. Returns false if the rest of the file can't be read. */
  #record(bytes: Buffer): boolean {
    if (bytes.length - 1 > lineBytesMax) {
      this.#wrong('line', lineTooLong)
      return false
    }
    if (!isUtf8(bytes)) {
      this.#wrong('line', 'must be UTF-8')
      return this.#roles !== undefined
    }
    const line = bytes.toString('utf8').replace(/\r?\n$/, '')
    const text = this.#line === 1 ? line.replace(/^\ufeff/, '') : line
    if (text.trim() === '') return true
    const fields = splitRecord(text)
    if (fields === undefined) {
      this.#wrong('line', 'has a quote in the wrong place', shown(text))
      return this.#roles !== undefined
    }
    if (this.#roles === undefined) return this.#header(fields)
    this.#row(fields, this.#roles)
    return true
  }

  #header(names: readonly string[]): boolean {
    // `shown` adds quotation marks, which are removed here.
    const found = shown(names.join(',')).replace(/^"|"$/g, '')
    for (const column of historyColumns) {
      const count = names.filter((name) => name === column).length
      if (count === 1) continue
      this.#wrong(column, count === 0 ? 'must be a column of the header' : 'must be one column only', found)
    }
    const roles = names.map((name) => (historyColumns as readonly string[]).indexOf(name))
    const complete = roles.filter((role) => role !== -1).length === historyColumns.length
    if (complete) this.#roles = Uint8Array.from(roles, (role) => (role === -1 ? roleOther : role))
    return complete
  }

  #row(fields: readonly string[], roles: Uint8Array): void {
    if (fields.length !== roles.length) {
      this.#wrong('line', `must have ${roles.length} fields`, String(fields.length))
      return
    }
    const named = { date: '', id: '', market: '', low: '', high: '' } satisfies RowFields
    roles.forEach((role, i) => {
      if (role !== roleOther) named[historyColumns[role]!] = fields[i]!
    })
    const row = checked(rowSchema, named, this.place, this.#input.problems)
    if (row === undefined) return
    const id = Buffer.from(row.id)
    const card = this.#cardOf(id, 0, id.length)
    this.#input.onRow({ card, day: row.date, market: row.market, low: row.low, high: row.high, line: this.#line })
  }

  #cardOf(bytes: Buffer, start: number, end: number): number {
    const { ids, onUnknown } = this.#input
    const card = ids.find(bytes, start, end)
    if (card === -1) onUnknown(bytes.toString('utf8', start, end))
    return card
  }

  /**
   * Reads the row at `start` if it has the usual form, and moves #at behind it. No scan of a field passes a newline,
   * and the bytes end with a newline.
   */
  #usualRow(bytes: Buffer, start: number, roles: Uint8Array): boolean {
    this.#at = start
    let card = 0
    let day = 0
    let market = 0
    let low = 0
    let high = 0
    const last = roles.length - 1
    for (let column = 0; column <= last; column++) {
      const role = roles[column]!
      let value = 0
      if (role === roleDate) value = day = this.#usualDate(bytes)
      else if (role === roleId) value = card = this.#usualId(bytes)
      else if (role === roleMarket) value = market = this.#usualPrice(bytes)
      else if (role === roleLow) value = low = this.#usualPrice(bytes)
      else if (role === roleHigh) value = high = this.#usualPrice(bytes)
      else value = this.#usualOther(bytes)
      if (value === unusual) return false
      if (column < last && bytes[this.#at++] !== comma) return false
    }
    if (bytes[this.#at] === carriageReturn) this.#at++
    if (bytes[this.#at++] !== newline || this.#at - 1 - start > lineBytesMax) return false
    this.#input.onRow({ card, day, market, low, high, line: this.#line })
    return true
  }

  /** The four scans below return the value and move #at behind the field, or return `unusual`. */
  #usualDate(bytes: Buffer): number {
    const at = this.#at
    this.#at = at + dateChars
    let i = 0
    while (i < dateChars && bytes[at + i] === this.#date[i]) i++
    if (i === dateChars) return this.#day
    const day = dayOfDate(bytes.toString('latin1', at, at + dateChars))
    if (!isHistoryDay(day)) return unusual
    for (i = 0; i < dateChars; i++) this.#date[i] = bytes[at + i]!
    this.#day = day
    return day
  }

  #usualId(bytes: Buffer): number {
    const start = this.#at
    if (this.#usualOther(bytes) === unusual || this.#at === start) return unusual
    return this.#cardOf(bytes, start, this.#at)
  }

  #usualPrice(bytes: Uint8Array): number {
    const start = this.#at
    let at = start
    let byte = bytes[at]!
    let cents = 0
    for (; byte >= digit0 && byte <= digit9; byte = bytes[++at]!) cents = cents * 10 + byte - digit0
    const digits = at - start
    this.#at = at
    if (digits === 0) return endsField(byte) ? unknownPrice : unusual
    if (digits > 8) return unusual
    cents *= 100
    if (byte === dot) {
      const tenths = bytes[at + 1]! - digit0
      if (tenths < 0 || tenths > 9) return unusual
      cents += tenths * 10
      at += 2
      const hundredths = bytes[at]! - digit0
      if (hundredths >= 0 && hundredths <= 9) {
        cents += hundredths
        at++
      }
      this.#at = at
    }
    return cents <= priceCentsMax ? cents : unusual
  }

  #usualOther(bytes: Uint8Array): number {
    let at = this.#at
    let byte = bytes[at]!
    for (; !endsField(byte); byte = bytes[++at]!) if (byte <= 0x20 || byte === quote || byte > 0x7e) return unusual
    this.#at = at
    return 0
  }
}

const endsField = (byte: number): boolean => byte === comma || byte === newline || byte === carriageReturn
