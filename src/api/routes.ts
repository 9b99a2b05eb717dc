/**
 * The table of routes. The server registers its routes and checks requests by this table. Tests go through it, and the
 * OpenAPI description is generated from it. answers.ts has the operation of each row.
 */
import { batchBodyBytesMax } from '../limits.ts'
import { historyPlan, type PlanName, planNames, plans } from '../plans.ts'
import type { ApiForm } from '../settings.ts'
import { batchRequest } from './batch-request.ts'
import { matchMessages, matchRequest } from './match-request.ts'
import type { Parameter } from './parameter-kinds.ts'
import * as p from './parameters.ts'
import type { ProblemCode } from './problems.ts'
import type { SchemaName } from './schemas.ts'

/** The media type of a 200 that is not JSON. Such a body is long, and the server sends it from shared memory. */
export interface Media {
  readonly type: string
  readonly encoding: 'gzip'
}

/** The tags of the OpenAPI description, with their texts. */
export const tags = {
  Cards: 'Cards and their prices.',
  'Sets and games': 'What cards belong to.',
  Service: 'The service itself.',
} as const

const ofHistory =
  'Oldest day first, at most one entry a date. The window ends on the newest date of the data, the same for all cards.'

interface RouteRow {
  /** Unique. */
  readonly operation: string
  /** The operation's tag in the OpenAPI description. Undefined stands for `Cards`. */
  readonly tag?: keyof typeof tags
  readonly summary: string
  /** It is short, and has only facts that the row does not have otherwise. Undefined if there are none. */
  readonly description?: string
  /** Undefined stands for GET. */
  readonly method?: 'POST'
  /** Parameters stand in braces, as in OpenAPI: `{id}`. */
  readonly path: string
  /** The form of the interface for this route, also for its errors. Undefined if it is the server's form. */
  readonly form?: ApiForm
  /** By form: the lowest plan that includes the route. Undefined if the route needs no key and uses no quota. */
  readonly plan?: Readonly<Record<ApiForm, PlanName>>
  /** True if the server always answers the route, even while it has no data. */
  readonly needsNoData?: boolean
  /** Undefined if the route has no parameters. */
  readonly parameters?: readonly Parameter[]
  /** A request must have at least one of these parameters. */
  readonly oneOf?: readonly Parameter[]
  /** The JSON body of a POST. */
  readonly body?: { readonly schema: BodyName; readonly bytesMax: number }
  /** The schema of a 200's body. If the route has a media type, the schema of each line of the body. */
  readonly answer: SchemaName
  /** The media type of a 200. Undefined stands for JSON. */
  readonly media?: Media
  /**
   * Problems that the operation itself finds. Problems of key, plan, body and parameters are not among them. Undefined
   * if there are none.
   */
  readonly problems?: readonly ProblemCode[]
  /** By code: a message that replaces the message in the table of problems. */
  readonly messages?: Readonly<Partial<Record<ProblemCode, string>>>
}

/** The schemas of request bodies. */
export const bodies = { batchRequest, matchRequest }
type BodyName = keyof typeof bodies

const everyPlan = { A: 'free', B: 'free' } as const
const packedLines: Media = { type: 'application/x-ndjson', encoding: 'gzip' }
const businessAlone = { A: 'business', B: 'business' } as const
const tradersAndAbove = { A: historyPlan, B: historyPlan } as const

