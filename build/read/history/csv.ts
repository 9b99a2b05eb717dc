/** Records of a CSV file by RFC 4180: a field that begins with a quote may hold commas and line breaks. */

const newline = 0x0a
const quote = 0x22
const comma = 0x2c

/** The offset behind the record at `start` and its line break; -1 if it doesn't end before `end`. */
export function recordEnd(bytes: Uint8Array, start: number, end: number): number {
  let quoted = false
  let fieldStart = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (quoted) {
      // A doubled quote is an escaped one.
      if (byte === quote) quoted = bytes[at + 1] === quote ? bytes[++at] === quote : false
    } else if (byte === newline) return at + 1
    else if (byte === quote && fieldStart) quoted = true
    fieldStart = !quoted && byte === comma
  }
  return -1
}

const field = /(?:"((?:[^"]|"")*)"|([^",][^,]*|))(,|$)/y

/** @param text without the line break. Undefined if anything but a comma follows a closing quote. */
export function splitRecord(text: string): string[] | undefined {
  const fields: string[] = []
  field.lastIndex = 0
  for (;;) {
    const match = field.exec(text)
    if (match === null) return undefined
    const [, quoted, plain, separator] = match
    fields.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (separator === '') return fields
  }
}
