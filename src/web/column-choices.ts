/** The fields that a person chose for a list's columns, in the form of the page. */
import { type Field, fieldNames } from '../../clients/typescript/src/list-fields.ts'

/** The field of each column, by the column's name in the file. With null, the column changes no amount. */
export type ColumnChoices = Readonly<Record<string, Field | null>>

/**
 * The form has two fields for each column: its name in the file, and what the column is. `at` is the column's place,
 * from 0.
 */
export const columnName = (at: number): string => `column-${at}`
export const columnField = (at: number): string => `column-${at}-is`
/**
 * The choices are used if the form has this field. The button for the choices sends this field. Afterwards, each form
 * of the page with the result sends it, too.
 */
export const columnsUsed = 'columns'

/** Undefined if no columns were chosen. @param fieldOf returns a form's field by its name */
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