const table = [
  {
    operation: 'searchCards',
    summary: 'Search cards by name',
    description:
      'Finds names of which every word of `q` begins a word, in any order; case, accents and punctuation do not matter. ' +
      'The name itself comes first, then whole words, then beginnings. Where no name matches: words of names with numbers and sets, then ' +
      'a printed number, a code with a number, or a set alone, and last of all typos.',
    path: '/v1/search',
    plan: everyPlan,
    parameters: [
      p.cardName,
      p.game,
      p.set,
      p.rarity,
      p.printing,
      p.number,
      p.minPrice,
      p.maxPrice,
      p.changedSince,
      p.searchSort,
      p.view,
      p.format,
      p.bom,
      p.searchLimit,
      p.offset,
    ],
    answer: 'searchPage',
  },
  {
    operation: 'suggestNames',
    summary: 'Suggest names while one is typed',
    description:
      'Each name of a game once, in the order in which a search would first show a card of it, but without typos.',
    path: '/v1/suggest',
    plan: everyPlan,
    parameters: [p.cardName, p.game, p.suggestLimit],
    answer: 'suggestions',
  },
  {
    operation: 'listCards',
    summary: 'List the cards of a game, a set or a product',
    description: 'By themselves in the order of the newest set, then of the collector’s numbers.',
    path: '/v1/cards',
    plan: everyPlan,
    parameters: [
      p.game,
      p.set,
      p.tcgplayerId,
      p.scryfallId,
      p.mtgjsonId,
      p.cardmarketId,
      p.rarity,
      p.printing,
      p.number,
      p.minPrice,
      p.maxPrice,
      p.changedSince,
      p.listSort,
      p.view,
      p.format,
      p.bom,
      p.searchLimit,
      p.offset,
    ],
    oneOf: p.listedBy,
    answer: 'searchPage',
  },
  {
    operation: 'getCard',
    summary: 'Get a card with all its prices',
    path: '/v1/cards/{id}',
    plan: everyPlan,
    parameters: [p.cardId, p.cardView, p.format, p.bom],
    answer: 'card',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'getCardHistory',
    summary: 'Get a card’s price history by a period',
    description: ofHistory,
    path: '/v1/cards/{id}/history',
    form: 'A',
    plan: tradersAndAbove,
    parameters: [p.cardId, p.historyPeriod, p.format, p.bom],
    answer: 'historyByPeriod',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'getCardPrices',
    summary: 'Get a card’s price history by a number of days',
    description: ofHistory,
    path: '/v1/cards/{id}/prices',
    form: 'B',
    plan: tradersAndAbove,
    parameters: [p.cardId, p.historyDays, p.format, p.bom],
    answer: 'historyByDays',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'getCardChanges',
    summary: 'Get how a card’s price has changed',
    description:
      '`market` is the newest known price of the data’s last three days, `from` that of the seven days up to so long before. ' +
      'A period without a price is null. `high` and `low` are those of the last 365 days.',
    path: '/v1/cards/{id}/changes',
    form: 'A',
    plan: tradersAndAbove,
    parameters: [p.cardId],
    answer: 'changes',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'listMovers',
    summary: 'List the cards that moved most',
    description:
      'The largest change first, up or down. A card that did not move, whose change is unknown, or whose price was 0, is not listed.',
    path: '/v1/movers',
    plan: tradersAndAbove,
    parameters: [
      p.game,
      p.set,
      p.moverPeriod,
      p.moverDirection,
      p.movedBy,
      p.moverPrice,
      p.format,
      p.bom,
      p.searchLimit,
      p.offset,
    ],
    answer: 'moversPage',
  },
  {
    operation: 'listSets',
    tag: 'Sets and games',
    summary: 'List sets',
    description: 'The newest first, those without a date last.',
    path: '/v1/sets',
    plan: everyPlan,
    parameters: [p.setName, p.game, p.setsLimit, p.offset],
    answer: 'setsPage',
  },
  {
    operation: 'getSet',
    tag: 'Sets and games',
    summary: 'Get a set with its printings and rarities',
    description: 'Those of the most cards first.',
    path: '/v1/sets/{game}/{code}',
    plan: everyPlan,
    parameters: [p.gameInPath, p.setCode],
    answer: 'setDetails',
    problems: ['NOT_FOUND'],
  },
  {
    operation: 'listGames',
    tag: 'Sets and games',
    summary: 'List all games',
    path: '/v1/games',
    plan: everyPlan,
    answer: 'games',
  },
  {
    operation: 'batchCards',
    summary: 'Get several cards by their ids',
    description:
      'In the order asked. An id that no card has is left out; one that is given twice is answered twice. It counts as one request.',
    method: 'POST',
    path: '/v1/cards/batch',
    plan: { A: 'free', B: 'trader' },
    body: { schema: 'batchRequest', bytesMax: batchBodyBytesMax },
    answer: 'batch',
    problems: ['INVALID_VIEW', 'BATCH_TOO_LARGE'],
  },
  {
    operation: 'matchCards',
    summary: 'Find the cards that the lines of a stock list mean',
    description:
      'In the order of the lines. A line has a name or an id. `exact`: all that it says is so of one card. `likely`: of one card ' +
      'alone, if one difference is allowed (brackets that the name lacks, a face of the card, words of a set, another total behind ' +
      'a number’s slash, one typo), or if a line without a printing means the usual one. `ambiguous`: of several, of which the ' +
      'first five are candidates. It counts as one request.',
    method: 'POST',
    path: '/v1/match',
    plan: { A: 'free', B: 'trader' },
    body: { schema: 'matchRequest', bytesMax: batchBodyBytesMax },
    answer: 'matches',
    problems: ['BATCH_TOO_LARGE'],
    messages: matchMessages,
  },
  {
    operation: 'downloadCards',
    summary: 'Download all cards of a game',
    description:
      'A card a line, with all its prices and its TCGplayer product, by set and collector’s number. It is always packed by gzip, ' +
      'may be read as slowly as need be, and counts as one request.',
    path: '/v1/bulk/{game}',
    plan: businessAlone,
    parameters: [p.gameInPath],
    answer: 'extendedCard',
    media: packedLines,
    problems: ['NOT_FOUND', 'NOT_ACCEPTABLE'],
  },
  {
    operation: 'getHealth',
    tag: 'Service',
    summary: 'See whether the service answers, and from which data',
    description: 'It needs no key and counts nothing.',
    path: '/healthz',
    answer: 'health',
  },
  { operation: 'getDescription', summary: '', path: '/openapi.json', needsNoData: true, answer: 'description' },
] as const satisfies readonly RouteRow[]

