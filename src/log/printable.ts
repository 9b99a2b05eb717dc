/**
 * Makes texts safe to show in a terminal or in the title of a page. Names of publishers and of versions may contain
 * control characters that a terminal would execute.
 */

/**
 * Control characters other than tabs and line ends, and characters that change the direction of the text after them.
 * The latter can make a text look like another one.
 */
const obeyed =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Writes these characters as escapes: `\u202e`. In JSON, the escapes mean the same. */
export const printable = (text: string): string => text.replace(obeyed, escaped)

/** The same, and tabs and line ends as escapes, too. */
export const printableLine = (text: string): string => printable(text).replace(/[\t\r\n]/g, escaped)

/** Removes these characters. */
export const withoutControls = (text: string): string => text.replace(obeyed, '')

/** Writes to standard output and standard error. */
export const terminal = {
  log: (text: string): void => console.log(printable(text)),
  error: (text: string): void => console.error(printable(text)),
}
