/** The requests whose answers are the description's examples: small ones, of cards that the sample snapshot has. */
import { join } from 'node:path'
import type { DescribedRoute } from '../../src/api/description/responses.ts'
import type { ProblemCode } from '../../src/api/problems.ts'
import type { DescribedOperation } from '../../src/api/routes.ts'
import { routes } from '../../src/api/routes.ts'
import type { ApiForm } from '../../src/settings.ts'
import { parameterCases } from '../api/parameter-cases.ts'
import { askRoute, type Change, changes } from '../api/route-requests.ts'
import { projectDir } from '../support/command.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { type Reply, send } from '../support/service.ts'

interface GoodRequest {
  readonly path: string
  readonly body?: unknown
}

const goodRequests: Readonly<Record<DescribedOperation, GoodRequest>> = {
  searchCards: { path: '/v1/search?q=charizard&limit=1' },
  suggestNames: { path: '/v1/suggest?q=char&limit=3' },
  listCards: { path: '/v1/cards?game=pokemon&set=base1&number=4&view=full' },
  getCard: { path: '/v1/cards/pokemon-base1-004' },
  getCardHistory: { path: '/v1/cards/pokemon-base1-004/history?period=7d' },
  getCardPrices: { path: '/v1/cards/pokemon-base1-004/prices?days=2' },
  getCardChanges: { path: '/v1/cards/pokemon-base1-004/changes' },
  listMovers: { path: '/v1/movers?game=pokemon&limit=1' },
  listSets: { path: '/v1/sets?game=pokemon&limit=2' },
  getSet: { path: '/v1/sets/pokemon/base1' },
  listGames: { path: '/v1/games' },
  batchCards: { path: '/v1/cards/batch', body: { ids: ['pokemon-base1-004', 'mtg-unh-023'] } },
  batchCardHistories: {
    path: '/v1/cards/batch/history',
    body: { ids: ['pokemon-base1-004', 'mtg-unh-023'], period: '7d' },
  },
  batchCardPrices: { path: '/v1/cards/batch/prices', body: { ids: ['pokemon-base1-004', 'mtg-unh-023'], days: 2 } },
  matchCards: {
    path: '/v1/match',
    body: {
      cards: [{ name: 'Charizard', number: '4/102', set: 'Base Set' }, { name: 'Charizard' }, { name: 'Nobody' }],
    },
  },
  downloadCards: { path: '/v1/bulk/swu' },
  getHealth: { path: '/healthz' },
}

export const describedRoutes = routes.filter((route): route is DescribedRoute => route.operation !== 'getDescription')

export const serveSample = (): Promise<ServersHere> => serveHere(join(projectDir, 'snapshots'))

export const goodRequestOf = ({ operation }: DescribedRoute): GoodRequest => goodRequests[operation]

/** The address of the same as CSV. */
export const csvPathOf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}format=csv`

/** The 200 of the example's request. */
export function askGood(here: ServersHere, served: ApiForm, route: DescribedRoute): Promise<Reply> {
  const { path, body } = goodRequestOf(route)
  const { method } = route
  const headers = { 'x-api-key': here.keys.business }
  if (body === undefined) return send(here.address(served), path, { headers })
  const type = { 'content-type': 'application/json' }
  return send(here.address(served), path, { method, headers: { ...headers, ...type }, body: JSON.stringify(body) })
}

/** The text of the operation's path for that problem. */
export function askProblem(
  here: ServersHere,
  served: ApiForm,
  route: DescribedRoute,
  code: ProblemCode,
): Promise<Reply> {
  if (code === 'METHOD_NOT_ALLOWED') return askRoute(here, route, served, {}, 'DELETE')
  if (code === 'INVALID_PARAMETER') return askRoute(here, route, served, { parameters: wrongParameter(route) })
  const change = (changes as Partial<Record<ProblemCode, (of: DescribedRoute) => Change>>)[code]
  if (change === undefined) throw new Error(`there is no request that meets ${code}`)
  return askRoute(here, route, served, change(route))
}

/** The last of the row's parameters, the one that says most of what is allowed; one of another row where it has none. */
function wrongParameter({ parameters }: DescribedRoute): Record<string, string> {
  const parameter = parameters.at(-1)
  if (parameter === undefined) return { page: '2' }
  const { wrong, notText } = parameterCases(parameter)
  return { [parameter.name]: wrong[0] === undefined ? notText[0]! : encodeURIComponent(wrong[0]) }
}
