/** Cells of CSV files, safe for spreadsheets. */

/** A spreadsheet would evaluate such a cell. */
const formula = /^[=+\-@\t\r＝＋－＠]/

/** Quotes a cell if needed (RFC 4180). An apostrophe turns a formula into text. */
export function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
