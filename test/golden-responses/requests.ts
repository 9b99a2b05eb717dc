/**
 * Two thousand requests by a seed, of every endpoint of the first version: good and bad. Nothing that is new is in them:
 * no path and no parameter that came later. The draws must stay as they are, since the answers were recorded in their order.
 */
import type { ApiForm } from '../../src/settings.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { type SampleCard, sampleCards } from '../support/sample.ts'
import type { Sent } from '../support/service.ts'

export const who = ['business', 'trader', 'free', 'spent', 'wrong', 'none'] as const

export interface OldRequest {
  readonly form: ApiForm
  readonly who: (typeof who)[number]
  readonly path: string
  readonly sent: Required<Pick<Sent, 'method' | 'headers'>> & Sent
}

const requestsCount = 2000

export function oldRequests(): OldRequest[] {
  const random = randomFrom('answers that stay')
  const cards = sampleCards()
  return Array.from({ length: requestsCount }, () => drawRequest(random, cards))
}

const games = ['pokemon', 'pokemonjp', 'mtg', 'yugioh', 'lorcana', 'onepiece', 'swu', 'fab']
const wrongGames = ['', 'Pokemon', 'chess', 'mtg%20', '__proto__', '%zz']
const sets = ['base1', 'BASE1', 'Base+Set', 'lea', 'LOB', 'op09', 'OP-09', 'nowhere', '', 'Limited%20Edition%20Alpha']
const rarities = ['Common', 'rare', 'Rare+Holo', 'SECRET%20RARE', 'mythic', '', '%e2%98%85', '%ff']
const limits = ['1', '2', '5', '20', '50', '99', '100', '101', '200', '201', '9'.repeat(30), '007']
const wrongLimits = ['0', '-1', '1.5', '', 'x', '%d9%a3', '1e3', '+1', '%']
const offsets = ['0', '1', '3', '7', '20', '50', '91', '92', '5000', '9007199254740991']
const wrongOffsets = ['-1', '1.5', '', 'ten', '9007199254740992', '%zz']
const periods = ['7d', '30d', '90d', '1y', 'all', '', '7D', '31d', 'constructor', '%37d', '%z']
const days = ['1', '2', '7', '30', '89', '90', '91', '0', '-1', '', 'x', '007', '1.0']
const wrongNames = ['', '+', '%20%09', 'x'.repeat(201), '%e3%83%aa'.repeat(201), '%zz', '%ff', '%ed%a0%80']
const oddNames = ['_____', 'N', '%00', '.*', '%F0%9F%98%80', 'x'.repeat(200), 'a+'.repeat(100), '%ef%bc%a1', 'urza%27s']
const unknown = ['x=1', 'x=%zz', '=', '', 'Limit=0', 'limit[]=0', '%', 'a=b=c', 'api_key=x']
const oddIds = ['nobody', '%20', '..', '+', '%2f', '%25', '~', 'POKEMON-BASE1-004', '__proto__', 'x'.repeat(500)]
const wrongIds = ['%', '%z', '%ff', 'pokemon-%']
const nowhere = '/ /v1 /v2/games /v1/Games /v1//games /v1/games/ /v1/cards/a/b /healthz/x /.env'.split(' ')
const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET']

/** One in so many. */
const now = (random: Random, in_: number) => drawBelow(random, in_) === 0

function drawRequest(random: Random, cards: readonly SampleCard[]): OldRequest {
  const form = now(random, 3) ? 'B' : 'A'
  // Of the free plan's 200 requests a day, on each of two servers, not all may be used.
  const asker = now(random, 6) ? drawFrom(random, who) : 'business'
  const path = drawFrom(random, paths)(random, cards)
  const isBatch = path === '/v1/cards/batch'
  const usual = isBatch ? 'POST' : now(random, 12) ? 'HEAD' : 'GET'
  const method = now(random, 20) ? drawFrom(random, methods) : usual
  if (!isBatch) return { form, who: asker, path, sent: { method, headers: {} } }
  const headers = { 'content-type': now(random, 12) ? drawFrom(random, types) : 'application/json' }
  const body = method === 'GET' ? undefined : drawBody(random, cards)
  return { form, who: asker, path, sent: body === undefined ? { method, headers: {} } : { method, headers, body } }
}

