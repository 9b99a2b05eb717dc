/** Real servers against the table of routes: a route answers with each problem of its row, and with no other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import * as v from 'valibot'
import { gameSlugs } from '../../build/games/default-games.ts'
import { matchMessages } from '../../src/api/match-request.ts'
import { type Parameter, ParameterError } from '../../src/api/parameter-kinds.ts'
import {
  codeIn,
  type ProblemCode,
  planRestriction,
  problemCodes,
  problemTable,
  statusOf,
} from '../../src/api/problems.ts'
import type { Media } from '../../src/api/route-row.ts'
import { formOf, planOf, problemsOf, type Route, routes } from '../../src/api/routes.ts'
import { schemas } from '../../src/api/schemas.ts'
import type { ApiForm } from '../../src/settings.ts'
import { Described } from '../description/described.ts'
import { amount, someOf } from '../support/amount.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { drawFrom, type Random, randomFrom } from '../support/random.ts'
import { forms } from '../support/servers-here.ts'
import type { Reply } from '../support/service.ts'
import { parameterCases } from './parameter-cases.ts'
import { askRoute, type Change, changes } from './route-requests.ts'
import { serveForms } from './served-forms.ts'

/** The description that the server of each form gives. */
const described = {} as Record<ApiForm, Described>
const servers = serveForms(fixtureSnapshot, async (here) => {
  for (const form of forms) described[form] = await Described.of(here, form)
})

/**
 * Asks the route. An error must be one of its row, in its form, with the headers that such a one has, and every response to the
 * route's own method must be one that the description allows.
 */
async function ask(route: Route, served: ApiForm, change: Change = {}, method: string = route.method): Promise<Reply> {
  const reply = await askRoute(servers.here, route, served, change, method)
  assert.equal('x-ratelimit-remaining' in reply.headers, route.plan !== undefined)
  if (method !== route.method) return reply
  if (reply.status !== 200) checkError(reply, formOf(route, served), problemsOf(route, served))
  if (route.operation !== 'getDescription') described[served].check(route.operation, reply)
  return reply
}

const hasParameter = ({ parameters }: Route, parameter: Parameter) =>
  parameters.some((one) => isDeepStrictEqual(one, parameter))

/** Their bodies differ by route. */
const ownMessage = new Set<ProblemCode>(['INVALID_PARAMETER', 'PLAN_RESTRICTION', 'NOT_FOUND'])

/** That it is an error in that form, and one of these problems. */
function checkError({ status, headers, json, body }: Reply, form: ApiForm, allowed: readonly ProblemCode[]): void {
  const { error } = json
  assert.ok(v.is(form === 'A' ? schemas.errorInFormA : schemas.errorInFormB, json), body)
  const code = allowed.find((one) => codeIn(form, one) === error.code && statusOf(one) === status)
  assert.ok(code !== undefined, `${status} ${error.code} is not in the row`)
  if (form === 'A') assert.equal(error.status, status)
  if (!ownMessage.has(code)) {
    const messages = allowed.filter((one) => codeIn(form, one) === error.code)
    assert.ok(messages.some((one) => [problemTable[one].message, matchMessages[one as never]].includes(error.message)))
  }
  const seconds = headers['retry-after']
  const retry = seconds === undefined ? undefined : Number(seconds) > 1 ? 'next day' : 'soon'
  assert.equal(retry, 'retry' in problemTable[code] ? problemTable[code].retry : undefined, `${code}: ${seconds}`)
  assert.equal(headers['content-type'], 'application/json')
}

