/**
 * The table of routes. The server registers its routes and checks requests by this table. Tests go through it, and the
 * OpenAPI description is generated from it. answers.ts has the operation of each row.
 */
import { batchBodyBytesMax } from '../limits.ts'
import { historyPlan, type PlanName, planNames, plans } from '../plans.ts'
import type { ApiForm } from '../settings.ts'
import type { AskedIn } from './asked.ts'
import { matchMessages } from './match-request.ts'
import * as p from './parameters.ts'
import type { ProblemCode } from './problems.ts'
import { type Media, type RouteRow, type ServedRoute, type ServedRow, servedRoute } from './route-row.ts'

const ofHistory =
  'The oldest day comes first, with at most one entry a date. The period ends on the newest date of the data, which is the same for all cards.'

const ofBatch =
  'The results come in the order of the ids. An id that no card has is left out. An id that is given twice is answered twice. A batch counts as one request.'

const everyPlan = { A: 'free', B: 'free' } as const
const packedLines: Media = { type: 'application/x-ndjson', encoding: 'gzip' }
const businessAlone = { A: 'business', B: 'business' } as const
const tradersAndAbove = { A: historyPlan, B: historyPlan } as const

const narrowing = {
  rarity: p.rarity,
  printing: p.printing,
  number: p.number,
  minCents: p.minPrice,
  maxCents: p.maxPrice,
  changedSince: p.changedSince,
} as const
const pageOfCards = { view: p.view, format: p.format, bom: p.bom, limit: p.searchLimit, offset: p.offset } as const

const table = [
  {
    operation: 'searchCards',
    summary: 'Search cards by name',
    description:
      'Finds the cards whose names have all words of `q`, in any order. A word of `q` may be the beginning of a word of the ' +
      'name. Case, accents and punctuation are ignored. A name equal to `q` comes first, then names with its whole words, then all others. If no name ' +
      'matches, some words of `q` may be numbers, codes of sets, or words of sets’ names. If that finds nothing, all of `q` may be ' +
      'a printed number, a code with a number, or a set. If nothing is found yet, typos are allowed.',
    path: '/v1/search',
    plan: everyPlan,
    parameters: {
      name: p.cardName,
      game: p.game,
      set: p.set,
      ...narrowing,
      sort: p.searchSort,
      ...pageOfCards,
    },
    answer: 'searchPage',
  },
  {
    operation: 'suggestNames',
    summary: 'Suggest names for a partly typed name',
    description:
      'Returns the names that have all words of `q`, in the order of a search, each name once for each game. A word of `q` ' +
      'may be the beginning of a word of the name. Numbers, sets and typos are not understood.',
    path: '/v1/suggest',
    plan: everyPlan,
    parameters: { name: p.cardName, game: p.game, limit: p.suggestLimit },
    answer: 'suggestions',
  },
  {
    operation: 'listCards',
    summary: 'List the cards of a game, a set or a product',
    description:
      'By default, the newest set comes first, and the cards of a set are in the order of their collector’s numbers.',
    path: '/v1/cards',
    plan: everyPlan,
    parameters: {
      game: p.game,
      set: p.set,
      tcgplayerId: p.tcgplayerId,
      scryfallId: p.scryfallId,
      mtgjsonId: p.mtgjsonId,
      cardmarketId: p.cardmarketId,
      ...narrowing,
      sort: p.listSort,
      ...pageOfCards,
    },
    oneOf: p.listedBy,
    answer: 'searchPage',
  },
  {
    operation: 'getCard',
    summary: 'Get a card with all its prices',
    path: '/v1/cards/{id}',
    plan: everyPlan,
    parameters: { id: p.cardId, view: p.cardView, format: p.format, bom: p.bom },
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
    parameters: { id: p.cardId, period: p.historyPeriod, format: p.format, bom: p.bom },
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
    parameters: { id: p.cardId, days: p.historyDays, format: p.format, bom: p.bom },
    answer: 'historyByDays',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'getCardChanges',
    summary: 'Get how a card’s price has changed',
    description:
      '`market` is the newest known price of the data’s last three days. `from` is the price on the first day of the period; if ' +
      'that day has no price, the newest one of the six days before it. Without such a price, the period is null. `high` and ' +
      '`low` are the extremes of the last 365 days.',
    path: '/v1/cards/{id}/changes',
    form: 'A',
    plan: tradersAndAbove,
    parameters: { id: p.cardId },
    answer: 'changes',
    problems: ['CARD_NOT_FOUND'],
  },
  {
    operation: 'listMovers',
    summary: 'List the cards that moved most',
    description:
      'The largest change comes first. A card is not listed if its price did not change, if the change is unknown, or if its ' +
      'price was 0.',
    path: '/v1/movers',
    plan: tradersAndAbove,
    parameters: {
      game: p.game,
      set: p.set,
      period: p.moverPeriod,
      direction: p.moverDirection,
      by: p.movedBy,
      minCents: p.moverPrice,
      format: p.format,
      bom: p.bom,
      limit: p.searchLimit,
      offset: p.offset,
    },
    answer: 'moversPage',
  },
  {
    operation: 'listSets',
    tag: 'Sets and games',
    summary: 'List sets',
    description:
      'Without `q`, the newest set comes first, and sets without a date come last. With `q`, the best match comes first.',
    path: '/v1/sets',
    plan: everyPlan,
    parameters: { name: p.setName, game: p.game, limit: p.setsLimit, offset: p.offset },
    answer: 'setsPage',
  },
  {
    operation: 'getSet',
    tag: 'Sets and games',
    summary: 'Get a set with its printings and rarities',
    description: 'The printing and the rarity with the most cards come first.',
    path: '/v1/sets/{game}/{code}',
    plan: everyPlan,
    parameters: { game: p.gameInPath, code: p.setCode },
    answer: 'setDetails',
    problems: ['NOT_FOUND'],
    messages: { NOT_FOUND: 'There is no such game, or the game has no such set.' },
  },
  {
    operation: 'listGames',
    tag: 'Sets and games',
    summary: 'List all games',
    path: '/v1/games',
    plan: everyPlan,
    parameters: { view: p.gamesView },
    answer: 'games',
  },
  {
    operation: 'batchCards',
    summary: 'Get several cards by their ids',
    description: ofBatch,
    method: 'POST',
    path: '/v1/cards/batch',
    plan: { A: 'free', B: 'trader' },
    body: { schema: 'batchRequest', bytesMax: batchBodyBytesMax },
    answer: 'batch',
    problems: ['INVALID_VIEW', 'BATCH_TOO_LARGE'],
  },
  {
    operation: 'batchCardHistories',
    summary: 'Get several cards’ price histories by a period',
    description: `${ofBatch} ${ofHistory}`,
    method: 'POST',
    path: '/v1/cards/batch/history',
    form: 'A',
    plan: tradersAndAbove,
    body: { schema: 'historiesRequest', bytesMax: batchBodyBytesMax },
    answer: 'historiesByPeriod',
    problems: ['INVALID_PERIOD', 'BATCH_TOO_LARGE'],
  },
  {
    operation: 'batchCardPrices',
    summary: 'Get several cards’ price histories by a number of days',
    description: `${ofBatch} ${ofHistory}`,
    method: 'POST',
    path: '/v1/cards/batch/prices',
    form: 'B',
    plan: tradersAndAbove,
    body: { schema: 'pricesRequest', bytesMax: batchBodyBytesMax },
    answer: 'historiesByDays',
    problems: ['INVALID_DAYS', 'BATCH_TOO_LARGE'],
  },
  {
    operation: 'matchCards',
    summary: 'Find the cards that the lines of a stock list mean',
    description:
      'The results have the order of the lines. A line has a name, or a set and a number, or an id. `exact`: one card agrees with ' +
      'the whole line. `likely`: one card agrees, but for one thing. Either the line has brackets that the card’s name lacks, or it names only one ' +
      'face of the card, or it has only words of the set’s name, or another total after the number’s slash, or one typo, or no printing, ' +
      'and the card has the usual one. `ambiguous`: several cards agree, or the only cards found have another printing than the line. `candidates` ' +
      'has the first five of these cards. `none`: no card agrees. A match counts as one request.',
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
      'Each line is a card with all its prices and ids, in the order of sets and collector’s numbers. The body is always ' +
      'compressed by gzip. A slow client has as much time as it needs, if it never stops reading for a minute. A download counts as one request.',
    path: '/v1/bulk/{game}',
    plan: businessAlone,
    parameters: { game: p.gameInPath },
    answer: 'extendedCard',
    media: packedLines,
    problems: ['NOT_FOUND', 'NOT_ACCEPTABLE'],
    messages: { NOT_FOUND: 'There is no such game.' },
  },
  {
    operation: 'getHealth',
    tag: 'Service',
    summary: 'Check that the service answers, and see the version of its data',
    description: 'The request needs no key, and does not count.',
    path: '/healthz',
    answer: 'health',
  },
  { operation: 'getDescription', summary: '', path: '/openapi.json', needsNoData: true, answer: 'description' },
] as const satisfies readonly RouteRow[]

