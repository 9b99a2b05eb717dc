/** Good and bad requests, made from the rows: every answer is one that the description allows, headers too. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Parameter } from '../../src/api/parameter-kinds.ts'
import { batchIdsMax } from '../../src/limits.ts'
import { parameterCases } from '../api/parameter-cases.ts'
import { addressOf, askRoute, type Change, changes } from '../api/route-requests.ts'
import { amount, someOf } from '../support/amount.ts'
import { drawFrom, type Random, randomFrom } from '../support/random.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { Described } from './described.ts'
import { askGood, describedRoutes, goodRequestOf, serveSample } from './exchanges.ts'

let here: ServersHere
before(async () => {
  here = await serveSample()
})
after(() => here.close())

type Row = (typeof describedRoutes)[number]

/** A value as it is sent, and whether the parameter takes it. */
interface Value {
  readonly sent: string
  readonly isRight: boolean
}

/** At its bounds, below and above them, and of each wrong kind. */
function valuesOf(parameter: Parameter): Value[] {
  const { right, wrong, notText } = parameterCases(parameter)
  return [
    ...right.map(({ sent }) => ({ sent: encodeURIComponent(sent), isRight: true })),
    ...wrong.map((text) => ({ sent: encodeURIComponent(text), isRight: false })),
    ...notText.map((sent) => ({ sent, isRight: false })),
  ]
}

const drawnPerRow = amount(3, 60)
const headCharsMax = 3000

/** Some parameters of a row, each with a value that is mostly right. */
function drawParameters(random: Random, { parameters }: Row): { sent: Record<string, string>; isRight: boolean } {
  const sent: Record<string, string> = {}
  const wrong: string[] = []
  let chars = 0
  for (const parameter of parameters.filter(() => random() < 0.6)) {
    const value = drawFrom(
      random,
      valuesOf(parameter).filter((one) => one.isRight !== random() < 0.15),
    )
    // The library answers 431 to a head beyond its own bound.
    if (value === undefined || chars + encodeURIComponent(value.sent).length > headCharsMax) continue
    chars += encodeURIComponent(value.sent).length
    sent[parameter.name] = value.sent
    if (!value.isRight) wrong.push(parameter.name)
  }
  // CSV passes over the view.
  return { sent, isRight: wrong.every((name) => name === 'view' && sent['format'] === 'csv') }
}

const bodies = [
  ...['', '{', '[]', 'null', '{"ids":"a"}', '{"ids":[1]}', '{"ids":[]}}', '{"ids":[]}', '{"ids":["nobody",""]}'],
  ...['{"ids":["pokemon-base1-004"],"more":1}', JSON.stringify({ ids: Array(batchIdsMax + 1).fill('a') })],
]

for (const served of someOf(forms, 1)) {
  describe(`on a server of form ${served}`, () => {
    let described: Described
    before(async () => {
      described = await Described.of(here, served)
    })

    for (const route of describedRoutes) {
      const { operation } = route

      it(`${operation} answers each value of each parameter as it is described`, async () => {
        for (const parameter of route.parameters) {
          // How a value is read is of no form.
          for (const { sent } of someOf(valuesOf(parameter), served === 'A' ? 6 : 2)) {
            const reply = await askRoute(here, route, served, { parameters: { [parameter.name]: sent } })
            described.check(operation, reply)
          }
        }
      })

      it(`${operation} answers parameters together as it is described`, async () => {
        const random = randomFrom(`${operation} ${served}`)
        for (let i = 0; i < drawnPerRow && route.parameters.length > 0; i++) {
          const { sent, isRight } = drawParameters(random, route)
          const reply = await askRoute(here, route, served, { parameters: sent })
          described.check(operation, reply)
          if (!isRight) assert.equal(reply.status, 400, JSON.stringify(sent))
        }
      })

      it(`${operation} answers every other error as it is described`, async () => {
        const asked: Change[] = Object.values(changes).map((change) => change(route))
        if (route.body !== undefined) asked.push(...bodies.map((body) => ({ body })))
        for (const change of asked) described.check(operation, await askRoute(here, route, served, change))
        for (const method of someOf(['PUT', 'DELETE', 'PATCH', 'TRACE'], 2)) {
          const reply = await askRoute(here, route, served, {}, method)
          assert.equal(reply.status, 405)
          described.check(operation, reply)
        }
      })

      if (route.method === 'GET') {
        it(`${operation} answers HEAD with the headers that are described`, async () => {
          for (const change of [{}, ...Object.values(changes).map((of) => of(route))]) {
            const get = await askRoute(here, route, served, change)
            const head = await askRoute(here, route, served, change, 'HEAD')
            assert.equal(head.body, '')
            described.check(operation, { ...get, status: head.status, headers: head.headers })
          }
        })
      }

      if (route.method === 'GET' && route.plan !== undefined) {
        it(`${operation} answers what is there already as it is described`, async () => {
          const { headers } = await askGood(here, served, route)
          const { path } = goodRequestOf(route)
          const sent = { headers: { 'x-api-key': here.keys.business, 'if-none-match': headers['etag']! } }
          const reply = await send(here.address(served), path, sent)
          assert.equal(reply.status, 304)
          described.check(operation, reply)
        })
      }
    }

    it('takes a key as it is described, and as the words beside that say', async () => {
      const search = describedRoutes.find(({ operation }) => operation === 'searchCards')!
      const { name, description } = described.document.components.securitySchemes.apiKeyHeader
      const [, parameter] = /parameter `(\w+)`/.exec(description)!
      const key = here.keys.business
      const inHeader = await send(here.address(served), addressOf(search, {}), { headers: { [name]: key } })
      const inQuery = await send(here.address(served), addressOf(search, { [parameter!]: key }))
      assert.deepEqual([inHeader.status, inQuery.status], [200, 200])
    })
  })
}
