/**
 * Rejects parameters that the endpoint does not have but another endpoint has: if they were ignored, the response would
 * answer another question. All other unknown parameters are ignored.
 */
import { ParameterError } from './parameter-kinds.ts'
import { parameterName } from './query.ts'
import { type Operation, type Route, routes } from './routes.ts'

/** Names of other services for parameters that have another name here. */
const otherNames: Readonly<Record<string, string>> = { page: 'offset and limit', order: 'sort' }

/** The two parameters for a window of days. */
const counterparts: Readonly<Record<string, string>> = { period: 'days', days: 'period' }

/** Parameters that an endpoint has always ignored, by the published contract. */
const ignored: Readonly<Partial<Record<Operation, readonly string[]>>> = { listGames: ['limit', 'offset'] }

const namesIn = (route: Route): string[] => route.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []))

const allNames = new Set([...routes.flatMap(namesIn), ...Object.keys(otherNames)])

/** By operation and name, the end of the error message. */
const rejections = new Map(
  routes.map((route) => {
    const own = new Set([...namesIn(route), ...(ignored[route.operation] ?? [])])
    const others = [...allNames].filter((name) => !own.has(name))
    return [
      route.operation,
      new Map(others.map((name) => [name, `left out of ${route.path}: ${insteadOf(name, own)}`])),
    ]
  }),
)

function insteadOf(name: string, own: ReadonlySet<string>): string {
  const counterpart = counterparts[name]
  if (counterpart !== undefined && own.has(counterpart)) return `use ${counterpart}`
  if (otherNames[name] !== undefined) return `use ${otherNames[name]}, where an endpoint has them`
  const paths = routes.filter((route) => namesIn(route).includes(name)).map(({ path }) => path)
  return `use it with ${paths.join(', ')}`
}

/** Throws ParameterError. @param query as sent */
export function rejectMisplaced(operation: Operation, query: string): void {
  if (query === '') return
  const rejected = rejections.get(operation)!
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const name = parameterName(query, start, end)
    const instead = name === undefined ? undefined : rejected.get(name)
    if (instead !== undefined) throw new ParameterError(name!, instead)
    start = end + 1
  }
}
