/**
 * The kinds of parameters. The reader, the error messages, the OpenAPI description and the tests all take a parameter's
 * name and bounds from here.
 */
import { dayOfDate, noDay } from '../calendar.ts'
import { withoutKeys } from '../log/secrets.ts'
import { decoded } from './query-string.ts'

/** An error quotes at most this many characters of an invalid value. */
const givenCharsShown = 80

export interface Parameter<Value = unknown> {
  readonly name: string
  readonly description?: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'number'
  readonly required: boolean
  /** Undefined if a missing parameter does not restrict the results. */
  readonly default?: string | number | undefined
  /** Bounds of numbers, inclusive. */
  readonly minimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  /** What happens to a value above the maximum: it is lowered to the maximum, or rejected. */
  readonly aboveMaximum?: 'lowered' | 'rejected'
  /** All allowed values. */
  readonly values?: readonly string[]
  /** Bounds of texts, in characters. */
  readonly charsMin?: number
  readonly charsMax?: number
  /** A regular expression that a text must contain. */
  readonly pattern?: string
  /** True for a game's id. The OpenAPI description lists the ids of the served version's games. */
  readonly isGame?: boolean
  /** The name of the text's format in JSON Schema. */
  readonly format?: 'date'
  /** Part of the error message: `limit must be …, given was …` */
  readonly allowed: string
  /** @param sent the text as sent; undefined if the query lacks the parameter. Throws ParameterError. */
  read(sent: string | undefined): Value
}

/** A parameter is wrong or missing. The message is written for the API's caller. */
export class ParameterError extends Error {
  /** @param given the value; undefined if it is missing */
  constructor(name: string, allowed: string, given?: string) {
    super(`${name} must be ${allowed}${given === undefined ? '' : `, given was ${quoted(given)}`}`)
  }
}

/**
 * Returns the value as a message quotes it. Callers may put a key into any parameter by mistake, and no message may
 * show it.
 */
function quoted(given: string): string {
  const text = withoutKeys(given)
  const characters = [...text]
  return JSON.stringify(
    characters.length > givenCharsShown ? `${characters.slice(0, givenCharsShown).join('')}…` : text,
  )
}

const anyText = 'percent-encoded UTF-8'

/**
 * An optional parameter of the query.
 * @param absent the value if the query lacks the parameter
 * @param valueIn reads the value in a text; returns undefined if the text is wrong
 */
export function inQuery<Value>(
  name: string,
  bounds: Omit<Parameter, 'name' | 'in' | 'required' | 'read'>,
  absent: Value,
  valueIn: (text: string) => Value | undefined,
): Parameter<Value> {
  return {
    name,
    in: 'query',
    required: false,
    ...bounds,
    read(sent) {
      if (sent === undefined) return absent
      const text = decoded(sent)
      if (text === undefined) throw new ParameterError(name, anyText, sent)
      const value = valueIn(text)
      if (value === undefined) throw new ParameterError(name, bounds.allowed, text)
      return value
    },
  }
}

/**
 * Returns the number in the text; undefined if the text is not a whole number, or if the number is less than `minimum`.
 */
function wholeNumberIn(text: string, minimum: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : -1
  return value < minimum ? undefined : value
}

export function wholeNumber(
  name: string,
  bounds: { readonly default: number; readonly minimum: number; readonly maximum: number },
  aboveMaximum: 'lowered' | 'rejected',
): Parameter<number> {
  const { minimum, maximum } = bounds
  // The message omits the greatest exact number as a bound, because callers never need so large a number.
  const hasMaximum = aboveMaximum === 'rejected' && maximum < Number.MAX_SAFE_INTEGER
  const allowed = `a whole number ${hasMaximum ? `from ${minimum} to ${maximum}` : `of ${minimum} or more`}`
  return inQuery(name, { type: 'integer', ...bounds, aboveMaximum, allowed }, bounds.default, (text) => {
    const value = wholeNumberIn(text, minimum)
    if (value === undefined || value <= maximum) return value
    return aboveMaximum === 'lowered' ? maximum : undefined
  })
}

/** An optional number of a product. A number too large to be exact matches no product. */
export const productId = (name: string): Parameter<number | undefined> =>
  inQuery(name, { type: 'integer', minimum: 1, allowed: 'a whole number of 1 or more' }, undefined, (text) =>
    wholeNumberIn(text, 1),
  )

/**
 * A parameter that takes one of several words. Each word has a meaning.
 * @param absent the meaning if the query lacks the parameter. A word with this meaning is the default
 */