export type Operation = (typeof table)[number]['operation']

/** All operations except the one that returns the OpenAPI description, which does not describe itself. */
export type DescribedOperation = Exclude<Operation, 'getDescription'>

/** The values of all parameters that the operation's row declares. */
export type AskedOf<Of extends Operation> = AskedIn<Extract<(typeof table)[number], { operation: Of }>>

export interface Route extends ServedRoute, Omit<RouteRow, keyof ServedRow> {
  readonly operation: Operation
}

export const routes: readonly Route[] = table.map((row) => servedRoute<Operation, RouteRow>(row))

/** The path as routers write it: `/v1/cards/:id`. */
export const patternOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Returns the form of the route's requests and errors (A or B, see API_FORM) on a server of form `served`. */
export const formOf = ({ form }: ServedRoute, served: ApiForm): ApiForm => form ?? served

/** The lowest plan that includes the route. */
export const planOf = (route: ServedRoute, served: ApiForm): PlanName =>
  route.plan?.[formOf(route, served)] ?? planNames[0]!

/** The rank of the lowest plan that includes the route. */
export const rankOf = (route: ServedRoute, served: ApiForm): number => plans[planOf(route, served)].rank

/** The value of the header Allow for a path. @param ofPath all routes of the path */
export const allowOf = (ofPath: readonly ServedRoute[]): string =>
  [...ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

/** The media type of a 200 with `format=csv`. */
export const csvType = 'text/csv; charset=utf-8; header=present'

export const hasCsv = ({ parameters }: Route): boolean => parameters.includes(p.format)

/**
 * All problems that the route may answer with, on a server of form `served`, about in the order of the server's checks.
 */
export function problemsOf(route: ServedRoute, served: ApiForm): ProblemCode[] {
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
