/** Each example of the description is what a server answers to the request that it stands for. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type ProblemCode, problemCodes } from '../../src/api/problems.ts'
import { formOf } from '../../src/api/routes.ts'
import { forms } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { type Any, Described } from './described.ts'
import { askGood, askProblem, describedRoutes, goodRequestOf, serveSample } from './exchanges.ts'

const here = await serveSample()
after(() => here.close())

/** A version is named after its day and its files, whose bytes are not the interface. */
const withoutSum = ({ version, ...json }: { version?: string }) => ({ ...json, day: version?.replace(/-\w+$/, '') })

for (const served of forms) {
  describe(`on a server of form ${served}`, () => {
    let described: Described
    before(async () => {
      described = await Described.of(here, served)
    })

    for (const route of describedRoutes) {
      const { operation } = route

      it(`the 200 of ${operation} is answered to its request`, async () => {
        const { parameters, requestBody, responses } = described.operation(operation)
        const reply = await askGood(here, served, route)
        described.check(operation, reply)
        if (reply.headers.etag !== undefined) {
          const headers = { 'x-api-key': here.keys.business, 'if-none-match': reply.headers.etag }
          const unchanged = await send(here.address(served), goodRequestOf(route).path, { headers })
          assert.equal(unchanged.status, 304)
          described.check(operation, unchanged)
        }
        const { examples } = Object.values<Any>(described.resolved(responses[200]).content)[0]
        const { path, body } = goodRequestOf(route)
        assert.deepEqual(Object.keys(examples), ['answer'])
        assert.equal(examples.answer.summary, `${route.method} ${path}`)
        const { value } = examples.answer
        if (route.media === undefined) assert.deepEqual(withoutSum(value), withoutSum(reply.json))
        else assert.equal(gunzipSync(reply.bytes).toString().slice(0, value.length), value)
        assert.deepEqual(requestBody?.content['application/json'].examples.body.value, body)
        const url = new URL(path, 'http://x')
        for (const { name, in: place, example } of parameters.filter((one: object) => 'example' in one)) {
          if (place === 'query') assert.equal(String(example), url.searchParams.get(name))
          else assert.ok(url.pathname.split('/').includes(example), name)
        }
      })

      it(`the errors of ${operation} are answered, each of them`, async () => {
        for (const [status, one] of Object.entries(described.operation(operation).responses)) {
          const response = described.resolved(one)
          if (status === '200' || status === '304') continue
          const { examples } = response.content['application/json']
          assert.ok(Object.keys(examples).length > 0, status)
          for (const [code, example] of Object.entries<{ summary: string; value: { error: object } }>(examples)) {
            assert.ok(problemCodes.includes(code as ProblemCode))
            const reply = await askProblem(here, served, route, code as ProblemCode)
            assert.equal(reply.status, Number(status), code)
            assert.deepEqual(example.value, reply.json, `npm run examples writes them anew: ${operation} ${code}`)
            assert.equal(example.summary, reply.json.error.code)
            assert.equal('status' in example.value.error, formOf(route, served) === 'A')
            described.check(operation, reply)
          }
        }
      })
    }
  })
}
