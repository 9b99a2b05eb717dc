/**
 * Reads the values of a request's parameters, by their names in the route's row. One pass over the query finds the
 * first text of each parameter:
 *
 *   q=lugia&limit=5&q=x&utm=1     q is place 0, limit place 13, utm none     ['lugia', …, '5', …]
 *
 * A name that the row lacks is an error if another route or another service has it. Other unknown names are ignored. A
 * text is decoded and checked when the operation reads its value. So if several values are wrong, the error names the
 * one that the operation reads first. A value that the operation does not read may be wrong: a request for CSV with a
 * wrong `view` succeeds.
 */
import { type Parameter, ParameterError } from './parameter-kinds.ts'
import { decoded, endOfName } from './query-string.ts'

/** The parameters of a row, by the names under which its operation reads them. */
export type Declared = Readonly<Record<string, Parameter>>

/** The values of declared parameters. Reading one throws ParameterError if its text is wrong. */
export type Asked<Of extends Declared> = {
  readonly [Name in keyof Of]: Of[Name] extends Parameter<infer Value> ? Value : never
}

type Nothing = Record<never, Parameter>

/** The values of all parameters that a row declares. */
export type AskedIn<Row> = Asked<Row extends { parameters: infer Own extends Declared } ? Own : Nothing>

/**
 * Makes the compiler reject a function whose argument has parameters that its row does not declare, or lacks a declared
 * one.
 */
export type Exactly<Own, Read> = Own extends Read
  ? Exclude<keyof Own, keyof Read> extends never
    ? unknown
    : { readonly unread: Exclude<keyof Own, keyof Read> }
  : { readonly undeclared: Exclude<keyof Read, keyof Own> }

/** The parts of a request that contain parameters, as sent. */
export interface Sent {
  /** The path's first parameter; empty if the path has no parameter. */
  readonly pathParameter: string
  /** The path's second parameter; empty if the path has no second parameter. */
  readonly secondPathParameter: string
  readonly query: string
}

/** By a parameter's name: its place in the row, or, if it is misplaced, the end of the error message. */
type Names = ReadonlyMap<string, number | string>

type Texts = readonly (string | undefined)[]
const noTexts: Texts = []

/** Returns the texts in the query, by place. Throws ParameterError if a parameter is misplaced. */
function textsIn(query: string, names: Names): Texts {
  if (query === '') return noTexts
  const texts: (string | undefined)[] = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const nameEnd = endOfName(query, start, end)
    const name = decoded(query.slice(start, nameEnd))
    const place = name === undefined ? undefined : names.get(name)
    if (typeof place === 'string') throw new ParameterError(name!, place)
    if (place !== undefined) texts[place] ??= query.slice(Math.min(nameEnd + 1, end), end)
    start = end + 1
  }
  return texts
}

/** The texts of one request. Each route has a subclass with a getter for each of its parameters. */
class AskedTexts {
  readonly #sent: Sent
  readonly #names: Names
  #texts: Texts | undefined

  constructor(sent: Sent, names: Names) {
    this.#sent = sent
    this.#names = names
  }

  /** Returns the texts in the query, which it splits once. Throws ParameterError if a parameter is misplaced. */
  inQuery(): Texts {
    this.#texts ??= textsIn(this.#sent.query, this.#names)
    return this.#texts
  }

  inPath(place: number): string {
    return place === 0 ? this.#sent.pathParameter : this.#sent.secondPathParameter
  }
}

/**
 * Returns a function that reads a route's requests. A misplaced parameter makes it throw ParameterError: at once if
 * the route has no parameter in the query, otherwise when the first value is read from the query.
 * @param misplaced by name, the end of the error message
 */
export function readerOf<Of extends Declared>(
  declared: Of,
  misplaced: ReadonlyMap<string, string>,
): (sent: Sent) => Asked<Of> {
  class AskedHere extends AskedTexts {}
  const names = new Map<string, number | string>(misplaced)
  const placed = { path: 0, query: 0 }
  for (const [key, parameter] of Object.entries(declared)) {
    const place = placed[parameter.in]++
    if (parameter.in === 'query') names.set(parameter.name, place)
    const get =
      parameter.in === 'path'
        ? function (this: AskedHere) {
            return parameter.read(this.inPath(place))
          }
        : function (this: AskedHere) {
            return parameter.read(this.inQuery()[place])
          }
    Object.defineProperty(AskedHere.prototype, key, { get })
  }
  return (sent) => {
    const asked = new AskedHere(sent, names)
    if (placed.query === 0) asked.inQuery()
    return asked as unknown as Asked<Of>
  }
}
