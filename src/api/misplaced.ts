/**
 * Parameters that an endpoint does not have though another one does: passed over, they would answer something else than was asked
 * for. All other unknown ones are ignored.
 */
import { ParameterError } from './parameter-kinds.ts'
import { decoded } from './query.ts'
import { type Operation, type Route, routes } from './routes.ts'

/** What other services call what ours have by another name. */
const otherNames: Readonly<Record<string, string>> = { page: 'offset and limit', order: 'sort' }

/** The two ways to ask for a window. */
const counterparts: Readonly<Record<string, string>> = { period: 'days', days: 'period' }

/** What an endpoint of the published interface has always ignored. */
const ignored: Readonly<Partial<Record<Operation, readonly string[]>>> = { listGames: ['limit', 'offset'] }

const namesIn = (route: Route): string[] => route.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []))

const allNames = new Set([...routes.flatMap(namesIn), ...Object.keys(otherNames)])

/** By operation and name, what the parameter must be instead, as a refusal has it. */
const refusals = new Map(
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

/** Throws ParameterError. @param query as it was sent */
export function refuseMisplaced(operation: Operation, query: string): void {
  if (query === '') return
  const refused = refusals.get(operation)!
  for (const part of query.split('&')) {
    const name = decoded(part.split('=', 1)[0]!)
    const instead = name === undefined ? undefined : refused.get(name)
    if (instead !== undefined) throw new ParameterError(name!, instead)
  }
}