export function oneOf<Meaning>(
  name: string,
  meanings: ReadonlyMap<string, Meaning>,
  absent: Meaning,
): Parameter<Meaning> & { readonly values: readonly string[] } {
  const values = [...meanings.keys()]
  const allowed = `one of ${values.join(', ')}`
  const standard = values.find((value) => meanings.get(value) === absent)
  const bounds = { type: 'string', default: standard, values, allowed } as const
  return { ...inQuery(name, bounds, absent, (text) => meanings.get(text)), values }
}

/** A parameter that takes one of several words, and whose meaning is the word itself. */
export const word = <Word extends string>(name: string, words: readonly Word[], absent: Word): Parameter<Word> =>
  oneOf(name, new Map(words.map((one) => [one, one])), absent)

const money = {
  type: 'number',
  minimum: 0,
  multipleOf: 0.01,
  allowed: 'an amount of 0 or more with at most two decimals',
} as const

/** Returns the cents of an amount of money; undefined if the text is not such an amount. */
function centsIn(text: string): number | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole + decimals.padEnd(2, '0'))
}

/** An amount of money, read as cents. @param absent the cents if the query lacks the parameter */
export const price = <Absent extends number | undefined>(name: string, absent: Absent): Parameter<number | Absent> =>
  inQuery<number | Absent>(
    name,
    { ...money, default: absent === undefined ? undefined : absent / 100 },
    absent,
    centsIn,
  )

/** True if the text has more than `charsMax` characters. A character takes one or two UTF-16 units. */
export const isTooLong = (text: string, charsMax: number): boolean =>
  text.length > charsMax && [...text].length > charsMax

/**
 * An optional text, which must be neither empty nor too long.
 * @param what the text's name in the error message
 * @param pattern a regular expression that the text must contain
 */
export function boundedText(
  name: string,
  what: string,
  charsMax: number,
  pattern?: string,
): Parameter<string | undefined> {
  const charsMin = 1
  const allowed = `${what} of ${charsMin} to ${charsMax} characters`
  const form = new RegExp(pattern ?? '.', 'su')
  const bounds = { type: 'string', charsMin, charsMax, ...(pattern && { pattern }), allowed } as const
  return inQuery<string | undefined>(name, bounds, undefined, (text) =>
    form.test(text) && !isTooLong(text, charsMax) ? text : undefined,
  )
}

/** Makes an optional parameter required. */
export function required(optional: Parameter<string | undefined>): Parameter<string> {
  return {
    ...optional,
    required: true,
    read(sent) {
      const text = optional.read(sent)
      if (text === undefined) throw new ParameterError(optional.name, optional.allowed, '')
      return text
    },
  }
}

/** An optional UUID, converted to lower case. */
export function optionalUuid(name: string): Parameter<string | undefined> {
  const pattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
  const form = new RegExp(pattern)
  const allowed = 'a UUID, 8-4-4-4-12 hexadecimal digits'
  return inQuery<string | undefined>(name, { type: 'string', pattern, allowed }, undefined, (text) =>
    form.test(text) ? text.toLowerCase() : undefined,
  )
}

/** An optional date, read as a day (calendar.ts). */
export const optionalDate = (name: string): Parameter<number | undefined> =>
  inQuery(name, { type: 'string', format: 'date', allowed: 'a date, YYYY-MM-DD' }, undefined, (text) => {
    const day = dayOfDate(text)
    return day === noDay ? undefined : day
  })

/** An optional text without restrictions. */
export const optionalText = (name: string): Parameter<string | undefined> =>
  inQuery<string | undefined>(name, { type: 'string', allowed: anyText }, undefined, (text) => text)

/** An optional game. The OpenAPI description lists the ids of the served version's games. */
export const gameSlug = (name: string): Parameter<string | undefined> & { readonly isGame: true } => ({
  ...optionalText(name),
  allowed: 'a game that /v1/games lists',
  isGame: true,
})

/** A text in the path, where `+` does not stand for a blank. Most texts have no escapes, and are used as sent. */
export const pathText = (name: string): Parameter<string> => ({
  name,
  in: 'path',
  type: 'string',
  required: true,
  allowed: anyText,
  read(sent = '') {
    if (!sent.includes('%')) return sent
    const text = decoded(sent.replaceAll('+', '%2B'))
    if (text === undefined) throw new ParameterError(name, anyText, sent)
    return text
  },
})
