/**
 * The route table of the compatibility API: the paths that the client packages of TCG Price Lookup request, under a
 * prefix. The server registers them as it does those of src/api/routes.ts. answers.ts has the operation of each row.
 * `/openapi.json` omits them, because their clients already exist.
 */
import type { AskedIn } from '../api/asked.ts'
import { cardId, offset, set } from '../api/parameters.ts'
import { type ServedRow, servedRoute } from '../api/route-row.ts'
import { historyPlan } from '../plans.ts'
import * as p from './parameters.ts'

/** The prefix of all paths of the compatibility API. */
export const root = '/tcglookup'

const everyPlan = { A: 'free', B: 'free' } as const

const table = [
  {
    operation: 'searchCards',
    path: `${root}/v1/cards/search`,
    plan: everyPlan,
    parameters: { name: p.name, ids: p.ids, game: p.game, set, limit: p.cardsLimit, offset },
    problems: ['NOT_FOUND'],
  },
  {
    operation: 'getCard',
    path: `${root}/v1/cards/{id}`,
    plan: everyPlan,
    parameters: { id: cardId },
    problems: ['CARD_NOT_FOUND', 'NOT_FOUND'],
  },
  {
    operation: 'getHistory',
    path: `${root}/v1/cards/{id}/history`,
    plan: { A: historyPlan, B: historyPlan },
    parameters: { id: cardId, period: p.period },
    problems: ['CARD_NOT_FOUND', 'NOT_FOUND'],
  },
  {
    operation: 'listSets',
    path: `${root}/v1/sets`,
    plan: everyPlan,
    parameters: { game: p.game, limit: p.listLimit, offset },
    problems: ['NOT_FOUND'],
  },
  {
    operation: 'listGames',
    path: `${root}/v1/games`,
    plan: everyPlan,
    parameters: { limit: p.listLimit, offset },
    problems: ['NOT_FOUND'],
  },
] as const satisfies readonly ServedRow[]

type Row = (typeof table)[number]
export type Operation = Row['operation']

/** The values of all parameters that the operation's row declares. */
export type AskedOf<Of extends Operation> = AskedIn<Extract<Row, { operation: Of }>>

export const tcglookupRoutes = table.map((row) => servedRoute<Operation>(row))
