/**
 * Converts rows of shared tables to JSON for PostgreSQL, and back. In JSON, a time is a text with its zone, a day is a
 * date, and bytes are hexadecimal.
 */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { type SharedTable, type SharedTableName, sharedTables } from './store-schema.ts'

type Cell = string | number | null
/** A row, or only its key columns. */
export type SharedRow = Readonly<Record<string, Cell>>

/** The changes of a table: the keys of all changed rows, and those of the rows that still exist. */
export interface TableRows {
  readonly table: SharedTableName
  readonly keys: readonly SharedRow[]
  readonly rows: readonly SharedRow[]
}

const hexPrefix = '\\x'

function toCell(kind: string, value: SQLOutputValue): Cell {
  if (value === null) return null
  if (kind === 'time') return new Date(Number(value)).toISOString()
  if (kind === 'day') return dateOfDay(Number(value))
  if (kind === 'bytes') return hexPrefix + Buffer.from(value as Uint8Array).toString('hex')
  return value as string | number
}

function fromCell(kind: string, cell: Cell): SQLInputValue {
  if (cell === null) return null
  if (kind === 'time') return Date.parse(String(cell))
  if (kind === 'day') return dayOfDate(String(cell))
  if (kind === 'bytes') return Buffer.from(String(cell).slice(hexPrefix.length), 'hex')
  return cell
}

const columnsOf = (table: SharedTableName): SharedTable['columns'] => sharedTables[table].columns

export function toShared(table: SharedTableName, cells: readonly SQLOutputValue[]): SharedRow {
  const entries = Object.entries(columnsOf(table)).map(([column, kind], i) => [column, toCell(kind, cells[i]!)])
  return Object.fromEntries(entries)
}

/** The values of some columns, for SQLite. */
export const fromShared = (table: SharedTableName, columns: readonly string[], row: SharedRow): SQLInputValue[] =>
  columns.map((column) => fromCell(columnsOf(table)[column]!, row[column]!))

/** Returns an SQL expression for the value of a key column in a form that JSON can hold. */
export const keyText = (table: SharedTableName, column: string, value: string): string =>
  columnsOf(table)[column] === 'bytes' ? `lower(hex(${value}))` : value

/** @param values as `keyText` writes them */
export function keyRow(table: SharedTableName, values: readonly (string | number)[]): SharedRow {
  const cell = (column: string, value: string | number): Cell => {
    const kind = columnsOf(table)[column]!
    return kind === 'bytes' ? hexPrefix + value : toCell(kind, value)
  }
  return Object.fromEntries(sharedTables[table].key.map((column, i) => [column, cell(column, values[i]!)]))
}