type Draw = (random: Random, cards: readonly SampleCard[]) => string

const search: Draw = (random, cards) => {
  const parts = [`q=${drawName(random, cards)}`]
  if (now(random, 40)) parts.pop()
  if (now(random, 4)) parts.push(`game=${drawFrom(random, now(random, 8) ? wrongGames : games)}`)
  if (now(random, 5)) parts.push(`set=${drawFrom(random, sets)}`)
  if (now(random, 5)) parts.push(`rarity=${drawFrom(random, rarities)}`)
  return `/v1/search?${parts.concat(drawPage(random)).join('&')}`
}

const listedSets: Draw = (random) => {
  const parts = now(random, 2) ? [`game=${drawFrom(random, now(random, 8) ? wrongGames : games)}`] : []
  return `/v1/sets?${parts.concat(drawPage(random)).join('&')}`
}

const card: Draw = (random, cards) => `/v1/cards/${drawId(random, cards)}`
const history: Draw = (random, cards) =>
  `${card(random, cards)}/history${now(random, 6) ? '' : `?period=${drawFrom(random, periods)}`}`
const prices: Draw = (random, cards) =>
  `${card(random, cards)}/prices${now(random, 6) ? '' : `?days=${drawFrom(random, days)}`}`
const elsewhere: Draw = (random) => drawFrom(random, ['/healthz', '/v1/games', '/v1/games?limit=0', ...nowhere])
const batch: Draw = () => '/v1/cards/batch'

const paths = [search, search, search, search, card, card, history, prices, listedSets, batch, elsewhere]

function drawPage(random: Random): string[] {
  const parts: string[] = []
  if (now(random, 2)) parts.push(`limit=${drawFrom(random, now(random, 8) ? wrongLimits : limits)}`)
  if (now(random, 3)) parts.push(`offset=${drawFrom(random, now(random, 8) ? wrongOffsets : offsets)}`)
  // A repeated value counts once, an unknown one not at all.
  if (now(random, 10)) parts.push(`limit=${drawFrom(random, limits)}`)
  if (now(random, 10)) parts.splice(drawBelow(random, parts.length + 1), 0, drawFrom(random, unknown))
  return parts
}

/** A card's name, words of it, beginnings of them, or one with a slip. */
function drawName(random: Random, cards: readonly SampleCard[]): string {
  if (now(random, 12)) return drawFrom(random, now(random, 2) ? wrongNames : oddNames)
  const { name } = drawFrom(random, cards)
  const words = name.split(' ')
  const texts = [
    () => name,
    () => drawFrom(random, words).slice(0, 1 + drawBelow(random, 3)),
    () => words.toReversed().join(' ').toLowerCase(),
    () => `${name.slice(0, 2)}${name.slice(3)}`,
  ]
  const text = (texts[drawBelow(random, 6)] ?? (() => drawFrom(random, words)))()
  return encodeURIComponent(text.trim() === '' ? name : text.toWellFormed()).replaceAll('%20', '+')
}

function drawId(random: Random, cards: readonly SampleCard[]): string {
  if (now(random, 10)) return drawFrom(random, oddIds)
  if (now(random, 25)) return drawFrom(random, wrongIds)
  const { id } = drawFrom(random, cards)
  return now(random, 6) ? id.replace('-', '%2d') : id
}

const types = ['application/json; charset=utf-8', 'Application/JSON', 'text/plain', '', 'application/jsonx']
const wrongIdsBodies = ['{"ids":"a"}', '{"ids":[1]}', '{"Ids":[]}', '{"ids":[]}}']
const wrongBodies = ['', '{', '[]', 'null', ...wrongIdsBodies, ' '.repeat(16_385)]
const oddBodies = [' {"ids" : [ ] } ', '{"ids":["\\u0061"]}', '{"x":1,"ids":[]}', '{"ids":["リ",""]}', '{"ids":[]}']

function drawBody(random: Random, cards: readonly SampleCard[]): string {
  if (now(random, 4)) return drawFrom(random, now(random, 2) ? wrongBodies : oddBodies)
  const ids = Array.from({ length: drawBelow(random, now(random, 8) ? 40 : 21) }, () =>
    now(random, 9) ? 'nobody' : drawFrom(random, cards).id,
  )
  return JSON.stringify({ ids })
}
