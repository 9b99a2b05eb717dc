/** Rows of cells as lines of text with aligned columns, for a terminal. */

/**
 * @param rows each with the same number of cells; a heading is a row like the others
 * @param right columns whose cells stand at the right, as numbers do
 */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  const cell = (text: string, column: number) =>
    right.includes(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
