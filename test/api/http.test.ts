/** The interface, line by line, over real HTTP: a table of requests and what each is answered. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gameSlugs } from '../../src/games.ts'
import { softwareVersion } from '../../src/version.ts'
import {
  bareDetails,
  charizardDetails,
  charizardHistory,
  charizardItem,
  charizardSummary,
  listedSets,
} from '../support/fixture.ts'
import { type Reply, type Sent, send } from '../support/service.ts'
import { serveForms } from './served-forms.ts'

const { services, ask } = serveForms()

const json = { 'content-type': 'application/json' }
const batch = (ids: unknown, form = 'A'): Promise<Reply> =>
  ask('/v1/cards/batch', { method: 'POST', headers: json, body: JSON.stringify({ ids }) }, form)

const card = '/v1/cards/pokemon-base1-004'

describe('answers', () => {
  const page = (data: unknown[], total = data.length, limit = 20, offset = 0) => ({ data, total, limit, offset })
  const history = (from: string) => charizardHistory.filter(({ date }) => date >= from)
  const byPeriod = (period: string, from: string) => ({
    data: { cardId: 'pokemon-base1-004', period, history: history(from) },
  })
  const byDays = (days: number, from: string) => ({
    data: { cardId: 'pokemon-base1-004', days, history: history(from) },
  })
  const ofGame = (game: string) => listedSets.filter((set) => set.game === game)

  const table: readonly (readonly [path: string, answer: unknown])[] = [
    [card, { data: charizardDetails }],
    ['/v1/cards/pokemon%2Dbase1%2d004', { data: charizardDetails }],
    ['/v1/cards/pokemon-base1-x', { data: bareDetails }],
    [`${card}?unknown=%zz&also`, { data: charizardDetails }],
    ['/v1/search?q=charizard', page([charizardSummary, hunter()])],
    ['/v1/search?q=CHAR', page([charizardSummary, hunter()])],
    ['/v1/search?q=hunter+charizard', page([hunter()])],
    ['/v1/search?q=hunter%20charizard', page([hunter()])],
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
    ['/v1/search?q=charizard&limit=99999999999999999999', page([charizardSummary, hunter()], 2, 100)],
    ['/v1/search?%71=charizard&game=pokemon', page([charizardSummary])],
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

  for (const form of ['A', 'B']) {
    for (const [path, answer] of table) {
      it(`${form}: ${path}`, async () => {
        const reply = await ask(path, {}, form)
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

  it('lists all games in game order with what was counted', async () => {
    const { data } = (await ask('/v1/games')).json
    assert.deepEqual(
      data.map((game: { id: string }) => game.id),
      gameSlugs,
    )
    assert.deepEqual(data[0], { id: 'pokemon', name: 'Pokémon', cardCount: 3, setCount: 3 })
    assert.deepEqual(data[7], { id: 'fab', name: 'Flesh and Blood', cardCount: 0, setCount: 0 })
  })

  it('gives each card of a name once, page after page, numbers as numbers', async () => {
    const ids: string[] = []
    for (let offset = 0; offset < 28; offset += 7) {
      const { data, total } = (await ask(`/v1/search?q=forest&limit=7&offset=${offset}`)).json
      assert.equal(total, 25)
      ids.push(...data.map((found: { id: string }) => found.id))
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 25 }, (_, i) => `mtg-lea-${i + 1}`),
    )
  })
})

describe('batches', () => {
  const pikachu = { id: 'pokemon-base2-1', name: 'Pikachu', game: 'pokemon', prices: { market: null } }
  const twenty = Array.from({ length: 20 }, (_, i) => `mtg-lea-${i + 1}`)

  const table: readonly (readonly [what: string, ids: string[], data: unknown[]])[] = [
    ['no ids', [], []],
    ['ids in the order asked', ['pokemon-base2-1', 'pokemon-base1-004'], [pikachu, charizardItem]],
    ['unknown ids are left out', ['nope', 'pokemon-base2-1', '', '__proto__', 'é', '\u0000'], [pikachu]],
    ['an id twice', ['pokemon-base2-1', 'pokemon-base2-1'], [pikachu, pikachu]],
  ]
  for (const [what, ids, data] of table) {
    it(what, async () => {
      const reply = await batch(ids)
      assert.equal(reply.status, 200)
      assert.equal(reply.body, JSON.stringify({ data }))
    })
  }

  it('takes 20 ids', async () => assert.equal((await batch(twenty)).json.data.length, 20))

  const body = (text: string | Buffer, headers: Record<string, string> = json) => ({
    method: 'POST',
    headers,
    body: text,
  })
  const written: readonly (readonly [what: string, body: string, data: unknown[]])[] = [
    ['blanks everywhere', ' {\n"ids"\t:\r[ "pokemon-base2-1" ,\n"nope" ] } ', [pikachu]],
    ['no ids, with blanks', '{ "ids" : [ ] }', []],
    ['an escape', '{"ids":["pokemon\\u002dbase2-1"]}', [pikachu]],
    ['another key', '{"of":[1],"ids":["pokemon-base2-1"]}', [pikachu]],
    ['the key twice: the last one counts', '{"ids":["nope"],"ids":["pokemon-base2-1"]}', [pikachu]],
    ['an id of 200 characters', `{"ids":["${'x'.repeat(200)}","pokemon-base2-1"]}`, [pikachu]],
    [
      'an id that only begins like a card’s',
      '{"ids":["pokemon-base2-1x","pokemon-base2-","pokemon-base2-1"]}',
      [pikachu],
    ],
  ]
  for (const [what, text, data] of written) {
    it(`takes ${what}`, async () => {
      const reply = await ask('/v1/cards/batch', body(text))
      assert.equal(reply.body, JSON.stringify({ data }))
    })
  }

  const refused: readonly (readonly [what: string, sent: Sent, status: number, code: string])[] = [
    ['a comma too many', body('{"ids":["x",]}'), 400, 'INVALID_BODY'],
    ['something behind it', body('{"ids":["x"]}x'), 400, 'INVALID_BODY'],
    ['a control character in an id', body('{"ids":["x\u0000"]}'), 400, 'INVALID_BODY'],
    ['21 ids and an error', body(`{"ids":[${'"x",'.repeat(21)}]}`), 400, 'INVALID_BODY'],
    ['21 ids', body(JSON.stringify({ ids: [...twenty, 'x'] })), 400, 'BATCH_TOO_LARGE'],
    ['ids missing', body('{}'), 400, 'INVALID_BODY'],
    ['ids that are no array', body('{"ids":"x"}'), 400, 'INVALID_BODY'],
    ['ids that are no strings', body('{"ids":["x",1]}'), 400, 'INVALID_BODY'],
    ['no JSON', body('{"ids":['), 400, 'INVALID_BODY'],
    ['no UTF-8', body(Buffer.from('{"ids":["\xff"]}', 'latin1')), 400, 'INVALID_BODY'],
    ['an empty body', body(''), 400, 'INVALID_BODY'],
    ['a JSON null', body('null'), 400, 'INVALID_BODY'],
    ['no content type', body('{"ids":[]}', {}), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another content type', body('{"ids":[]}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'another content type and too long',
      body(' '.repeat(16_385), { 'content-type': 'text/plain' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a body of 16 KiB and a byte', body(' '.repeat(16_385)), 413, 'PAYLOAD_TOO_LARGE'],
    [
      'the same in chunks',
      body(' '.repeat(16_385), { ...json, 'transfer-encoding': 'chunked' }),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ]
  for (const [what, sent, status, code] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await ask('/v1/cards/batch', sent)
      assert.equal(reply.json?.error.code, code)
      assert.equal(reply.status, status)
    })
  }

  it('takes a body of 16 KiB, and a content type with parameters', async () => {
    const start = '{"ids":["pokemon-base2-1"]}'
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    const reply = await ask('/v1/cards/batch', body(start.padEnd(16_384), headers))
    assert.equal(reply.body, JSON.stringify({ data: [pikachu] }))
  })
})

describe('health', () => {
  it('needs no key and tells what is served', async () => {
    const { status, json: body, headers } = await send(services['A']!.address, '/healthz')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['status', 'version', 'asOf', 'cards', 'software'])
    assert.equal(body.software, softwareVersion)
    assert.deepEqual([body.status, body.asOf, body.cards], ['ok', '2026-11-20', 30])
    assert.equal(headers['x-ratelimit-limit'], undefined)
  })
})
