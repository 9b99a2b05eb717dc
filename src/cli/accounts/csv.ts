/** Cells of CSV files that spreadsheets open. */

/** Such a cell is a formula to a spreadsheet, whoever named the account. */
const formula = /^[=+\-@\t\r＝＋－＠]/

/** Quoted if it must be (RFC 4180). One that a spreadsheet would compute begins with an apostrophe, which makes it text. */
export function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
