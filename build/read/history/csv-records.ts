/** Records of a CSV file by RFC 4180. A field that begins with a quote may contain commas and line breaks. */

const newline = 0x0a
const quote = 0x22
const comma = ','

/** The characters that may separate fields. */
export const separators = [comma, ';', '\t'] as const
export type Separator = (typeof separators)[number]

/**
 * The offset behind the record that starts at `start`, and behind its line break; -1 if the record does not end before
 * `end`.
 */
export function recordEnd(bytes: Uint8Array, start: number, end: number, separator: Separator = comma): number {
  const between = separator.charCodeAt(0)
  let quoted = false
  let fieldStart = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (quoted) {
      // A doubled quote stands for one quote in the field.
      if (byte === quote) quoted = bytes[at + 1] === quote ? bytes[++at] === quote : false
    } else if (byte === newline) return at + 1
    else if (byte === quote && fieldStart) quoted = true
    fieldStart = !quoted && byte === between
  }
  return -1
}

const fieldBefore = (separator: Separator): RegExp =>
  new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}][^${separator}]*|))(${separator}|$)`, 'y')
const fieldsBefore = { ',': fieldBefore(','), ';': fieldBefore(';'), '\t': fieldBefore('\t') }

/**
 * The fields of a record. Undefined if anything but a separator follows a closing quote.
 * @param text the record without its line break
 */
export function splitRecord(text: string, separator: Separator = comma): string[] | undefined {
  const field = fieldsBefore[separator]
  const fields: string[] = []
  field.lastIndex = 0
  for (;;) {
    const match = field.exec(text)
    if (match === null) return undefined
    const [, quoted, plain, behind] = match
    fields.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (behind === '') return fields
  }
}
