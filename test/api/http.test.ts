/** The interface, line by line, over real HTTP: a table of requests and what each is answered; and which key opens which route. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gameSlugs } from '../../build/games/default-games.ts'
import { routes } from '../../src/api/routes.ts'
import { softwareVersion } from '../../src/version.ts'
import {
  bareDetails,
  charizardDetails,
  charizardHistory,
  charizardItem,
  charizardSummary,
  listedSets,
} from '../support/fixture.ts'
import { forms } from '../support/servers-here.ts'
import type { Sent } from '../support/service.ts'
import { askRoute } from './route-requests.ts'
import { assertError, idsIn, serveForms } from './served-forms.ts'

const served = serveForms()
const { ask, post } = served
const json = { 'content-type': 'application/json' }
const batch = (ids: unknown) => post('/v1/cards/batch', { ids })

const card = '/v1/cards/pokemon-base1-004'

describe('The responses of lists', () => {
  const page = (data: unknown[], total = data.length, limit = 20, offset = 0) => ({ data, total, limit, offset })
  const history = (from: string) => charizardHistory.filter(({ date }) => date >= from)
  const cardId = 'pokemon-base1-004'
  const byPeriod = (period: string, from: string) => ({ data: { cardId, period, history: history(from) } })
  const byDays = (days: number, from: string) => ({ data: { cardId, days, history: history(from) } })
  const ofGame = (game: string) => listedSets.filter((set) => set.game === game)

  const table: readonly (readonly [path: string, answer: unknown])[] = [
    [card, { data: charizardDetails }],
    ['/v1/cards/pokemon%2Dbase1%2d004', { data: charizardDetails }],
    ['/v1/cards/pokemon-base1-x', { data: bareDetails }],
    [`${card}?unknown=%zz&also`, { data: charizardDetails }],
    ['/v1/search?q=charizard', page([charizardSummary, hunter()])],
    ['/v1/search?q=hunter+charizard', page([hunter()])],
    ['/v1/search?q=charizard&game=mtg', page([hunter()])],
    ['/v1/search?q=charizard&set=BASE1&game=pokemon', page([charizardSummary])],
    ['/v1/search?q=charizard&set=base%20set', page([charizardSummary, hunter()])],
    ['/v1/search?q=charizard&rarity=rare+holo', page([charizardSummary])],
    ['/v1/search?q=charizard&rarity=rare', page([])],
    ['/v1/search?q=charizard&set=nowhere', page([])],
    ['/v1/search?q=charizard&q=pikachu', page([charizardSummary, hunter()])],
    ['/v1/search?q=charizard&limit=1', page([charizardSummary], 2, 1)],
    ['/v1/search?q=charizard&limit=1&offset=1', page([hunter()], 2, 1, 1)],
    ['/v1/search?q=charizard&offset=5', page([], 2, 20, 5)],
    ['/v1/search?q=charizard&limit=101', page([charizardSummary, hunter()], 2, 100)],
    ['/v1/search?%78%79=1&%71=charizard&game=pokemon', page([charizardSummary])],
    [`${card}/history`, byPeriod('30d', '2026-10-22')],
    [`${card}/history?period=7d`, byPeriod('7d', '2026-11-14')],
    [`${card}/history?period=90d`, byPeriod('90d', '2026-08-23')],
    [`${card}/history?period=1y`, byPeriod('1y', '2025-11-21')],
    [`${card}/history?period=all`, byPeriod('all', '2025-11-20')],
    [`${card}/prices`, byDays(30, '2026-10-22')],
    [`${card}/prices?days=1`, byDays(1, '2026-11-20')],
    [`${card}/prices?days=2`, byDays(2, '2026-11-19')],
    [`${card}/prices?days=90`, byDays(90, '2026-08-23')],
    ['/v1/cards/mtg-lea-1/history?period=all', { data: { cardId: 'mtg-lea-1', period: 'all', history: [] } }],
    ['/v1/sets', page(listedSets, listedSets.length, 50)],
    ['/v1/sets?limit=2', page(listedSets.slice(0, 2), listedSets.length, 2)],
    ['/v1/sets?limit=2&offset=3', page(listedSets.slice(3, 5), listedSets.length, 2, 3)],
    ['/v1/sets?offset=100', page([], listedSets.length, 50, 100)],
    ['/v1/sets?limit=201', page(listedSets, listedSets.length, 200)],
    ['/v1/sets?game=mtg', page(ofGame('mtg'), 2, 50)],
    ['/v1/sets?game=pokemon&limit=1&offset=1', page(ofGame('pokemon').slice(1, 2), 3, 1, 1)],
    ['/v1/sets?game=fab', page([], 0, 50)],
  ]

  for (const form of forms) {
    for (const [path, answer] of table) {
      it(`GET ${path} returns the expected data in form ${form}`, async () => {
        const reply = await ask(path, {}, { form })
        assert.equal(reply.status, 200)
        assert.equal(reply.headers['content-type'], 'application/json')
        assert.equal(reply.body, JSON.stringify(answer))
      })
    }
  }

  function hunter() {
    const prices = { market: null, conditions: {} }
    return { id: 'mtg-base1-1', name: 'Charizard Hunter', game: 'mtg', set: 'Base Set', rarity: null, prices }
  }

  it('The list of games has all games in order, with their numbers of cards and sets', async () => {
    const reply = await ask('/v1/games')
    const { data } = reply.json
    assert.deepEqual(idsIn(reply), gameSlugs)
    assert.deepEqual(data[0], { id: 'pokemon', name: 'Pokémon', cardCount: 3, setCount: 3 })
    assert.deepEqual(data[7], { id: 'fab', name: 'Flesh and Blood', cardCount: 0, setCount: 0 })
  })

  it('The extended view of games adds the language and the other names of each game', async () => {
    const plain = (await ask('/v1/games')).json.data
    const extended = (await ask('/v1/games?view=extended')).json.data
    const first = { ...plain[0], language: 'English', words: ['Pokemon', 'Pokemon TCG'] }
    assert.deepEqual(extended[0], first)
    assert.equal(extended[1].language, 'Japanese')
    assert.deepEqual(
      extended.map(({ language, words, ...game }: Record<string, unknown>) => game),
      plain,
    )
    assert.deepEqual((await ask('/v1/games?view=summary')).json.data, plain)
  })
})

describe('Batches of cards', () => {
  const pikachu = { id: 'pokemon-base2-1', name: 'Pikachu', game: 'pokemon', prices: { market: null } }
  const twenty = Array.from({ length: 20 }, (_, i) => `mtg-lea-${i + 1}`)

  const table: readonly (readonly [what: string, ids: string[], data: unknown[]])[] = [
    ['an empty list for no ids', [], []],
    ['cards in the order of their ids', ['pokemon-base2-1', 'pokemon-base1-004'], [pikachu, charizardItem]],
    ['nothing for unknown ids', ['nope', 'pokemon-base2-1', '', '__proto__', 'é', '\u0000'], [pikachu]],
    ['a card twice if its id is sent twice', ['pokemon-base2-1', 'pokemon-base2-1'], [pikachu, pikachu]],
  ]
  for (const [what, ids, data] of table) {
    it(`A batch returns ${what}`, async () => {
      const reply = await batch(ids)
      assert.equal(reply.status, 200)
      assert.equal(reply.body, JSON.stringify({ data }))
    })
  }

  it('A batch accepts 20 ids', async () => assert.equal((await batch(twenty)).json.data.length, 20))

  const body = (text: string | Buffer, headers: Record<string, string> = json) => ({
    method: 'POST',
    headers,
    body: text,
  })
  const written: readonly (readonly [what: string, body: string, data: unknown[]])[] = [
    ['whitespace everywhere', ' {\n"ids"\t:\r[ "pokemon-base2-1" ,\n"nope" ] } ', [pikachu]],
    ['an empty list with whitespace', '{ "ids" : [ ] }', []],
    ['an escape sequence in an id', '{"ids":["pokemon\\u002dbase2-1"]}', [pikachu]],
    ['another member besides ids', '{"of":[1],"ids":["pokemon-base2-1"]}', [pikachu]],
    ['the member ids twice, and the last one counts', '{"ids":["nope"],"ids":["pokemon-base2-1"]}', [pikachu]],
    ['an id of 200 characters', `{"ids":["${'x'.repeat(200)}","pokemon-base2-1"]}`, [pikachu]],
    ['ids that no card has', '{"ids":["pokemon-base2-1x","pokemon-base2-","pokemon-base2-1"]}', [pikachu]],
  ]
  for (const [what, text, data] of written) {
    it(`A batch accepts ${what}`, async () => {
      assert.equal((await post('/v1/cards/batch', text)).body, JSON.stringify({ data }))
    })
  }

  const plain = { 'content-type': 'text/plain' }
  const long = ' '.repeat(16_385)
  const refused: readonly (readonly [what: string, sent: Sent, code?: string, status?: number])[] = [
    ['a trailing comma', body('{"ids":["x",]}')],
    ['text after the JSON', body('{"ids":["x"]}x')],
    ['a control character in an id', body('{"ids":["x\u0000"]}')],
    ['a body of 21 ids that is no JSON', body(`{"ids":[${'"x",'.repeat(21)}]}`)],
    ['a body without ids', body('{}')],
    ['ids that are no array', body('{"ids":"x"}')],
    ['ids that are no strings', body('{"ids":["x",1]}')],
    ['a body that is not JSON', body('{"ids":[')],
    ['a body that is not UTF-8', body(Buffer.from('{"ids":["\xff"]}', 'latin1'))],
    ['an empty body', body('')],
    ['a body that is null', body('null')],
    ['21 ids', body(JSON.stringify({ ids: [...twenty, 'x'] })), 'BATCH_TOO_LARGE'],
    ['a request without a content type', body('{"ids":[]}', {}), 'UNSUPPORTED_MEDIA_TYPE', 415],
    ['a content type other than JSON', body('{"ids":[]}', plain), 'UNSUPPORTED_MEDIA_TYPE', 415],
    ['a content type other than JSON before it looks at the size', body(long, plain), 'UNSUPPORTED_MEDIA_TYPE', 415],
    ['a body of 16 KiB and a byte', body(long), 'PAYLOAD_TOO_LARGE', 413],
    ['a chunked body over 16 KiB', body(long, { ...json, 'transfer-encoding': 'chunked' }), 'PAYLOAD_TOO_LARGE', 413],
  ]
  for (const [what, sent, code = 'INVALID_BODY', status = 400] of refused) {
    it(`A batch refuses ${what}`, async () => {
      const { headers, json, body } = await ask('/v1/cards/batch', {
        ...sent,
        headers: { ...sent.headers, connection: 'keep-alive' },
      })
      const closed = status === 413 ? 'close' : undefined
      assert.deepEqual([json?.error.code, json?.error.status, headers.connection], [code, status, closed], body)
    })
  }

  it('A batch accepts a body of 16 KiB, and a content type with parameters', async () => {
    const start = '{"ids":["pokemon-base2-1"]}'
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    const reply = await ask('/v1/cards/batch', body(start.padEnd(16_384), headers))
    assert.equal(reply.body, JSON.stringify({ data: [pikachu] }))
  })
})

describe('Health', () => {
  it('A request for /healthz needs no key, and its response has the version of the software', async () => {
    const { status, json: body, headers } = await ask('/healthz', { headers: { 'x-api-key': '' } })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['status', 'version', 'asOf', 'cards', 'software'])
    assert.equal(body.software, softwareVersion)
    assert.deepEqual([body.status, body.asOf, body.cards], ['ok', '2026-11-20', 30])
    assert.equal(headers['x-ratelimit-limit'], undefined)
  })
})

for (const form of forms) {
  describe(`The keys and plans in form ${form}`, () => {
    it(`A missing or invalid key in form ${form} gets 401 with a rate limit of 0`, async () => {
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

    it(`The header X-API-Key in form ${form} takes precedence over the parameter api_key`, async () => {
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

    it(`A list requested with api_key in its URL in form ${form} is never cached`, async () => {
      const { counts } = served.here.server(form).answers.pages
      const [hits] = counts
      const path = `/v1/sets?api_key=${served.here.keys.free}`
      for (let time = 0; time < 3; time++) assert.equal((await ask(path, {}, { form, key: '' })).status, 200)
      assert.equal(counts[0], hits)
    })

    it(`A key of the Trader plan in form ${form} opens everything but the download`, async () => {
      for (const route of routes) {
        const { status } = await askRoute(served.here, route, form, { key: 'trader' })
        assert.equal(status, route.operation === 'downloadCards' ? 403 : 200, route.operation)
      }
    })

    it(`The plan in form ${form} is checked before parameters, body and card`, async () => {
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
