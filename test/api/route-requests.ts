/** Requests made from the rows of the table of routes: one that is right, and for each problem one that meets it. */
import type { ProblemCode } from '../../src/api/problems.ts'
import type { Route } from '../../src/api/routes.ts'
import { batchIdsMax, matchLinesMax } from '../../src/limits.ts'
import type { PlanName } from '../../src/plans.ts'
import type { ApiForm } from '../../src/settings.ts'
import type { ServersHere, State } from '../support/servers-here.ts'
import { type Reply, type Sent, send } from '../support/service.ts'

/** A value of each parameter that must be given. */
const given: Readonly<Record<string, string>> = {
  q: 'charizard',
  id: 'pokemon-base1-004',
  game: 'pokemon',
  code: 'base1',
}
/** A right body of a batch and of a match, which ask for nothing. */
const noIds = '{"ids":[],"cards":[]}'

/** The difference from a request that is right. */
export interface Change {
  readonly state?: State
  readonly key?: PlanName | 'spent' | 'suspended' | 'none' | 'wrong'
  /** As they are sent, by name. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: string
  readonly type?: string
  /** Accept-Encoding. */
  readonly accepts?: string
  /** If-Match. */
  readonly ifMatch?: string
}

/** For each problem of a route, a request that meets it. */
export const changes: Readonly<Record<Exclude<ProblemCode, 'METHOD_NOT_ALLOWED'>, (route: Route) => Change>> = {
  MISSING_API_KEY: () => ({ key: 'none' }),
  INVALID_API_KEY: () => ({ key: 'wrong' }),
  ACCOUNT_SUSPENDED: () => ({ key: 'suspended' }),
  SERVICE_UNAVAILABLE: () => ({ state: 'empty' }),
  RATE_LIMIT_EXCEEDED: () => ({ key: 'spent' }),
  PLAN_RESTRICTION: () => ({ key: 'free' }),
  UNSUPPORTED_MEDIA_TYPE: () => ({ type: 'text/plain' }),
  PAYLOAD_TOO_LARGE: ({ body }) => ({ body: ' '.repeat((body?.bytesMax ?? 0) + 1) }),
  INVALID_BODY: () => ({ body: '{"ids":1,"cards":1}' }),
  INVALID_VIEW: () => ({ body: '{"ids":[],"view":"all"}' }),
  INVALID_PERIOD: () => ({ body: '{"ids":[],"period":"2d"}' }),
  INVALID_DAYS: () => ({ body: '{"ids":[],"days":91}' }),
  BATCH_TOO_LARGE: () => {
    const [ids, cards] = [Array(batchIdsMax + 1).fill('x'), Array(matchLinesMax + 1).fill({ name: 'x' })]
    return { body: JSON.stringify({ ids, cards }) }
  },
  INVALID_PARAMETER: ({ parameters: [first] }) => ({
    parameters: first === undefined ? { page: '2' } : { [first.name]: '%zz' },
  }),
  NOT_FOUND: ({ parameters }) => {
    const named = parameters.find(({ name, in: place }) => name === 'game' && place === 'path')
    return named === undefined ? {} : { parameters: { game: 'nope' } }
  },
  NOT_ACCEPTABLE: () => ({ accepts: 'identity' }),
  PRECONDITION_FAILED: () => ({ ifMatch: '"other"' }),
  CARD_NOT_FOUND: () => ({ parameters: { id: 'nope' } }),
  INTERNAL_ERROR: () => ({ state: 'failing' }),
}

/** The route's address, with its required parameters and those in `more`. */
export function addressOf({ path, parameters, oneOf = [] }: Route, more: Readonly<Record<string, string>>): string {
  const needed = [...parameters.filter(({ required }) => required), ...oneOf.slice(0, 1)]
  const values = new Map(needed.map(({ name }) => [name, given[name]!]))
  for (const [name, value] of Object.entries(more)) values.set(name, value)
  let address = path
  for (const parameter of parameters.filter((one) => one.in === 'path')) {
    address = address.replace(`{${parameter.name}}`, values.get(parameter.name)!)
    values.delete(parameter.name)
  }
  return `${address}?${[...values].map(([name, value]) => `${name}=${value}`).join('&')}`
}

export async function askRoute(
  here: ServersHere,
  route: Route,
  served: ApiForm,
  change: Change = {},
  method: string = route.method,
): Promise<Reply> {
  const { state, key = 'business', parameters = {}, body = noIds, type = 'application/json', accepts, ifMatch } = change
  const headers: Record<string, string> = accepts === undefined ? {} : { 'accept-encoding': accepts }
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  if (key !== 'none') headers['x-api-key'] = key === 'wrong' ? 'wrong' : here.keys[key]
  if (route.method === 'POST') headers['content-type'] = type
  const sent: Sent = route.method === 'POST' ? { method, headers, body } : { method, headers }
  return send(here.address(served, state), addressOf(route, parameters), sent)
}
