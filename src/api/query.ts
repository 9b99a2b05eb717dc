/** The query of an address, raw as it came: the first value of a parameter, and what of it may be logged. */

/** The parameter's first value, still encoded; undefined if it is not there. */
export function rawParameter(query: string, name: string): string | undefined {
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const nameEnd = equals === -1 || equals > end ? end : equals
    if (isNamedAt(query, start, nameEnd, name)) return query.slice(Math.min(nameEnd + 1, end), end)
    start = end + 1
  }
  return undefined
}

/** An encoded name is longer than the name. */
const isNamedAt = (query: string, start: number, end: number, name: string) =>
  end - start === name.length
    ? query.startsWith(name, start)
    : end - start > name.length && isNamed(query.slice(start, end), name)

const isNamed = (raw: string, name: string) => raw === name || (raw.includes('%') && decoded(raw) === name)

/** Decodes percent-escapes and `+`; undefined if an escape is cut short or the bytes are not UTF-8. */
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
 * The query as it may be logged: without any parameter whose name speaks of a key, since what stands there may be one
 * that is mistyped past all recognition. A name that is encoded twice, or wrongly, may do so too.
 */
export const withoutKey = (query: string): string =>
  query
    .split('&')
    .filter((part) => !mayNameKey(decoded(part.split('=', 1)[0]!)))
    .join('&')

const mayNameKey = (name: string | undefined) => name === undefined || /key|%/i.test(name)