export type Operation = (typeof table)[number]['operation']

/** The description does not describe itself. */
export type DescribedOperation = Exclude<Operation, 'getDescription'>

export interface Route extends Omit<RouteRow, 'method'> {
  readonly operation: Operation
  readonly method: 'GET' | 'POST'
  readonly parameters: readonly Parameter[]
  readonly problems: readonly ProblemCode[]
}

export const routes: readonly Route[] = table.map((row) => ({ method: 'GET', parameters: [], problems: [], ...row }))

/** The path as routers write it: `/v1/cards/:id`. */
export const patternOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The route's form on a server of form `served`. */
export const formOf = ({ form }: Route, served: ApiForm): ApiForm => form ?? served

/** The lowest plan that includes the route. */
export const planOf = (route: Route, served: ApiForm): PlanName => route.plan?.[formOf(route, served)] ?? planNames[0]!

/** The rank of the lowest plan that includes the route. */
export const rankOf = (route: Route, served: ApiForm): number => plans[planOf(route, served)].rank

/** The value of the header Allow for a path. @param ofPath all routes of the path */
export const allowOf = (ofPath: readonly Route[]): string =>
  [...ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

/** The media type of a 200 with `format=csv`. */
export const csvType = 'text/csv; charset=utf-8; header=present'

export const hasCsv = ({ parameters }: Route): boolean => parameters.includes(p.format)

/**
 * All problems that the route may answer with, on a server of form `served`. They have the order of the server's
 * checks.
 */
export function problemsOf(route: Route, served: ApiForm): ProblemCode[] {
  const { method, plan, needsNoData, body, parameters, problems } = route
  if (needsNoData === true) return []
  const ofKey: ProblemCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY', 'ACCOUNT_SUSPENDED']
  const ofPlan: ProblemCode[] = rankOf(route, served) > 0 ? ['PLAN_RESTRICTION'] : []
  const ofBody: ProblemCode[] = ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'INVALID_BODY']
  return [
    ...(plan === undefined ? [] : ofKey),
    'SERVICE_UNAVAILABLE',
    ...(plan === undefined ? [] : (['RATE_LIMIT_EXCEEDED'] as const)),
    ...ofPlan,
    ...(body === undefined ? [] : ofBody),
    // A route without parameters has this problem, too, because it rejects the parameters of other endpoints.
    ...(parameters.length === 0 && plan === undefined ? [] : (['INVALID_PARAMETER'] as const)),
    ...problems,
    ...(plan === undefined || method === 'POST' ? [] : (['PRECONDITION_FAILED'] as const)),
    'INTERNAL_ERROR',
  ]
}
