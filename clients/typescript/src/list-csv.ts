/** Records of a CSV, one at a time, so that a caller can pause between them. */

export interface CsvRecord {
  /** Of its first character, from 1. */
  readonly line: number
  /** As it stands in the file. */
  readonly text: string
  /** Without spaces around them. */
  readonly cells: readonly string[]
}

/** Blank lines have no record. A quote that is never closed is a letter. */
export function* recordsOf(text: string, delimiter: string): Generator<CsvRecord, void, undefined> {
  const closing = new RegExp(`"(?=[ \\t]*(?:${delimiter === '|' ? '\\|' : delimiter}|\\r?\\n|$))`, 'g')
  let lastQuote = text.lastIndexOf('"')
  let line = 1
  let at = 0
  while (at < text.length) {
    const start = at
    const cells: string[] = []
    for (let isOpen = true; isOpen; ) {
      const cell = cellAt(at)
      cells.push(cell.value)
      isOpen = text[cell.end] === delimiter
      at = cell.end + 1
    }
    const whole = text.slice(start, at - 1)
    if (whole.trim() !== '') yield { line, text: whole.trimEnd(), cells }
    line += 1 + (whole.includes('\n') ? whole.split('\n').length - 1 : 0)
  }

  function cellAt(from: number): { value: string; end: number } {
    let start = from
    while (text[start] === ' ') start++
    if (text[start] === '"' && start < lastQuote) {
      closing.lastIndex = start + 1
      for (let close = closing.exec(text); close !== null; close = closing.exec(text)) {
        // Two quotes stand for one.
        const quotes = quotesBefore(start + 1, close.index)
        if (quotes % 2 === 1) continue
        return {
          value: text
            .slice(start + 1, close.index)
            .replaceAll('""', '"')
            .trim(),
          end: endOf(close.index + 1),
        }
      }
      lastQuote = -1
    }
    const end = endOf(from)
    return { value: text.slice(from, end).trim(), end }
  }

  /** How many quotes stand right before a place, down to another one. */
  function quotesBefore(from: number, place: number): number {
    let first = place
    while (first > from && text[first - 1] === '"') first--
    return place - first
  }

  function endOf(from: number): number {
    let end = from
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++
    return end
  }
}
