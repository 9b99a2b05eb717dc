/**
 * Rejects parameters that the endpoint does not have, but that another endpoint or other services have. If the server
 * ignored such a parameter, the response would answer another question than the caller asked. The server ignores all
 * other unknown parameters.
 */
import { type Operation, type Route, routes } from './routes.ts'

/** By a parameter's name in other services: the name of our parameter, and a hint, if the name alone is not enough. */
const otherNames: Readonly<Record<string, readonly [parameter: string, use?: string]>> = {
  page: ['offset', 'offset and limit'],
  skip: ['offset'],
  per_page: ['limit'],
  pageSize: ['limit'],
  order: ['sort'],
  order_by: ['sort'],
  orderBy: ['sort'],
  sort_by: ['sort'],
  fields: ['view'],
  select: ['view'],
  include: ['view'],
  condition: ['view', 'view=full for prices.conditions'],
  currency: ['view', 'view=extended for markets in other currencies'],
  language: ['game', 'game=pokemonjp for cards in Japanese'],
  lang: ['game', 'game=pokemonjp for cards in Japanese'],
  since: ['changed_since'],
  updated_after: ['changed_since'],
  query: ['q'],
  name: ['q'],
  search: ['q'],
}

/**
 * Two parameters give a window of days. If a caller sends the wrong one to an endpoint, the message names the other
 * one.
 */
const counterparts: Readonly<Record<string, string>> = { period: 'days', days: 'period' }

/** Parameters that an endpoint ignores although other endpoints have them, because the published contract says so. */
const ignored: Readonly<Partial<Record<Operation, readonly string[]>>> = { listGames: ['limit', 'offset'] }

/** False for `listGames`: its `view` shows no prices, so no message refers a caller to it. */
const hasViewOfCards = ({ operation }: Route): boolean => operation !== 'listGames'

const namesIn = (route: Route): string[] => route.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []))

const allNames = new Set([...routes.flatMap(namesIn), ...Object.keys(otherNames)])

/** Returns, by the name of each parameter that is misplaced on the route, the end of the error message. */
export function misplacedOn(operation: Operation): ReadonlyMap<string, string> {
  const route = routes.find((one) => one.operation === operation)!
  const own = namesIn(route)
  const others = [...allNames].filter((name) => ![...own, ...(ignored[operation] ?? [])].includes(name))
  return new Map(
    others.map((name) => [name, `left out of ${route.path}: ${insteadOf(name, hasViewOfCards(route) ? own : [])}`]),
  )
}

function insteadOf(name: string, own: readonly string[]): string {
  const counterpart = counterparts[name]
  if (counterpart !== undefined && own.includes(counterpart)) return `use ${counterpart}`
  const [parameter, use = parameter] = otherNames[name] ?? [name, 'it']
  if (own.includes(parameter)) return `use ${use}`
  const paths = routes
    .filter((route) => hasViewOfCards(route) && namesIn(route).includes(parameter))
    .map(({ path }) => path)
  return `use ${use} with ${paths.join(', ')}`
}
