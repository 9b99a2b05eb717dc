/** Addresses by the table of routes, and what is right or wrong about the id and the parameters. */
import type { Parameter } from '../../src/api/parameter-kinds.ts'
import { type Route, rankOf } from '../../src/api/routes.ts'
import { servedRoutes } from '../../src/metrics/thread-counters.ts'
import { parameterCases } from '../api/parameter-cases.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

export interface Target {
  /** Bytes as latin1 characters. */
  readonly text: string
  /** The methods that it has, without OPTIONS; undefined: there is no such endpoint. */
  readonly methods: readonly string[] | undefined
  /** Traders' and above alone. */
  readonly isRestricted: boolean
  /** The response of a GET with a good key. */
  readonly status: 200 | 400 | 404
}

/** As they are sent. A request with several longer ones would be beyond the library's bound. */
const valueCharsMax = 300

/** Values that are right or wrong for a parameter, as they are sent. */
function valuesOf(parameter: Parameter): { readonly right: readonly string[]; readonly wrong: readonly string[] } {
  const { right, wrong, notText } = parameterCases(parameter)
  const short = (values: readonly string[]) =>
    values.map(encodeURIComponent).filter((one) => one.length <= valueCharsMax)
  return { right: short(right.map(({ sent }) => sent)), wrong: [...short(wrong), ...notText] }
}

/** CSV is no JSON, two bounds of a price may exclude each other, and beside ids no parameter is read. */
const leftOut = ['format', 'max_price', 'ids']

/** Operations that are drawn: those with a body of ids, or with no other parameter in the path than a card's id. */
const drawn = servedRoutes
  .filter(
    ({ plan, path, operation }) => plan !== undefined && !/\{(game|code)\}/.test(path) && operation !== 'matchCards',
  )
  .map((route) => ({
    route,
    parameters: route.parameters
      .filter((one) => one.in === 'query' && !leftOut.includes(one.name))
      .map((one) => ({ ...one, ...valuesOf(one) })),
  }))

/** Parameters of no endpoint. */
const unknown = ['x=1', 'x=%zz', '=', '', 'Limit=0', 'x=\xff', 'limit[]=0', '%', 'a=b=c', 'x'.repeat(200), '%71%71=1']

/** Parameters of other endpoints than `/v1/games`, or of other services. */
const misplaced = ['q=a', 'game=pokemon', 'days=7', 'page=2', 'order=%zz', 'v%69ew=full', 'tcgplayer_id=']

/** A name of a parameter, now and then with one of its letters encoded. */
function nameAs(random: Random, name: string): string {
  if (drawBelow(random, 12) > 0) return name
  const at = drawBelow(random, name.length)
  return `${name.slice(0, at)}%${name.charCodeAt(at).toString(16)}${name.slice(at + 1)}`
}

/** A query of some of the route's parameters; `wrong` if any of them is. */
function queryOf(random: Random, { route, parameters }: (typeof drawn)[number]): { text: string; wrong: boolean } {
  const parts: string[] = []
  const { oneOf } = route as Partial<Route>
  const listedBy = oneOf === undefined ? undefined : drawFrom(random, oneOf).name
  let wrong = false
  for (const { name, required, right, wrong: wrongValues } of parameters) {
    if (drawBelow(random, 4) > 0 && !required && name !== listedBy) continue
    const isWrong = drawBelow(random, 6) === 0
    wrong ||= isWrong
    parts.push(`${nameAs(random, name)}=${drawFrom(random, isWrong ? wrongValues : right)}`)
    // Given twice, the first counts.
    while (drawBelow(random, 8) === 0) parts.push(`${name}=${drawFrom(random, [...right, ...wrongValues])}`)
  }
  if (route.path === '/v1/games' && drawBelow(random, 4) === 0) {
    parts.push(drawFrom(random, misplaced))
    wrong = true
  }
  while (drawBelow(random, 5) === 0) parts.splice(drawBelow(random, parts.length + 1), 0, drawFrom(random, unknown))
  return { text: parts.join('&'), wrong }
}

/** As sent: with escapes that change nothing. */
function escaped(random: Random, id: string): string {
  if (drawBelow(random, 3) > 0) return id
  return Array.from(id, (c) => (drawBelow(random, 5) === 0 ? `%${c.charCodeAt(0).toString(16)}` : c)).join('')
}

const unknownIds = ['nobody', 'pokemon-', 'pokemon-base1-004%00', '__proto__', 'x'.repeat(128), 'y'.repeat(700), '%20']
const oddIds = ['..', '.', '*', '+', '%2f', '%2e%2e', 'a;b', "'", '%e3%83%aa', '\xe9', '%25', '~', 'POKEMON-BASE1-004']
const wrongIds = ['%', '%z', '%ff', '%c3%28', 'pokemon-%']

function idOf(random: Random, ids: readonly string[]): { text: string; status: Target['status'] } {
  const kind = drawBelow(random, 8)
  if (kind === 0) return { text: drawFrom(random, unknownIds), status: 404 }
  if (kind === 1) return { text: drawFrom(random, oddIds), status: 404 }
  if (kind === 2) return { text: drawFrom(random, wrongIds), status: 400 }
  return { text: escaped(random, drawFrom(random, ids)), status: 200 }
}

const nowhere = [
  '/',
  '/v1',
  '/v2/games',
  '/v1/Games',
  '/V1/games',
  '/v1//games',
  '//v1/games',
  '/v1/cards/',
  '/v1/./games',
  '/v1/../v1/games',
  '/v1/%67ames',
  '/v1/games/x',
  '/v1/cards/x/y',
  '/v1/cards/x/history/y',
  '/v1/cards/a/b/c/d',
  '/healthz/x',
  '/health',
  '/favicon.ico',
  '/.env',
  '/v1/search;a=b',
  `/${'x'.repeat(500)}`,
  '/\xff',
  '/%',
  '/v1x',
]

const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)

export function drawTarget(random: Random, ids: readonly string[]): Target {
  const one = drawFrom(random, [...drawn, undefined])
  if (one === undefined) {
    const text = withQuery(drawFrom(random, nowhere), drawBelow(random, 3) === 0 ? drawFrom(random, unknown) : '')
    return { text, methods: undefined, isRestricted: false, status: 404 }
  }
  const { method, path } = one.route
  const id = path.includes('{id}') ? idOf(random, ids) : { text: '', status: 200 as const }
  const query = queryOf(random, one)
  return {
    text: withQuery(
      path.replace('{id}', () => id.text),
      query.text,
    ),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    isRestricted: rankOf(one.route, 'A') > 0,
    // Both are looked at before the card is.
    status: query.wrong ? 400 : id.status,
  }
}
