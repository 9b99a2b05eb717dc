/**
 * Requests by a grammar, each with what may be answered. By how much is known of that they are of three kinds:
 *
 *   right    valid HTTP, with any other error in it: one status, for good requests the very body, in order
 *   odd      what a server may take or refuse: one of some statuses, or the connection ends; what follows it counts
 *   broken   no HTTP: any refusal, or the end; nothing that follows it on the connection tells anything
 */
import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import { breaks, oddities } from './broken.ts'
import type { Good, Known } from './known.ts'
import { drawTarget, type Target } from './targets.ts'

export interface Asked {
  /** As they are sent, bytes as latin1 characters. */
  readonly bytes: string
  readonly isHead: boolean
  /** The statuses that are right; none: all of them, and none at all. */
  readonly statuses: readonly number[]
  /** Of a good request. */
  readonly good: Good | undefined
  /** The connection may end with it or instead of it. */
  readonly mayEnd: boolean
  /** The answer has the headers that tell the quota. */
  readonly tellsQuota: boolean
  /** It draws on the free plan's quota if it is answered with none of 401, 429 and 5xx. */
  readonly isFree: boolean
}

/** How a request shows who it is from. */
interface Credentials {
  readonly headers: readonly string[]
  /** A parameter, or nothing. */
  readonly parameter: string
  readonly plan: 'business' | 'trader' | 'free' | undefined
}

const wrongKeys = ['x', 'cpl_live_', `cpl_live_${'a'.repeat(38)}`, 'cpl_live_\xff', 'null', `y${'z'.repeat(900)}`]
const headerNames = ['X-API-Key', 'x-api-key', 'X-Api-KEY']

function credentials(random: Random, known: Known): Credentials {
  const name = drawFrom(random, headerNames)
  const key = drawFrom(random, known.keys)
  const wrong = drawFrom(random, wrongKeys)
  const kinds: readonly Credentials[] = [
    { headers: [], parameter: '', plan: undefined },
    { headers: [`${name}: ${wrong}`], parameter: '', plan: undefined },
    { headers: [`${name}: ${wrong}`], parameter: `api_key=${key}`, plan: undefined },
    { headers: [`${name}: ${key}`, `${name}: ${wrong}`], parameter: 'api_key=x', plan: 'business' },
    { headers: [], parameter: `api_key=${key}`, plan: 'business' },
    { headers: [], parameter: `api%5Fkey=${key}&api_key=x`, plan: 'business' },
    { headers: [`${name}:   ${known.freeKey}`], parameter: '', plan: 'free' },
    { headers: [`${name}: ${known.traderKey}`], parameter: '', plan: 'trader' },
  ]
  return kinds[drawBelow(random, 24)] ?? { headers: [`${name}: ${key}`], parameter: '', plan: 'business' }
}

const harmless = [
  'Accept: */*',
  'User-Agent: fuzz',
  'X-Empty:',
  "!#$%&'*+-.^_`|~: odd",
  'X-High: \xff\xe9',
  'X-Tab: a\tb',
]

/** Headers that change nothing: below the library's bound on their bytes and number. */
function moreHeaders(random: Random): string[] {
  const lines: string[] = []
  while (drawBelow(random, 3) === 0 && lines.length < 20) lines.push(drawFrom(random, harmless))
  if (drawBelow(random, 30) === 0) lines.push(`Cookie: ${'c'.repeat(drawBelow(random, 1200))}`)
  return lines
}

interface Body {
  readonly text: string
  readonly status: 200 | 400 | 413
}

const wrongBodies = [
  '',
  '{',
  '[]',
  'null',
  '{"ids":"a"}',
  '{"ids":[1]}',
  '{"Ids":[]}',
  '{"ids":[]}}',
  '\xff',
  '{"ids":["\xff"]}',
]
const oddBodies = [
  ' {"ids" : [ ] } ',
  '{"ids":["\\u0061"]}',
  '{"x":1,"ids":[]}',
  '{"ids":["\xe3\x83\xaa"]}',
  '{"ids":[""]}',
]

function batchBody(random: Random, ids: readonly string[]): Body {
  const kind = drawBelow(random, 10)
  if (kind === 0) return { text: drawFrom(random, wrongBodies), status: 400 }
  if (kind === 1) return { text: drawFrom(random, oddBodies), status: 200 }
  if (kind === 2 && drawBelow(random, 6) === 0) return { text: `{"ids":["${'x'.repeat(20_000)}"]}`, status: 413 }
  const count = drawBelow(random, kind === 3 ? 60 : 21)
  const list = Array.from({ length: count }, () => (drawBelow(random, 9) === 0 ? 'nobody' : drawFrom(random, ids)))
  return { text: JSON.stringify({ ids: list }), status: count > 20 ? 400 : 200 }
}

