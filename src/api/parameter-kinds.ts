/**
 * The kinds of parameters. An instance has the parameter's name and bounds, which its reader, its error messages, the
 * OpenAPI description and the tests use.
 */
import { givenCharsShown } from '../limits.ts'
import { withoutKeys } from '../log/secrets.ts'
import { decoded, rawParameter } from './query.ts'

export interface Parameter<Value = unknown> {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'number'
  readonly required: boolean
  /** Undefined if a missing parameter does not restrict the results. */
  readonly default?: string | number | undefined
  /** Of numbers, inclusive. */
  readonly minimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  /** Whether a value above the maximum is lowered to it or rejected. */
  readonly aboveMaximum?: 'lowered' | 'rejected'
  /** All allowed values. */
  readonly values?: readonly string[]
  /** Of texts, in characters. */
  readonly charsMin?: number
  readonly charsMax?: number
  /** A regular expression that a text must contain. */
  readonly pattern?: string
  /** Part of the error message: `limit must be …, given was …` */
  readonly allowed: string
  /** @param sent the query, or the path's parameter, as sent. Throws ParameterError. */
  read(sent: string): Value
}

/** A parameter is wrong or missing; the message is for the caller. */
export class ParameterError extends Error {
  /** @param given the value; undefined if it is missing */
  constructor(name: string, allowed: string, given?: string) {
    super(`${name} must be ${allowed}${given === undefined ? '' : `, given was ${quoted(given)}`}`)
  }
}

/** Any parameter can contain a key, which must not appear in a message. */
function quoted(given: string): string {
  const text = withoutKeys(given)
  const characters = [...text]
  return JSON.stringify(
    characters.length > givenCharsShown ? `${characters.slice(0, givenCharsShown).join('')}…` : text,
  )
}

export const anyText = 'percent-encoded UTF-8'

/** The first value of the query's parameter, decoded; undefined without the parameter. Throws ParameterError. */
function textOf(query: string, name: string): string | undefined {
  const raw = rawParameter(query, name)
  if (raw === undefined) return undefined
  const text = decoded(raw)
  if (text === undefined) throw new ParameterError(name, anyText, raw)
  return text
}

export class WholeNumber implements Parameter<number> {
  readonly in = 'query'
  readonly type = 'integer'
  readonly required = false
  readonly name: string
  readonly default: number
  readonly minimum: number
  readonly maximum: number
  readonly aboveMaximum: 'lowered' | 'rejected'
  readonly allowed: string

  constructor(
    name: string,
    bounds: Pick<WholeNumber, 'default' | 'minimum' | 'maximum'>,
    aboveMaximum: 'lowered' | 'rejected',
  ) {
    this.name = name
    this.default = bounds.default
    this.minimum = bounds.minimum
    this.maximum = bounds.maximum
    this.aboveMaximum = aboveMaximum
    // No caller looks for the bound of exact numbers.
    const hasMaximum = aboveMaximum === 'rejected' && bounds.maximum < Number.MAX_SAFE_INTEGER
    this.allowed = `a whole number ${hasMaximum ? `from ${bounds.minimum} to ${bounds.maximum}` : `of ${bounds.minimum} or more`}`
  }

  read(query: string): number {
    const text = textOf(query, this.name)
    if (text === undefined) return this.default
    const value = /^\d+$/.test(text) ? Number(text) : -1
    if (value < this.minimum || (value > this.maximum && this.aboveMaximum === 'rejected')) {
      throw new ParameterError(this.name, this.allowed, text)
    }
    return Math.min(value, this.maximum)
  }
}

/** One of several words, each with a meaning. */
export class OneOf<Meaning> implements Parameter<Meaning> {
  readonly in = 'query'
  readonly type = 'string'
  readonly required = false
  readonly name: string
  readonly default: string | undefined
  readonly values: readonly string[]
  readonly allowed: string
  readonly #meanings: ReadonlyMap<string, Meaning>
  readonly #whenAbsent: Meaning

  /** @param whenAbsent the meaning without the parameter; a word with this meaning is the default */
  constructor(name: string, meanings: ReadonlyMap<string, Meaning>, whenAbsent: Meaning) {
    this.name = name
    this.values = [...meanings.keys()]
    this.default = this.values.find((value) => meanings.get(value) === whenAbsent)
    this.allowed = `one of ${this.values.join(', ')}`
    this.#meanings = meanings
    this.#whenAbsent = whenAbsent
  }

  read(query: string): Meaning {
    const text = textOf(query, this.name)
    if (text === undefined) return this.#whenAbsent
    const meaning = this.#meanings.get(text)
    if (meaning === undefined) throw new ParameterError(this.name, this.allowed, text)
    return meaning
  }
}

/** A whole number, or none. Numbers too large to be exact match nothing. */
export class OptionalWholeNumber implements Parameter<number | undefined> {
  readonly in = 'query'
  readonly type = 'integer'
  readonly required = false
  readonly name: string
  readonly minimum: number
  readonly allowed: string

