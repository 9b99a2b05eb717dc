/**
 * The CSV of a valued list, which the page offers for download. Its columns are known when it comes back, and its
 * amounts are those of then.
 */
import { conditionNames } from './cards.ts'
import type { Field } from './fields.ts'

/** In the order of the file. Files of earlier releases have no rarity. */
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

/** Other programs have no such columns beside each other. */
const signs: readonly OwnColumn[] = ['quantity', 'unit price', 'amount', 'match', 'id', 'text']

/** The fields of the columns, if the file is our own. A column that a person has added is judged as any. */
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
  /** The line as it was sent. */
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
  // A person may have changed the quantity.
  const cents = unit === undefined ? amount : unit * quantity
  return {
    isExcluded: cell('match') === 'excluded',
    hasCard: cell('id') !== '',
    text: cell('text'),
    grade: isGrade ? condition : undefined,
    former: cents === undefined ? undefined : { cents, currency: cell('currency') },
  }
}

/** The cells without the apostrophe that the file has before what a spreadsheet would compute. */
export const ownCells = (cells: readonly string[]): readonly string[] =>
  cells.map((cell) => cell.replace(/^'(?=[=+\-@＝＋－＠])/, ''))

/** Spreadsheets may have saved the file with decimal commas. */
const centsIn = (text: string): number | undefined =>
  /^\d{1,12}([.,]\d{1,2})?$/.test(text) ? Math.round(Number(text.replace(',', '.')) * 100) : undefined
