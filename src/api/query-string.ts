/**
 * Reads the query of an address as it was sent. It finds the first value of a parameter, and it removes keys for logs.
 */

/** Returns the parameter's first value, still encoded; undefined if the query lacks the parameter. */
export function rawParameter(query: string, name: string): string | undefined {
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const nameEnd = endOfName(query, start, end)
    if (isNamedAt(query, start, nameEnd, name)) return query.slice(Math.min(nameEnd + 1, end), end)
    start = end + 1
  }
  return undefined
}

/** Returns the end of the name of the parameter that is between `start` and `end`. */
export function endOfName(query: string, start: number, end: number): number {
  const equals = query.indexOf('=', start)
  return equals === -1 || equals > end ? end : equals
}

/**
 * True if the text from `start` to `end` is the name, perhaps encoded. An encoded name is longer than the name itself.
 */
const isNamedAt = (query: string, start: number, end: number, name: string) =>
  end - start === name.length
    ? query.startsWith(name, start)
    : end - start > name.length && isEncoded(query.slice(start, end), name)

const isEncoded = (raw: string, name: string) => raw.includes('%') && decoded(raw) === name

/** Decodes percent-escapes and `+`; undefined if an escape is incomplete or the bytes are not UTF-8. */
export function decoded(raw: string): string | undefined {
  if (raw.includes('\ufffd')) return undefined
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

/**
 * Returns the query as logs show it: without each parameter whose name contains `key`, because the value may be a
 * mistyped key. Parameters whose names are encoded twice or wrongly are also removed.
 */
export const withoutKey = (query: string): string =>
  query
    .split('&')
    .filter((part) => !mayNameKey(decoded(part.split('=', 1)[0]!)))
    .join('&')

const mayNameKey = (name: string | undefined) => name === undefined || /key|%/i.test(name)
