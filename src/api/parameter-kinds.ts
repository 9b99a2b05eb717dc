/**
 * The kinds of parameter. One of them with its name and bounds is a row of a table: it is read by them, its messages name
 * them, and whoever describes or tests the interface finds them here.
 */
import { givenCharsShown } from '../limits.ts'
import { withoutKeys } from '../log/secrets.ts'
import { decoded, rawParameter } from './query.ts'

export interface Parameter<Value = unknown> {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'number'
  readonly required: boolean
  /** Absent: what is not asked for does not narrow the answer. */
  readonly default?: string | number | undefined
  /** Of numbers, both counted in. */
  readonly minimum?: number
  readonly maximum?: number
  /** The step between two numbers that are allowed. */
  readonly multipleOf?: number
  /** What becomes of a value above the maximum. */
  readonly aboveMaximum?: 'lowered' | 'refused'
  /** All that are allowed. */
  readonly values?: readonly string[]
  /** Of texts, in characters. */
  readonly charsMin?: number
  readonly charsMax?: number
  /** What a text must hold beside, as a regular expression. */
  readonly pattern?: string
  /** As the message of a refusal has it: `limit must be …, given was …` */
  readonly allowed: string
  /** @param sent the query, or what stands in the path for it, as it came. Throws ParameterError. */
  read(sent: string): Value
}

/** A parameter has a bad value, or none; the message is for the caller. */
export class ParameterError extends Error {
  /** @param given undefined if it was not given */
  constructor(name: string, allowed: string, given?: string) {
    super(`${name} must be ${allowed}${given === undefined ? '' : `, given was ${quoted(given)}`}`)
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

export const anyText = 'percent-encoded UTF-8'

/** The first value of a query's parameter, decoded; undefined if it is not there. Throws ParameterError. */
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
  readonly aboveMaximum: 'lowered' | 'refused'
  readonly allowed: string

  constructor(
    name: string,
    bounds: Pick<WholeNumber, 'default' | 'minimum' | 'maximum'>,
    aboveMaximum: 'lowered' | 'refused',
  ) {
    this.name = name
    this.default = bounds.default
    this.minimum = bounds.minimum
    this.maximum = bounds.maximum
    this.aboveMaximum = aboveMaximum
    // Where numbers end to be exact is no bound that a caller looks for.
    const isTold = aboveMaximum === 'refused' && bounds.maximum < Number.MAX_SAFE_INTEGER
    this.allowed = `a whole number ${isTold ? `from ${bounds.minimum} to ${bounds.maximum}` : `of ${bounds.minimum} or more`}`
  }

  read(query: string): number {
    const text = textOf(query, this.name)
    if (text === undefined) return this.default
    const value = /^\d+$/.test(text) ? Number(text) : -1
    if (value < this.minimum || (value > this.maximum && this.aboveMaximum === 'refused')) {
      throw new ParameterError(this.name, this.allowed, text)
    }
    return Math.min(value, this.maximum)
  }
}

/** One of some words, each of which means something. */
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

  /** @param whenAbsent the meaning of the default, or another one if there is none */
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

/** A whole number, or none. Those too large to be exact are no number that anything has. */
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

  /** In cents, undefined if it is not there. */
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

  /** @param what as its message has it */
  constructor(name: string, what: string, charsMax: number) {
    this.name = name
    this.charsMax = charsMax
    this.allowed = `${what} of ${this.charsMin} to ${charsMax} characters`
  }

  /** Characters take one or two units. */
  protected isTooLong(text: string): boolean {
    return text.length > this.charsMax && [...text].length > this.charsMax
  }
}

/** A text that must be there, neither blank nor too long. */
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

/** A UUID, which is folded to lower case, or none. */
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

/** A text that stands in the path, where a `+` is one. It mostly needs no escapes, and is used as it came then. */
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
