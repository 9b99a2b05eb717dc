/**
 * Reads what a request asks for: the values of the parameters that its route's row declares, by their names in the row.
 * One pass over the query finds the first text of each:
 *
 *   q=lugia&limit=5&q=x&utm=1     q is place 0, limit place 13, utm none     ['lugia', …, '5', …]
 *
 * A name that the row lacks, and that another route or another service has, is an error. All other names are ignored.
 * A text is decoded and checked when the operation reads its value. So the order in which an operation reads decides
 * which of several wrong values the error names, and a value that it does not need may be wrong: CSV has no view.
 */
import { type Parameter, ParameterError } from './parameter-kinds.ts'
import { decoded, endOfName } from './query-string.ts'

/** The parameters of a row, by the names that its operation reads. */
export type Declared = Readonly<Record<string, Parameter>>

/** The values of declared parameters. Reading one throws ParameterError if its text is wrong. */
export type Asked<Of extends Declared> = {
  readonly [Name in keyof Of]: Of[Name] extends Parameter<infer Value> ? Value : never
}

type Nothing = Record<never, Parameter>

/** The values of all parameters that a row declares. */
export type AskedIn<Row> = Asked<Row extends { parameters: infer Own extends Declared } ? Own : Nothing>

/** A type that no function has if it reads other parameters than those that its row declares, or leaves one unread. */
export type Exactly<Own, Read> = Own extends Read
  ? Exclude<keyof Own, keyof Read> extends never
    ? unknown
    : { readonly unread: Exclude<keyof Own, keyof Read> }
  : { readonly undeclared: Exclude<keyof Read, keyof Own> }

/** The parts of a request that have parameters, as sent. */
export interface Sent {
  /** The path's first parameter; empty if the path has no parameter. */
  readonly pathParameter: string
  /** The path's second parameter; empty if the path has no second parameter. */
  readonly secondPathParameter: string
  readonly query: string
}

/** By name: the place of a parameter of the row, or the end of the error message about a misplaced one. */
type Names = ReadonlyMap<string, number | string>

type Texts = readonly (string | undefined)[]
const noTexts: Texts = []

/** The texts in the query, by place. Throws ParameterError if a parameter is misplaced. */
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

/** The texts of one request. Routes extend it by a getter for each of their parameters. */
class AskedTexts {
  readonly #sent: Sent
  readonly #names: Names
  #texts: Texts | undefined

  constructor(sent: Sent, names: Names) {
    this.#sent = sent
    this.#names = names
  }

  /** Looks for misplaced parameters, once. Throws ParameterError. */
  inQuery(): Texts {
    this.#texts ??= textsIn(this.#sent.query, this.#names)
    return this.#texts
  }

  inPath(place: number): string {
    return place === 0 ? this.#sent.pathParameter : this.#sent.secondPathParameter
  }
}

/**
 * A function that reads requests of a route. If the route has no parameter in the query, the function throws
 * ParameterError for a misplaced one. Otherwise, reading the first value does.
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