for (const served of forms) {
  describe(`The routes of a server of form ${served}`, () => {
    for (const route of routes) {
      const { operation } = route
      const form = formOf(route, served)
      const problems = problemsOf(route, served)

      it(`${operation} answers a valid request with 200`, async () => {
        const { status, json, headers, bytes } = await ask(route, served)
        assert.equal(status, 200)
        const { type, encoding }: Partial<Media> = route.media ?? { type: 'application/json' }
        assert.deepEqual([headers['content-type'], headers['content-encoding']], [type, encoding])
        const values = route.media === undefined ? [json] : linesOf(gunzipSync(bytes))
        assert.ok(values.length > 0)
        for (const value of values) assert.ok(v.is(schemas[route.answer], value))
      })

      const all = Object.entries(changes) as [ProblemCode, (of: Route) => Change][]
      const [own, others] = [true, false].map((isOwn) => all.filter(([code]) => problems.includes(code) === isOwn))

      for (const [code, change] of own!) {
        it(`${operation} returns ${code} with its status and message`, async () => {
          const { status, json } = await ask(route, served, change(route))
          assert.deepEqual([status, json.error.code], [statusOf(code), codeIn(form, code)])
          if (code === 'PLAN_RESTRICTION') assert.equal(json.error.message, planRestriction(planOf(route, served)))
          else if (!ownMessage.has(code))
            assert.equal(json.error.message, route.messages?.[code] ?? problemTable[code].message)
        })
      }

      it(`${operation} returns only errors that its route declares`, async () => {
        for (const [, change] of others!) await ask(route, served, change(route))
        for (const code of problems) assert.ok(code in changes, `there is a request for ${code}`)
      })

      for (const parameter of route.parameters) {
        const { name } = parameter
        const sent = parameterCases(parameter)
        // How a value is read is of no form, and the same for routes with the same parameter.
        const isFirst = routes.find((one) => hasParameter(one, parameter)) === route
        const few = (quick: number) => (served === 'A' && isFirst ? Number.POSITIVE_INFINITY : quick)
        const right = someOf(sent.right, few(2))
        const wrong = someOf(sent.wrong, few(2))
        const notText = someOf(sent.notText, few(1))

        it(`${operation} accepts valid values of the parameter ${name}, and uses them as sent`, async () => {
          for (const { sent, read } of right) {
            const { status, json } = await ask(route, served, { parameters: { [name]: encodeURIComponent(sent) } })
            assert.equal(status, 200, sent)
            checkEcho(json, name, read)
          }
          if (!parameter.required) checkEcho((await ask(route, served)).json, name, parameter.default)
        })

        it(`${operation} refuses wrong values of the parameter ${name}, and says what is allowed`, async () => {
          const refused = [
            ...wrong.map((text) => [encodeURIComponent(text), allowedBy(parameter), text]),
            ...notText.map((raw) => [raw, 'percent-encoded UTF-8', raw]),
          ] as [sent: string, allowed: string, shown: string][]
          for (const [sent, allowed, shown] of refused) {
            const { status, json } = await ask(route, served, { parameters: { [name]: sent } })
            assert.deepEqual([status, json.error.code], [400, 'INVALID_PARAMETER'], sent)
            assert.equal(json.error.message, new ParameterError(name, allowed, shown).message)
          }
        })
      }

      if (route.parameters.length > 0) {
        it(`${operation} accepts several parameters at once, and returns 400 if one is wrong`, async () => {
          const random = randomFrom(`${operation} ${served}`)
          for (let i = 0; i < amount(3, 60); i++) {
            const { sent, isRight } = drawParameters(random, route)
            const { status } = await ask(route, served, { parameters: sent })
            assert.equal(status, isRight ? 200 : 400, JSON.stringify(sent))
          }
        })
      }

      it(`${operation} refuses parameters of other operations, and says what to use instead`, async () => {
        const queried = routes.flatMap(({ parameters }) => parameters).filter((parameter) => parameter.in === 'query')
        const own = new Set(route.parameters.map(({ name }) => name))
        const others = new Set(
          [...queried.map(({ name }) => name), 'page', 'updated_after'].filter((name) => !own.has(name)),
        )
        for (const [i, name] of someOf([...others], served === 'A' ? others.size : 2).entries()) {
          const isIgnored = route.plan === undefined || (operation === 'listGames' && /^(limit|offset)$/.test(name))
          const { status, json } = await ask(route, served, { parameters: { [name]: '%zz' } })
          assert.equal(status, isIgnored ? 200 : 400, name)
          if (isIgnored) continue
          assert.equal(json.error.code, 'INVALID_PARAMETER')
          const reported = `${name} must be left out of ${route.path}: use `
          assert.ok(json.error.message.startsWith(reported), json.error.message)
          if (i >= amount(3, others.size)) continue
          const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`
          assert.equal((await ask(route, served, { parameters: { x: '%zz', [encoded]: '1' } })).status, 400, encoded)
        }
        assert.equal((await ask(route, served, { parameters: { x: '%zz', Page: '1', 'page[]': '%' } })).status, 200)
      })
    }
  })
}

/** What the message says: for a game, those of the served version. */
const allowedBy = ({ isGame, allowed }: Parameter): string => (isGame ? `one of ${gameSlugs.join(', ')}` : allowed)

const linesOf = (text: Buffer): unknown[] =>
  text
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** The HTTP library answers 431 to a head beyond its own bound. */
const headCharsMax = 3000

/** Some parameters of a route, as they are sent, each with a value that is mostly right. */
function drawParameters(random: Random, { parameters }: Route): { sent: Record<string, string>; isRight: boolean } {
  const sent: Record<string, string> = {}
  const wrong: string[] = []
  let chars = 0
  for (const parameter of parameters.filter(() => random() < 0.6)) {
    const cases = parameterCases(parameter)
    const right = cases.right.map((one) => encodeURIComponent(one.sent))
    const isWrong = random() < 0.15
    const value = drawFrom(random, isWrong ? [...cases.wrong.map(encodeURIComponent), ...cases.notText] : right)
    if (value === undefined || chars + value.length > headCharsMax) continue
    chars += value.length
    sent[parameter.name] = value
    if (isWrong) wrong.push(parameter.name)
  }
  // CSV passes over the view.
  const isEachRight = wrong.every((name) => name === 'view' && sent['format'] === 'csv')
  const areOrdered = !(Number(sent['min_price']) > Number(sent['max_price']))
  return { sent, isRight: isEachRight && areOrdered }
}

/** Where an answer tells what a parameter was read as, it is that. */
function checkEcho(json: Record<string, unknown> | undefined, name: string, read: unknown): void {
  const data = json?.['data'] as Record<string, unknown>
  if (json === undefined || name === 'id') return
  if (name in json) assert.equal(json[name], read)
  else if (!Array.isArray(data) && name in data) assert.equal(data[name], read)
}

describe('The methods of routes', () => {
  const all = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'OPTIONS']
  for (const served of forms) {
    for (const path of new Set(routes.map((route) => route.path))) {
      it(`${path} answers its own methods, and gives 405 with Allow to others (form ${served})`, async () => {
        const ofPath = routes.filter((route) => route.path === path)
        const own = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        const allow = [...own, 'OPTIONS'].join(', ')
        for (const method of all) {
          const route = ofPath.find((one) => one.method === (method === 'HEAD' ? 'GET' : method)) ?? ofPath[0]!
          const reply = await ask(route, served, {}, method)
          if (own.includes(method)) {
            assert.equal(reply.status, 200, method)
          } else if (method === 'OPTIONS') {
            assert.deepEqual([reply.status, reply.body, reply.headers['allow']], [204, '', allow])
            assert.equal('content-type' in reply.headers, false)
          } else {
            assert.equal(reply.headers['allow'], allow, method)
            assert.equal(reply.status, 405, method)
            if (method !== 'HEAD') checkError(reply, formOf(route, served), ['METHOD_NOT_ALLOWED'])
          }
        }
      })
    }

    it(`A HEAD has the status and headers of a GET but no body, also for errors (form ${served})`, async () => {
      for (const route of routes.filter(({ method }) => method === 'GET')) {
        for (const change of [{}, changes.SERVICE_UNAVAILABLE(route), changes.INVALID_PARAMETER(route)]) {
          const [get, head] = [await ask(route, served, change), await ask(route, served, change, 'HEAD')]
          assert.deepEqual([head.status, head.body], [get.status, ''])
          assert.deepEqual(Object.keys(head.headers).sort(), Object.keys(get.headers).sort(), route.operation)
          for (const name of ['content-type', 'content-length', 'cache-control', 'retry-after', 'x-ratelimit-limit']) {
            assert.equal(head.headers[name], get.headers[name], `${route.operation}: ${name}`)
          }
        }
      }
    })

    it(`An empty card id gets CARD_NOT_FOUND in the form of its endpoint (form ${served})`, async () => {
      for (const path of ['/v1/cards/{id}/history', '/v1/cards/{id}/prices']) {
        const route = routes.find((one) => one.path === path)!
        const form = formOf(route, served)
        const empty = { parameters: { id: '' } }
        checkError(await ask(route, served, empty), form, ['CARD_NOT_FOUND'])
        checkError(await ask(route, served, empty, 'DELETE'), form, ['METHOD_NOT_ALLOWED'])
        checkError(await ask(route, served, { ...empty, key: 'free' }), form, ['PLAN_RESTRICTION'])
        checkError(await ask(route, served, { ...empty, key: 'wrong' }), form, ['INVALID_API_KEY'])
        const head = await ask(route, served, empty, 'HEAD')
        assert.deepEqual([head.status, head.body], [404, ''])
      }
    })

    it(`An id that only resembles a card’s id gets CARD_NOT_FOUND (form ${served})`, async () => {
      const route = routes.find(({ operation }) => operation === 'getCard')!
      for (const id of ['pokemon-base1-00', 'POKEMON-BASE1-004', '__proto__']) {
        const reply = await ask(route, served, { parameters: { id } })
        assert.deepEqual([reply.status, reply.json.error.code], [404, 'CARD_NOT_FOUND'], id)
      }
    })

    it(`A request for an unknown path gets NOT_FOUND (form ${served})`, async () => {
      const paths = [
        '/',
        '/v1',
        '/v1/nope',
        '/v1/cards/',
        '/v1/bulk/',
        '/v1/cards///prices',
        '/healthz/',
        '/v2/games',
        '/v1/games/',
        '/V1/games',
        '/v1/suggest/',
        '/v1/Cards?game=pokemon',
        '/v1/cards/pokemon-base1-004/sales',
      ]
      for (const path of paths) {
        const reply = await servers.ask(path, {}, { form: served })
        checkError(reply, served, ['NOT_FOUND'])
        assert.equal(reply.json.error.message, problemTable.NOT_FOUND.message)
        assert.equal('x-ratelimit-limit' in reply.headers, path.startsWith('/v1'))
      }
    })
  }
})

describe('The tables of the API', () => {
  it('Every error code in the table of problems can be returned to some request', () => {
    const met = routes.flatMap((route) => forms.flatMap((form) => problemsOf(route, form)))
    const ofNoRoute = ['NOT_FOUND', 'METHOD_NOT_ALLOWED']
    assert.deepEqual([...new Set([...met, ...ofNoRoute])].sort(), [...problemCodes].sort())
  })

  it('The table of routes has the promised forms, plans, parameters and defaults', () => {
    const given = ({ name, default: standard }: Parameter) => (standard === undefined ? name : `${name}=${standard}`)
    const rows = routes.map(({ method, path, form, plan, parameters }) => [
      `${method} ${path}`,
      form ?? '',
      plan === undefined ? 'no key' : `${plan.A} ${plan.B}`,
      parameters.map(given).join(' '),
    ])
    const filters = 'rarity printing number min_price max_price changed_since'
    const page = 'format=json bom=0 limit=20 offset=0'
    const ids = 'tcgplayer_id scryfall_id mtgjson_id cardmarket_id'
    const moved = 'period=7d direction=up by=percent min_price=1'
    assert.deepEqual(rows, [
      ['GET /v1/search', '', 'free free', `q game set ${filters} sort=relevance view=summary ${page}`],
      ['GET /v1/suggest', '', 'free free', 'q game limit=10'],
      ['GET /v1/cards', '', 'free free', `game set ${ids} ${filters} sort=newest view=summary ${page}`],
      ['GET /v1/cards/{id}', '', 'free free', 'id view=full format=json bom=0'],
      ['GET /v1/cards/{id}/history', 'A', 'trader trader', 'id period=30d format=json bom=0'],
      ['GET /v1/cards/{id}/prices', 'B', 'trader trader', 'id days=30 format=json bom=0'],
      ['GET /v1/cards/{id}/changes', 'A', 'trader trader', 'id'],
      ['GET /v1/movers', '', 'trader trader', `game set ${moved} ${page}`],
      ['GET /v1/sets', '', 'free free', 'q game limit=50 offset=0'],
      ['GET /v1/sets/{game}/{code}', '', 'free free', 'game code'],
      ['GET /v1/games', '', 'free free', 'view=summary'],
      ['POST /v1/cards/batch', '', 'free trader', ''],
      ['POST /v1/cards/batch/history', 'A', 'trader trader', ''],
      ['POST /v1/cards/batch/prices', 'B', 'trader trader', ''],
      ['POST /v1/match', '', 'free trader', ''],
      ['GET /v1/bulk/{game}', '', 'business business', 'game'],
      ['GET /healthz', '', 'no key', ''],
      ['GET /openapi.json', '', 'no key', ''],
    ])
  })
})
