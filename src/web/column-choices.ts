/** The fields that were chosen for a list's columns, in the form of the page. */
import { type Field, fieldNames } from '../../clients/typescript/src/list-fields.ts'

/** By the column's name in the file. Null: it changes no amount. */
export type ColumnChoices = Readonly<Record<string, Field | null>>

/** The fields of the form for a column, by its place from 0: its name, and what it is. */
export const columnName = (at: number): string => `column-${at}`
export const columnField = (at: number): string => `column-${at}-is`
/** The columns count if the form has this field: its button sends it, and then each form of the page with the result. */
export const columnsUsed = 'columns'

/** Undefined if none were chosen. @param fieldOf a form's field by its name */
export function columnChoices(fieldOf: (name: string) => string | undefined): ColumnChoices | undefined {
  if (fieldOf(columnsUsed) === undefined) return undefined
  const choices: [string, Field | null][] = []
  for (let at = 0; ; at++) {
    const name = fieldOf(columnName(at))
    if (name === undefined) return Object.fromEntries(choices)
    const field = fieldOf(columnField(at))
    choices.push([name, fieldNames.find((one) => one === field) ?? null])
  }
}
