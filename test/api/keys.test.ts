/** Which key opens which route, where it may stand in a request, and how all others are rejected. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import { forms } from '../support/servers-here.ts'
import { askRoute } from './route-requests.ts'
import { assertError, serveForms } from './served-forms.ts'

const served = serveForms()
const { ask } = served

for (const form of forms) {
  describe(`keys and plans in form ${form}`, () => {
    it('wrong keys are rejected alike, without a quota', async () => {
      const { free } = served.here.keys
      const table: readonly (readonly [what: string, key: string, code: string])[] = [
        ['an empty key', '', 'MISSING_API_KEY'],
        ['another text', 'secret', 'INVALID_API_KEY'],
        ['a letter changed', free.slice(0, 20) + (free[20] === 'a' ? 'b' : 'a') + free.slice(21), 'INVALID_API_KEY'],
        ['cut short', free.slice(0, -1), 'INVALID_API_KEY'],
        ['in capitals', free.toUpperCase(), 'INVALID_API_KEY'],
      ]
      for (const [what, key, code] of table) {
        const reply = await ask('/v1/cards/pokemon-base1-004', {}, { form, key })
        assertError(reply, form, 401, code)
        const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = reply.headers
        assert.deepEqual([limit, remaining], ['0', '0'], what)
      }
    })

    it('the header counts, else api_key', async () => {
      const key = served.here.keys.free
      const table: readonly (readonly [header: string, query: string, code?: string])[] = [
        ['', `api_key=${key}`],
        [key, 'api_key=wrong'],
        ['wrong', `api_key=${key}`, 'INVALID_API_KEY'],
        ['', '', 'MISSING_API_KEY'],
        ['', 'api_key', 'MISSING_API_KEY'],
        ['', 'api_key=', 'MISSING_API_KEY'],
        ['', 'api_key=%zz', 'INVALID_API_KEY'],
        ['', `api_key=${key}%`, 'INVALID_API_KEY'],
        ['', 'api_key=%ff', 'INVALID_API_KEY'],
      ]
      for (const [header, query, code] of table) {
        const reply = await ask(`/v1/games?${query}`, {}, { form, key: header })
        if (code === undefined) assert.equal(reply.status, 200, reply.body)
        else assertError(reply, form, 401, code)
      }
    })

    it('a key of the Trader plan opens all but the download', async () => {
      for (const route of routes) {
        const { status } = await askRoute(served.here, route, form, { key: 'trader' })
        assert.equal(status, route.operation === 'downloadCards' ? 403 : 200, route.operation)
      }
    })

    it('the plan is checked before parameters, body and card', async () => {
      const { free, trader } = served.here.keys
      const history = '/v1/cards/nope/history?period=8d'
      assertError(await ask(history, {}, { form, key: free }), 'A', 403, 'PLAN_RESTRICTION')
      assertError(await ask(history, {}, { form, key: trader }), 'A', 400, 'INVALID_PARAMETER')
      const batch = { method: 'POST', body: '{"ids":[]}' }
      const { status } = await ask('/v1/cards/batch', batch, { form, key: free })
      assert.equal(status, form === 'B' ? 403 : 415)
    })
  })
}
