/** The query of an address, raw as it came: the first value of a parameter, decoded and checked. */
import { gameNumber, gameSlugs } from '../games.ts'
import { givenCharsShown, queryCharsMax } from '../limits.ts'
import { withoutKeys } from '../log/secrets.ts'

/** A parameter has a bad value; the message is for the caller. */
export class ParameterError extends Error {
  constructor(name: string, allowed: string, given: string) {
    super(`${name} must be ${allowed}, given was ${quoted(given)}`)
  }
}

/** A key can stand in any parameter, and in what is shown of it none may. */
function quoted(given: string): string {
  const text = withoutKeys(given)
  const characters = [...text]
  return JSON.stringify(
    characters.length > givenCharsShown ? `${characters.slice(0, givenCharsShown).join('')}…` : text,
  )
}

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

/** Decodes percent-escapes and `+`; undefined if an escape is cut short or the bytes are not UTF-8. */
export function decoded(raw: string): string | undefined {
  if (raw.includes('\ufffd')) return undefined
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The parameter's first value, decoded; undefined if it is not there. Throws ParameterError. */
export function textParameter(query: string, name: string): string | undefined {
  const raw = rawParameter(query, name)
  if (raw === undefined) return undefined
  const text = decoded(raw)
  if (text === undefined) throw new ParameterError(name, 'percent-encoded UTF-8', raw)
  return text
}

/** Throws ParameterError if `q` is missing, blank or too long. */
export function nameParameter(query: string): string {
  const text = textParameter(query, 'q') ?? ''
  if (text.trim() === '' || (text.length > queryCharsMax && [...text].length > queryCharsMax)) {
    throw new ParameterError('q', `a card name of 1 to ${queryCharsMax} characters`, text)
  }
  return text
}

/** The game's number, -1 for all games. Throws ParameterError. */
export function gameParameter(query: string): number {
  const slug = textParameter(query, 'game')
  if (slug === undefined) return -1
  const game = gameNumber(slug)
  if (game === -1) throw new ParameterError('game', `one of ${gameSlugs.join(', ')}`, slug)
  return game
}

/** A page size; one above `max` is lowered to it. Throws ParameterError. */
export function limitParameter(query: string, standard: number, max: number): number {
  const text = textParameter(query, 'limit')
  if (text === undefined) return standard
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new ParameterError('limit', 'a whole number of 1 or more', text)
  return Math.min(Number(text), max)
}

/** Throws ParameterError. */
export function offsetParameter(query: string): number {
  const text = textParameter(query, 'offset')
  if (text === undefined) return 0
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new ParameterError('offset', 'a whole number of 0 or more', text)
  }
  return Number(text)
}