/** The body with the headers that frame it. */
function framed(random: Random, text: string): { headers: string[]; text: string } {
  const expects = drawBelow(random, 20) === 0 ? ['Expect: 100-continue'] : []
  if (drawBelow(random, 3) > 0) return { headers: [...expects, `Content-Length: ${text.length}`], text }
  let chunks = ''
  for (let at = 0; at < text.length; ) {
    const size = 1 + drawBelow(random, drawBelow(random, 2) === 0 ? 8 : 4000)
    const chunk = text.slice(at, at + size)
    const digits = chunk.length.toString(16)
    chunks += `${drawBelow(random, 2) === 0 ? digits : digits.toUpperCase()}\r\n${chunk}\r\n`
    at += size
  }
  return { headers: [...expects, 'Transfer-Encoding: chunked'], text: `${chunks}0\r\n\r\n` }
}

const otherMethods = ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'POST', 'GET', 'HEAD', 'OPTIONS']

function methodFor(random: Random, { methods = ['GET', 'HEAD', 'POST'] }: Target): string {
  if (drawBelow(random, 10) === 0) return drawFrom(random, otherMethods)
  return drawBelow(random, 6) === 0 ? methods.at(-1)! : methods[0]!
}

const jsonTypes = ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json ;x']
const otherTypes = ['text/plain', 'application/jsonx', '', 'multipart/form-data', 'text/json,application/json']

/** The checks in their order, from the endpoint to the parameters. */
function statusOf(target: Target, method: string, plan: Credentials['plan'], body: Body, isJson: boolean): number {
  if (target.methods === undefined) return 404
  if (method === 'OPTIONS') return 204
  if (!target.methods.includes(method)) return 405
  if (plan === undefined) return 401
  if (target.isRestricted && plan === 'free') return 403
  if (method !== 'POST') return target.status
  return isJson ? body.status : 415
}

const mayBeExhausted = (status: number) => ![204, 401, 405].includes(status)

function drawnRight(random: Random, known: Known): Asked {
  const target = drawTarget(random, known.ids)
  const method = methodFor(random, target)
  const { headers, parameter, plan } = credentials(random, known)
  const text = parameter === '' ? target.text : `${target.text}${target.text.includes('?') ? '&' : '?'}${parameter}`
  const lines = ['Host: x', ...headers, ...moreHeaders(random)]
  const isJson = drawBelow(random, 8) > 0
  let body: Body = { text: '', status: 200 }
  let sent = ''
  if (!['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)) {
    body = batchBody(random, known.ids)
    const frame = framed(random, body.text)
    sent = frame.text
    lines.push(...frame.headers, `Content-Type: ${drawFrom(random, isJson ? jsonTypes : otherTypes)}`)
  }
  const status = statusOf(target, method, plan, body, isJson)
  const isLimited = plan !== 'business' && plan !== undefined && target.methods !== undefined && mayBeExhausted(status)
  return {
    bytes: `${method} ${text} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${sent}`,
    isHead: method === 'HEAD',
    statuses: isLimited ? [status, 429] : [status],
    good: undefined,
    mayEnd: status === 413,
    tellsQuota: target.methods !== undefined,
    isFree: isLimited && plan === 'free',
  }
}

/** The request as it is sent with a key; a GET now and then as a HEAD. */
export function goodRequest(random: Random, known: Known): Asked {
  const good = drawFrom(random, known.goods)
  const isHead = good.method === 'GET' && drawBelow(random, 10) === 0
  const frame = good.method === 'POST' ? framed(random, good.body) : { headers: [], text: '' }
  const type = good.method === 'POST' ? ['Content-Type: application/json'] : []
  const lines = ['Host: x', `X-API-Key: ${drawFrom(random, known.keys)}`, ...type, ...frame.headers]
  return {
    bytes: `${isHead ? 'HEAD' : good.method} ${good.target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${frame.text}`,
    isHead,
    statuses: [good.status],
    good,
    mayEnd: false,
    tellsQuota: good.target.startsWith('/v1/'),
    isFree: false,
  }
}

/** Nothing is known of what follows it on its connection. */
export const isBroken = (asked: Asked): boolean => asked.statuses.length === 0

export function drawRequest(random: Random, known: Known): Asked {
  const kind = drawBelow(random, 100)
  if (kind < 45) return goodRequest(random, known)
  if (kind < 90) return drawnRight(random, known)
  const rest = { good: undefined, mayEnd: true, tellsQuota: false, isFree: false }
  if (kind < 96) return { ...rest, ...drawFrom(random, oddities)(random, drawFrom(random, known.keys)) }
  const bytes = drawFrom(random, breaks)(random, drawFrom(random, known.keys))
  return { ...rest, bytes, isHead: false, statuses: [] }
}
