/** Batches of histories over real HTTP: what they answer beside the single requests, and what they refuse. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchBodyBytesMax, batchIdsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { sampleIds, sampleSnapshot } from '../support/sample.ts'
import { forms } from '../support/servers-here.ts'
import { assertError, remainingOf, serveForms } from './served-forms.ts'

const served = serveForms(() => sampleSnapshot)
const { ask, post } = served
const [byPeriod, byDays] = ['/v1/cards/batch/history', '/v1/cards/batch/prices'] as const
const charizard = 'pokemon-base1-004'
const periods = ['7d', '30d', '90d', '1y', 'all']

/** The `data` of the single request; undefined if no card has the id. */
async function single(id: string, rest: string): Promise<unknown> {
  const { json } = await ask(`/v1/cards/${encodeURIComponent(id)}/${rest}`)
  return json.data
}

describe('A batch of histories', () => {
  it('A batch of histories returns what single requests return, in the order of its ids, without unknown ids', async () => {
    const random = randomFrom('batches of histories')
    const ids = [...sampleIds(), 'nobody', '', 'pokémon', '__proto__']
    for (let round = 0; round < amount(12, 60); round++) {
      const asked = Array.from({ length: drawBelow(random, batchIdsMax + 1) }, () => drawFrom(random, ids))
      const period = drawFrom(random, periods)
      const days = 1 + drawBelow(random, 90)
      for (const [path, window, rest] of [
        [byPeriod, { period }, `history?period=${period}`],
        [byDays, { days }, `prices?days=${days}`],
      ] as const) {
        const { status, json, headers, body } = await post(path, { ids: asked, ...window })
        const singles = await Promise.all(asked.map((id) => single(id, rest)))
        assert.equal(status, 200)
        assert.deepEqual(
          json,
          { data: singles.filter((one) => one !== undefined) },
          `${asked} ${JSON.stringify(window)}`,
        )
        assert.equal(headers['content-length'], `${Buffer.byteLength(body)}`)
        assert.equal(headers['content-type'], 'application/json')
      }
    }
  })

  it('A batch of histories returns a history twice if its id is sent twice', async () => {
    const { json } = await post(byPeriod, { ids: [charizard, 'nobody', charizard] })
    const one = await single(charizard, 'history')
    assert.deepEqual(json, { data: [one, one] })
  })

  it('A batch of histories without a period has 30 days', async () => {
    assert.deepEqual((await post(byPeriod, { ids: [charizard] })).json.data, [await single(charizard, 'history')])
    assert.deepEqual((await post(byDays, { ids: [charizard] })).json.data, [await single(charizard, 'prices')])
  })

  it('A batch of histories of no ids is an empty list', async () => {
    for (const path of [byPeriod, byDays]) assert.equal((await post(path, { ids: [] })).body, '{"data":[]}')
  })

  it('A batch of histories counts as one request, whatever its status', async () => {
    const left = async () => remainingOf(await ask('/v1/games'))
    const before = await left()
    await post(byPeriod, { ids: sampleIds().slice(0, 20), period: '1y' })
    await post(byDays, { ids: 1 })
    assert.equal(await left(), before - 3)
  })
})

describe('A wrong batch of histories', () => {
  const wrong: readonly (readonly [body: unknown, code: string, message: RegExp])[] = [
    [{ period: '7d' }, 'INVALID_BODY', /ids/],
    [{ ids: 'x' }, 'INVALID_BODY', /ids/],
    [{ ids: ['x', 1] }, 'INVALID_BODY', /ids/],
    ['{"ids":[', 'INVALID_BODY', /ids/],
    ['null', 'INVALID_BODY', /ids/],
    ['[]', 'INVALID_BODY', /ids/],
    [{ ids: Array(21).fill('x') }, 'BATCH_TOO_LARGE', /20 ids/],
    [{ ids: Array(21).fill('x'), period: '2d', days: 0 }, 'BATCH_TOO_LARGE', /20 ids/],
    [{ ids: 1, period: '2d', days: 0 }, 'INVALID_BODY', /ids/],
  ]
  const windows: readonly (readonly [path: string, window: object])[] = [
    ...['', '31d', '1Y', ' 7d', 'constructor', 30, null, ['7d']].map((period) => [byPeriod, { period }] as const),
    ...[0, 91, -1, 1.5, '30', null, [1]].map((days) => [byDays, { days }] as const),
    [byPeriod, { days: 30 }],
    [byPeriod, { period: '7d', days: 30 }],
    [byDays, { period: '7d' }],
    [byDays, { days: 7, period: '7d' }],
  ]
  for (const form of forms) {
    it(`An invalid batch of histories gets 400 in its endpoint’s own form on a server of form ${form}`, async () => {
      for (const path of [byPeriod, byDays]) {
        const ofPath = path === byPeriod ? 'A' : 'B'
        for (const [body, code, message] of wrong) {
          const reply = await post(path, body, { form })
          assertError(reply, ofPath, 400, code)
          assert.match(reply.json.error.message, message)
        }
      }
      for (const [path, window] of windows) {
        const [ofPath, named] = path === byPeriod ? (['A', /period/] as const) : (['B', /days/] as const)
        const reply = await post(path, { ids: [], ...window }, { form })
        assertError(reply, ofPath, 400, 'INVALID_BODY')
        assert.match(reply.json.error.message, named, JSON.stringify(window))
      }
    })
  }

  it('A batch of histories is checked in the order key, plan, content type, size, body, query', async () => {
    const long = ' '.repeat(batchBodyBytesMax + 1)
    const typed = { 'content-type': 'application/json' }
    for (const path of [byPeriod, byDays]) {
      const form = path === byPeriod ? 'A' : 'B'
      const asked = (key: string, type: string, body: string, query = '') =>
        ask(path + query, { method: 'POST', headers: { 'x-api-key': key, 'content-type': type }, body })
      const { free, trader, spent, suspended } = served.here.keys
      assertError(await asked('wrong', 'text/plain', long), form, 401, 'INVALID_API_KEY')
      assertError(await asked(suspended, 'text/plain', long), form, 403, 'ACCOUNT_SUSPENDED')
      assertError(await asked(spent, 'text/plain', long), form, 429, 'RATE_LIMIT_EXCEEDED')
      assertError(await asked(free, 'text/plain', long), form, 403, 'PLAN_RESTRICTION')
      assertError(await asked(trader, 'text/plain', long), form, 415, 'UNSUPPORTED_MEDIA_TYPE')
      assertError(await asked(trader, 'application/json', long), form, 413, 'PAYLOAD_TOO_LARGE')
      assertError(await asked(trader, 'application/json', '{"ids":1}', '?period=7d'), form, 400, 'INVALID_BODY')
      assertError(await asked(trader, 'application/json', '{"ids":[]}', '?period=7d'), form, 400, 'INVALID_PARAMETER')
      const { status, headers } = await ask(path, { headers: typed })
      assert.deepEqual([status, headers.allow], [405, 'POST, OPTIONS'])
    }
  })
})
