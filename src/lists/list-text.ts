/** Recognizes the form of a list: lines, or a form of JSON or XML that can be read as lines. */
import { decoded } from './entities.ts'

/** A text that is JSON, XML or HTML, and no list. */
export class ListFormError extends Error {
  readonly code = 'NOT_A_LIST'

  constructor(form: string) {
    super(`This is ${form}, not a list of cards. Export the list as CSV or text.`)
    this.name = 'ListFormError'
  }
}

/** The form of a text is recognized by at most this many characters at its beginning. */
const headChars = 2000
/** The most characters of a deck in JSON. */
const jsonCharsMax = 100_000
/** The fewest characters to decode between two pauses. */
const pieceChars = 16_384

export const isDek = (text: string): boolean =>
  /^(?:<\?xml[^>]*>\s*)?<Deck[\s>]/i.test(text.slice(0, headChars).trimStart())

/**
 * Returns the lines of a list's text, without a byte order mark and with HTML's entities decoded. It yields 0 between
 * pieces, so that a caller can pause. Throws a ListFormError for JSON, XML or HTML that is no list.
 */
export function* listText(text: string): Generator<number, string, undefined> {
  const start = text
    .slice(0, headChars)
    .replace(/^\ufeff/, '')
    .trimStart()
  if (/^(?:\{\s*["}]|\[\s*(?:[{"[\]]|-?\d+\s*,))/.test(start) && isJson(text)) {
    const deck = text.length > jsonCharsMax ? undefined : deckIn(text)
    if (deck === undefined) throw new ListFormError('JSON')
    return deck
  }
  if (/^<(?:[?!]|[a-z][\w:.-]*(?:\s[^<>]*)?\/?>)/i.test(start) && !isDek(start)) {
    throw new ListFormError(
      /<(?:!doctype html|html|head|body|table|div|p|ul|pre|span)[\s>]/i.test(start) ? 'HTML' : 'XML',
    )
  }
  const mark = text.startsWith('\ufeff') ? 1 : 0
  if (!text.includes('&') || isDek(start)) return text.slice(mark)
  let whole = ''
  for (let from = mark; from < text.length; ) {
    const line = text.indexOf('\n', from + pieceChars)
    const to = line === -1 || line > from + 2 * pieceChars ? from + pieceChars : line
    whole += decoded(text.slice(from, to))
    from = to
    yield 0
  }
  return whole
}

/** True if the text is JSON. A list may begin as JSON does, with a line in brackets such as `[Griselbrand]`. */
function isJson(text: string): boolean {
  if (text.length > jsonCharsMax) return true
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
    return true
  } catch {
    return /^\s*[{[]\s*["{[]/.test(text.replace(/^\ufeff/, ''))
  }
}

/**
 * Returns the lines of a deck of swudb, which has leader, base, deck and sideboard, each with ids such as `SOR_095`.
 * Undefined for other JSON.
 */
function deckIn(text: string): string | undefined {
  let deck: unknown
  try {
    deck = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
  if (typeof deck !== 'object' || deck === null || Array.isArray(deck)) return undefined
  const lines: string[] = []
  const parts = deck as Readonly<Record<string, unknown>>
  for (const part of ['leader', 'secondleader', 'base', 'deck', 'sideboard']) {
    const cards = Array.isArray(parts[part]) ? parts[part] : [parts[part]]
    for (const card of cards as readonly unknown[]) {
      const { id, count } = (card ?? {}) as { readonly id?: unknown; readonly count?: unknown }
      if (typeof id === 'string' && /^[\w-]{1,40}$/.test(id)) lines.push(`${Number(count ?? 1)} ${id}`)
    }
  }
  return lines.length === 0 ? undefined : lines.join('\n')
}
