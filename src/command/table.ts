/** Formats rows of cells as lines with aligned columns, for a terminal. */

/**
 * @param rows rows with equally many cells; a heading is a row like the others
 * @param right the indexes of the columns that are aligned to the right, such as numbers
 */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  const cell = (text: string, column: number) =>
    right.includes(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