  constructor(name: string, minimum: number) {
    this.name = name
    this.minimum = minimum
    this.allowed = `a whole number of ${minimum} or more`
  }

  read(query: string): number | undefined {
    const text = textOf(query, this.name)
    if (text === undefined) return undefined
    const value = /^\d+$/.test(text) ? Number(text) : -1
    if (value < this.minimum) throw new ParameterError(this.name, this.allowed, text)
    return value
  }
}

class Money {
  readonly in = 'query'
  readonly type = 'number'
  readonly required = false
  readonly minimum = 0
  readonly multipleOf = 0.01
  readonly name: string
  readonly allowed = 'an amount of 0 or more with at most two decimals'

  constructor(name: string) {
    this.name = name
  }

  /** In cents; undefined without the parameter. */
  protected centsIn(query: string): number | undefined {
    const text = textOf(query, this.name)
    if (text === undefined) return undefined
    const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? []
    if (whole === undefined) throw new ParameterError(this.name, this.allowed, text)
    return Number(whole + decimals.padEnd(2, '0'))
  }
}

/** An amount of money, read as cents, or none. */
export class OptionalPrice extends Money implements Parameter<number | undefined> {
  read(query: string): number | undefined {
    return this.centsIn(query)
  }
}

/** An amount of money, read as cents. */
export class Price extends Money implements Parameter<number> {
  readonly default: number
  readonly #centsDefault: number

  constructor(name: string, centsDefault: number) {
    super(name)
    this.default = centsDefault / 100
    this.#centsDefault = centsDefault
  }

  read(query: string): number {
    return this.centsIn(query) ?? this.#centsDefault
  }
}

class BoundedText {
  readonly in = 'query'
  readonly type = 'string'
  readonly charsMin = 1
  readonly name: string
  readonly charsMax: number
  readonly allowed: string

  /** @param what its name in the message */
  constructor(name: string, what: string, charsMax: number) {
    this.name = name
    this.charsMax = charsMax
    this.allowed = `${what} of ${this.charsMin} to ${charsMax} characters`
  }

  /** A character takes one or two UTF-16 units. */
  protected isTooLong(text: string): boolean {
    return text.length > this.charsMax && [...text].length > this.charsMax
  }
}

/** A required text, neither blank nor too long. */
export class RequiredText extends BoundedText implements Parameter<string> {
  readonly required = true
  readonly pattern = '\\S'

  read(query: string): string {
    const text = textOf(query, this.name) ?? ''
    if (text.trim() === '' || this.isTooLong(text)) throw new ParameterError(this.name, this.allowed, text)
    return text
  }
}

/** A text that is neither blank nor too long, or none. */
export class OptionalSearchText extends BoundedText implements Parameter<string | undefined> {
  readonly required = false
  readonly pattern = '\\S'

  read(query: string): string | undefined {
    const text = textOf(query, this.name)
    if (text !== undefined && (text.trim() === '' || this.isTooLong(text))) {
      throw new ParameterError(this.name, this.allowed, text)
    }
    return text
  }
}

/** A text that is neither empty nor too long, or none. */
export class OptionalBoundedText extends BoundedText implements Parameter<string | undefined> {
  readonly required = false

  read(query: string): string | undefined {
    const text = textOf(query, this.name)
    if (text === '' || (text !== undefined && this.isTooLong(text))) {
      throw new ParameterError(this.name, this.allowed, text)
    }
    return text
  }
}

/** A UUID, converted to lower case, or none. */
export class OptionalUuid implements Parameter<string | undefined> {
  readonly in = 'query'
  readonly type = 'string'
  readonly required = false
  readonly pattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
  readonly allowed = 'a UUID, 8-4-4-4-12 hexadecimal digits'
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  read(query: string): string | undefined {
    const text = textOf(query, this.name)
    if (text !== undefined && !uuidForm.test(text)) throw new ParameterError(this.name, this.allowed, text)
    return text?.toLowerCase()
  }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Any text, or none. */
export class OptionalText implements Parameter<string | undefined> {
  readonly in = 'query'
  readonly type = 'string'
  readonly required = false
  readonly name: string
  readonly allowed = anyText

  constructor(name: string) {
    this.name = name
  }

  read(query: string): string | undefined {
    return textOf(query, this.name)
  }
}

/** A text in the path, where `+` is not a blank. Most have no escapes and are used as sent. */
export class PathText implements Parameter<string> {
  readonly in = 'path'
  readonly type = 'string'
  readonly required = true
  readonly name: string
  readonly allowed = anyText

  constructor(name: string) {
    this.name = name
  }

  read(raw: string): string {
    if (!raw.includes('%')) return raw
    const text = decoded(raw.replaceAll('+', '%2B'))
    if (text === undefined) throw new ParameterError(this.name, this.allowed, raw)
    return text
  }
}
