/** Rows of cells as lines of text with aligned columns, for a terminal. */

export interface TableForm {
  /** Columns whose cells stand at the right, as numbers do. */
  readonly right?: readonly number[]
  /** The least width of the first column. */
  readonly firstCharsMin?: number
  /** Between two columns. */
  readonly gapChars?: number
}

/** @param rows of equally many cells each; a heading is a row like the others */
export function table(
  rows: readonly (readonly string[])[],
  { right = [], firstCharsMin = 0, gapChars = 2 }: TableForm = {},
): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  if (widths.length > 0) widths[0] = Math.max(widths[0]!, firstCharsMin)
  const cell = (text: string, column: number) =>
    right.includes(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
  return rows.map((row) => row.map(cell).join(' '.repeat(gapChars)).trimEnd()).join('\n')
}
