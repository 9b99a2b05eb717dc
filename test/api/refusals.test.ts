/** Rejections over real HTTP, and which key opens which route: tables of requests, in both forms. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Sent, send } from '../support/service.ts'
import { assertError, formOf, serveForms } from './served-forms.ts'

const { keys, services, ask } = serveForms()

const json = { 'content-type': 'application/json' }
const card = '/v1/cards/pokemon-base1-004'

describe('refusals', () => {
  const refused: readonly (readonly [path: string, status: number, code: string, message: RegExp])[] = [
    ['/', 404, 'NOT_FOUND', /./],
    ['/v1', 404, 'NOT_FOUND', /./],
    ['/v2/games', 404, 'NOT_FOUND', /./],
    ['/v1/games/', 404, 'NOT_FOUND', /./],
    ['/V1/games', 404, 'NOT_FOUND', /./],
    ['/v1/cards/', 404, 'NOT_FOUND', /./],
    ['/v1/suggest/', 404, 'NOT_FOUND', /./],
    ['/v1/Cards?game=pokemon', 404, 'NOT_FOUND', /./],
    [`${card}/sales`, 404, 'NOT_FOUND', /./],
    ['/v1/cards/pokemon-base1-005', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/pokemon-base1-00', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/POKEMON-BASE1-004', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/__proto__', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/pokemon-nope/history', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/pokemon-nope/prices', 404, 'CARD_NOT_FOUND', /./],
    ['/v1/cards/pokemon%2', 400, 'INVALID_PARAMETER', /id/],
    ['/v1/cards/pokemon%ff', 400, 'INVALID_PARAMETER', /id/],
    ['/v1/search', 400, 'INVALID_PARAMETER', /q must be .*200/],
    ['/v1/search?quiet&limit=3', 400, 'INVALID_PARAMETER', /^q /],
    ['/v1/search?q=%', 400, 'INVALID_PARAMETER', /^q must be percent-encoded UTF-8, given was "%"/],
    ['/v1/sets?game=chess', 400, 'INVALID_PARAMETER', /^game must be one of pokemon, .*, given was "chess"/],
    ['/v1/sets?limit=0', 400, 'INVALID_PARAMETER', /^limit must be a whole number of 1 or more, given was "0"/],
    ['/v1/sets?offset=-1', 400, 'INVALID_PARAMETER', /^offset must be a whole number of 0 or more, given was "-1"/],
    [
      '/v1/cards/pokemon-nope/history?period=8d',
      400,
      'INVALID_PARAMETER',
      /^period must be one of 7d, 30d, 90d, 1y, all/,
    ],
    ['/v1/cards/pokemon-nope/prices?days=91', 400, 'INVALID_PARAMETER', /^days must be a whole number from 1 to 90/],
  ]
  for (const form of ['A', 'B']) {
    for (const [path, status, code, message] of refused) {
      it(`${form}: ${path}`, async () => {
        const reply = await ask(path, {}, form)
        assertError(reply, formOf(path, form), status, code)
        assert.match(reply.json.error.message, message)
      })
    }
  }

  it('finds a name of 200 characters long enough, though each takes more than one byte', async () => {
    assert.equal((await ask(`/v1/search?q=${encodeURIComponent('😀'.repeat(200))}`)).status, 200)
    assert.equal((await ask(`/v1/search?q=${encodeURIComponent('é'.repeat(201))}`)).status, 400)
  })
})

describe('keys and plans', () => {
  const withKey = (key: string | undefined, path: string, form: string, sent: Sent = {}) =>
    send(services[form]!.address, path, {
      ...sent,
      headers: { ...sent.headers, ...(key === undefined ? {} : { 'x-api-key': key }) },
    })
  const wrongKeys = (): readonly (readonly [what: string, key: string | undefined, code: string])[] => {
    const key = keys['free']!
    return [
      ['no key', undefined, 'MISSING_API_KEY'],
      ['an empty key', '', 'MISSING_API_KEY'],
      ['another text', 'secret', 'INVALID_API_KEY'],
      [
        'a key with one letter changed',
        key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21),
        'INVALID_API_KEY',
      ],
      ['a key cut short', key.slice(0, -1), 'INVALID_API_KEY'],
      ['a key in capitals', key.toUpperCase(), 'INVALID_API_KEY'],
    ]
  }

  for (const form of ['A', 'B']) {
    it(`${form}: refuses wrong keys alike on every endpoint`, async () => {
      for (const path of [card, '/v1/search', '/v1/sets', '/v1/games', '/v1/cards/nope/history']) {
        for (const [what, key, code] of wrongKeys()) {
          const reply = await withKey(key, path, form)
          assertError(reply, formOf(path, form), 401, code)
          assert.equal(reply.headers['x-ratelimit-limit'], '0', what)
          assert.equal(reply.headers['x-ratelimit-remaining'], '0', what)
        }
      }
    })

    it(`${form}: takes the key from the header, else from api_key; the header counts`, async () => {
      const free = keys['free']!
      assert.equal((await withKey(undefined, `/v1/games?api_key=${free}`, form)).status, 200)
      assert.equal((await withKey('', `/v1/games?api_key=${free}`, form)).status, 200)
      assert.equal((await withKey(free, '/v1/games?api_key=wrong', form)).status, 200)
      assert.equal((await withKey('wrong', `/v1/games?api_key=${free}`, form)).status, 401)
      for (const [query, code] of [
        ['', 'MISSING_API_KEY'],
        ['api_key', 'MISSING_API_KEY'],
        ['api_key=', 'MISSING_API_KEY'],
        ['api_key=%zz', 'INVALID_API_KEY'],
        [`api_key=${free}%`, 'INVALID_API_KEY'],
        ['api_key=%ff', 'INVALID_API_KEY'],
      ] as const) {
        assertError(await withKey(undefined, `/v1/games?${query}`, form), form, 401, code)
      }
    })
  }

  const restricted: readonly (readonly [path: string, form: string, plans: Record<string, number>])[] = [
    [`${card}/history`, 'A', { free: 403, trader: 200, business: 200 }],
    [`${card}/prices`, 'A', { free: 403, trader: 200, business: 200 }],
    [`${card}/history`, 'B', { free: 403, trader: 200, business: 200 }],
    [`${card}/prices`, 'B', { free: 403, trader: 200, business: 200 }],
    ['/v1/cards/nope/history?period=8d', 'A', { free: 403, trader: 400 }],
    [card, 'A', { free: 200, trader: 200 }],
    [card, 'B', { free: 200, trader: 200 }],
    ['/v1/sets', 'B', { free: 200 }],
  ]
  for (const [path, form, statuses] of restricted) {
    for (const [plan, status] of Object.entries(statuses)) {
      it(`${form}: ${plan} ${path}`, async () => {
        const reply = await withKey(keys[plan], path, form)
        assert.equal(reply.status, status)
        if (status === 403) assertError(reply, formOf(path, form), 403, 'PLAN_RESTRICTION')
      })
    }
  }

  for (const [form, plan, status] of [
    ['A', 'free', 200],
    ['B', 'free', 403],
    ['B', 'trader', 200],
  ] as const) {
    it(`${form}: ${plan} batch`, async () => {
      const sent = { method: 'POST', headers: json, body: '{"ids":[]}' }
      assert.equal((await withKey(keys[plan], '/v1/cards/batch', form, sent)).status, status)
      const wrongType = { method: 'POST', body: '{"ids":[]}' }
      assert.equal((await withKey(keys[plan], '/v1/cards/batch', form, wrongType)).status, status === 403 ? 403 : 415)
    })
  }
})
