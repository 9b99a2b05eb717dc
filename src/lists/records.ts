/** Reads a CSV one record at a time, so that a caller can pause in between. Lines end with LF, CRLF, or CR alone. */

export interface CsvRecord {
  /** The number of the line where the record begins, from 1. */
  readonly line: number
  /** The record as it is in the file. */
  readonly text: string
  /** The cells without spaces around them. */
  readonly cells: readonly string[]
}

export interface TextLine {
  /** The line's number, from 1. */
  readonly line: number
  readonly text: string
  /** The index of the line's first character in the text. */
  readonly start: number
}

/** Yields all lines of a text, also blank ones. @param line the number of the first line */
export function* linesOf(text: string, line = 1): Generator<TextLine, void, undefined> {
  let start = 0
  for (let number = line; start < text.length; number++) {
    const end = lineEnd(text, start)
    yield { line: number, text: text.slice(start, end), start }
    start = behindLineEnd(text, end)
  }
}

function lineEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++
  return end
}

const behindLineEnd = (text: string, end: number): number =>
  text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1

/** A cell that makes spreadsheets keep leading zeros: `="004"`. */
const formula = /^="([^"]*)"$/

/**
 * Yields the records of a CSV, but none for blank lines. A quote that is never closed is an ordinary character.
 * @param line the number of the first line
 */
export function* recordsOf(text: string, delimiter: string, line = 1): Generator<CsvRecord, void, undefined> {
  const escaped = delimiter.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
  const closing = new RegExp(`"(?=[ \\t]*(?:${escaped}|[\\r\\n]|$))`, 'g')
  let lastQuote = text.lastIndexOf('"')
  let number = line
  let at = 0
  while (at < text.length) {
    const start = at
    const cells: string[] = []
    let end = at
    for (let isOpen = true; isOpen; ) {
      const cell = cellAt(at)
      cells.push(cell.value)
      end = cell.end
      isOpen = text[end] === delimiter
      at = isOpen ? end + 1 : behindLineEnd(text, end)
    }
    const whole = text.slice(start, end)
    if (whole.trim() !== '') yield { line: number, text: whole.trimEnd(), cells }
    number += 1 + (whole.match(/\r\n?|\n/g)?.length ?? 0)
  }

  function cellAt(from: number): { value: string; end: number } {
    let start = from
    while (text[start] === ' ') start++
    if (text[start] === '"' && start < lastQuote) {
      closing.lastIndex = start + 1
      for (let close = closing.exec(text); close !== null; close = closing.exec(text)) {
        // Two quotes are one quote of the cell's text, so they do not close the cell.
        const quotes = quotesBefore(start + 1, close.index)
        if (quotes % 2 === 1) continue
        const value = text.slice(start + 1, close.index).replaceAll('""', '"')
        return { value: value.trim(), end: endOf(close.index + 1) }
      }
      lastQuote = -1
    }
    const end = endOf(from)
    const value = text.slice(from, end).trim()
    return { value: formula.exec(value)?.[1] ?? value, end }
  }

  /** Returns how many quotes precede `place` without a gap, at or after `from`. */
  function quotesBefore(from: number, place: number): number {
    let first = place
    while (first > from && text[first - 1] === '"') first--
    return place - first
  }

  function endOf(from: number): number {
    let end = from
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++
    return end
  }
}
