/**
 * The CSV of a valued list, which the page offers for download. If it is pasted again, its columns are known, and its
 * amounts become former amounts, to be compared with those of the day.
 */
import { conditionNames } from './cards.ts'
import type { Field } from './fields.ts'

/** The columns and their fields, in the order of the file. Files of earlier releases have no rarity. */
export const ownColumns = {
  line: null,
  quantity: 'quantity',
  name: 'name',
  set: 'set',
  number: 'number',
  printing: 'printing',
  rarity: 'rarity',
  condition: 'condition',
  'unit price': null,
  amount: null,
  currency: null,
  match: null,
  id: 'id',
  text: null,
} as const satisfies Readonly<Record<string, Field | null>>

type OwnColumn = keyof typeof ownColumns

/** The columns that identify the file: no other program's file has all of them. */
const signs: readonly OwnColumn[] = ['quantity', 'unit price', 'amount', 'match', 'id', 'text']

/**
 * Returns the fields of the columns; undefined if the file is not our own. Columns that a person has added are left
 * out, and are judged like those of any file.
 */
export function ownFields(names: readonly string[]): Readonly<Record<string, Field | null>> | undefined {
  if (!signs.every((name) => names.includes(name))) return undefined
  return Object.fromEntries(Object.entries(ownColumns).filter(([name]) => names.includes(name)))
}

/** What a line was worth when the file was written. */
export interface FormerAmount {
  readonly cents: number
  readonly currency: string
}

/** What a row of our own CSV says besides the fields of its columns. */
export interface OwnRow {
  readonly isExcluded: boolean
  readonly hasCard: boolean
  /** The line of the list that was valued. */
  readonly text: string
  /** A key of `graded`, if the row's price was that of a grade. */
  readonly grade: string | undefined
  /** Undefined if the price was unknown. */
  readonly former: FormerAmount | undefined
}

export function ownRow(names: readonly string[], cells: readonly string[], quantity: number): OwnRow {
  const cell = (name: OwnColumn) => cells[names.indexOf(name)] ?? ''
  const condition = cell('condition')
  const isGrade = condition !== '' && !conditionNames.some((name) => name === condition)
  const [unit, amount] = [centsIn(cell('unit price')), centsIn(cell('amount'))]
  // The unit price is preferred to the amount, because a person may have changed the quantity.
  const cents = unit === undefined ? amount : unit * quantity
  return {
    isExcluded: cell('match') === 'excluded',
    hasCard: cell('id') !== '',
    text: cell('text'),
    grade: isGrade ? condition : undefined,
    former: cents === undefined ? undefined : { cents, currency: cell('currency') },
  }
}

/** Returns the cells without the apostrophe that keeps spreadsheets from reading a text as a formula. */
export const ownCells = (cells: readonly string[]): readonly string[] =>
  cells.map((cell) => cell.replace(/^'(?=[=+\-@＝＋－＠])/, ''))

/** Returns an amount in cents; undefined for any other text. A spreadsheet may have saved it with a decimal comma. */
const centsIn = (text: string): number | undefined =>
  /^\d{1,12}([.,]\d{1,2})?$/.test(text) ? Math.round(Number(text.replace(',', '.')) * 100) : undefined
