/** The interface, line by line, over real HTTP: a table of requests and what each is answered, in both forms. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gameSlugs } from '../src/games.ts'
import { accounts, build, temporaryFolder } from './support/command.ts'
import {
  bareDetails,
  charizardDetails,
  charizardHistory,
  charizardItem,
  charizardSummary,
  fixtureSnapshot,
  listedSets,
} from './support/fixture.ts'
import { type Reply, type Sent, type Service, send, startService } from './support/service.ts'

const storeDir = temporaryFolder()
const indexDir = temporaryFolder()
const keys: Record<string, string> = {}
const services: Record<string, Service> = {}

before(async () => {
  const { code, stderr } = await build(fixtureSnapshot(), indexDir)
  assert.equal(code, 0, stderr)
  for (const plan of ['free', 'trader', 'business']) {
    keys[plan] = (await accounts(storeDir, 'create', `${plan} account`, '--plan', plan)).key
  }
  for (const form of ['A', 'B']) {
    services[form] = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, API_FORM: form })
  }
})

after(async () => {
  const codes = await Promise.all(Object.values(services).map((service) => service.stop()))
  assert.deepEqual(codes, [0, 0], 'SIGTERM ends a server in order')
})

/** A request with the business account's key. */
const ask = (path: string, sent: Sent = {}, form = 'A'): Promise<Reply> =>
  send(services[form]!.address, path, { ...sent, headers: { 'x-api-key': keys['business']!, ...sent.headers } })

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

describe('refusals', () => {
  const refused: readonly (readonly [path: string, status: number, code: string, message: RegExp])[] = [
    ['/', 404, 'NOT_FOUND', /./],
    ['/v1', 404, 'NOT_FOUND', /./],
    ['/v2/games', 404, 'NOT_FOUND', /./],
    ['/v1/games/', 404, 'NOT_FOUND', /./],
    ['/V1/games', 404, 'NOT_FOUND', /./],
    ['/v1/cards', 404, 'NOT_FOUND', /./],
    ['/v1/cards/', 404, 'NOT_FOUND', /./],
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
    ['/v1/search?q=', 400, 'INVALID_PARAMETER', /^q /],
    ['/v1/search?q=+%20%09', 400, 'INVALID_PARAMETER', /^q /],
    [`/v1/search?q=${'a'.repeat(201)}`, 400, 'INVALID_PARAMETER', /^q /],
    ['/v1/search?q=%', 400, 'INVALID_PARAMETER', /^q must be percent-encoded UTF-8, given was "%"/],
    ['/v1/search?q=%zz', 400, 'INVALID_PARAMETER', /^q /],
    ['/v1/search?q=a%c3', 400, 'INVALID_PARAMETER', /^q /],
    ['/v1/search?q=%ed%a0%80', 400, 'INVALID_PARAMETER', /^q /],
    [
      '/v1/search?q=a&game=chess',
      400,
      'INVALID_PARAMETER',
      /^game must be one of pokemon, pokemonjp, .*, given was "chess"/,
    ],
    ['/v1/search?q=a&game=', 400, 'INVALID_PARAMETER', /^game /],
    ['/v1/search?q=a&game=Pokemon', 400, 'INVALID_PARAMETER', /^game /],
    ['/v1/search?q=a&set=%zz', 400, 'INVALID_PARAMETER', /^set /],
    ['/v1/search?q=a&rarity=%zz', 400, 'INVALID_PARAMETER', /^rarity /],
    ['/v1/search?q=a&limit=0', 400, 'INVALID_PARAMETER', /^limit must be a whole number of 1 or more, given was "0"/],
    ['/v1/search?q=a&limit=-1', 400, 'INVALID_PARAMETER', /^limit /],
    ['/v1/search?q=a&limit=1.5', 400, 'INVALID_PARAMETER', /^limit /],
    ['/v1/search?q=a&limit=', 400, 'INVALID_PARAMETER', /^limit /],
    ['/v1/search?q=a&limit=1e2', 400, 'INVALID_PARAMETER', /^limit /],
    [
      '/v1/search?q=a&offset=-1',
      400,
      'INVALID_PARAMETER',
      /^offset must be a whole number of 0 or more, given was "-1"/,
    ],
    ['/v1/search?q=a&offset=x', 400, 'INVALID_PARAMETER', /^offset /],
    ['/v1/sets?game=chess', 400, 'INVALID_PARAMETER', /^game /],
    ['/v1/sets?limit=0', 400, 'INVALID_PARAMETER', /^limit /],
    ['/v1/sets?offset=-1', 400, 'INVALID_PARAMETER', /^offset /],
    [
      `${card}/history?period=8d`,
      400,
      'INVALID_PARAMETER',
      /^period must be one of 7d, 30d, 90d, 1y, all, given was "8d"/,
    ],
    [`${card}/history?period=`, 400, 'INVALID_PARAMETER', /^period /],
    ['/v1/cards/pokemon-nope/history?period=8d', 400, 'INVALID_PARAMETER', /^period /],
    [`${card}/prices?days=0`, 400, 'INVALID_PARAMETER', /^days must be a whole number from 1 to 90, given was "0"/],
    [`${card}/prices?days=91`, 400, 'INVALID_PARAMETER', /^days /],
    [`${card}/prices?days=30d`, 400, 'INVALID_PARAMETER', /^days /],
  ]
  for (const form of ['A', 'B']) {
    for (const [path, status, code, message] of refused) {
      it(`${form}: ${path}`, async () => {
        const reply = await ask(path, {}, form)
        assert.equal(reply.status, status)
        assert.equal(reply.headers['content-type'], 'application/json')
        assert.deepEqual(Object.keys(reply.json), ['error'])
        const { error } = reply.json
        assert.equal(error.code, code)
        assert.match(error.message, message)
        assert.deepEqual(Object.keys(error), form === 'A' ? ['code', 'message', 'status'] : ['code', 'message'])
        if (form === 'A') assert.equal(error.status, status)
      })
    }
  }

  it('finds a name of 200 characters long enough, though each takes more than one byte', async () => {
    assert.equal((await ask(`/v1/search?q=${encodeURIComponent('😀'.repeat(200))}`)).status, 200)
    assert.equal((await ask(`/v1/search?q=${encodeURIComponent('é'.repeat(201))}`)).status, 400)
  })
})

describe('methods', () => {
  const paths: readonly (readonly [path: string, allow: string, others: readonly string[]])[] = [
    ['/v1/search?q=a', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'DELETE', 'PATCH']],
    [card, 'GET, HEAD, OPTIONS', ['POST', 'DELETE']],
    [`${card}/history`, 'GET, HEAD, OPTIONS', ['POST']],
    [`${card}/prices`, 'GET, HEAD, OPTIONS', ['POST']],
    ['/v1/sets', 'GET, HEAD, OPTIONS', ['POST']],
    ['/v1/games', 'GET, HEAD, OPTIONS', ['POST', 'TRACE']],
    ['/v1/cards/batch', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT']],
    ['/healthz', 'GET, HEAD, OPTIONS', ['POST']],
  ]
  for (const [path, allow, others] of paths) {
    it(`OPTIONS ${path}`, async () => {
      const reply = await ask(path, { method: 'OPTIONS' })
      assert.equal(reply.status, 204)
      assert.equal(reply.headers['allow'], allow)
      assert.equal(reply.body, '')
    })
    for (const method of others) {
      it(`${method} ${path}`, async () => {
        const reply = await send(services['A']!.address, path, { method })
        assert.equal(reply.status, 405)
        assert.equal(reply.headers['allow'], allow)
        if (method !== 'HEAD') assert.equal(reply.json.error.code, 'METHOD_NOT_ALLOWED')
      })
    }
  }

  for (const path of [
    card,
    '/v1/search?q=charizard',
    '/v1/sets',
    '/v1/games',
    `${card}/history`,
    `${card}/prices`,
    '/v1/cards/nope',
    '/v1/nope',
    '/healthz',
  ]) {
    it(`HEAD ${path} answers as GET without the body`, async () => {
      const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })]
      assert.equal(head.status, get.status)
      assert.equal(head.body, '')
      assert.equal(head.headers['content-length'], get.headers['content-length'])
      assert.equal(head.headers['content-type'], get.headers['content-type'])
    })
  }
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
          const { status, json: body, headers } = await withKey(key, path, form)
          assert.equal(status, 401, what)
          assert.equal(body.error.code, form === 'A' ? code : 'unauthorized', what)
          assert.equal(headers['x-ratelimit-limit'], '0')
          assert.equal(headers['x-ratelimit-remaining'], '0')
        }
      }
    })

    it(`${form}: takes the key from the header, else from api_key; the header counts`, async () => {
      const free = keys['free']!
      assert.equal((await withKey(undefined, `/v1/games?api_key=${free}`, form)).status, 200)
      assert.equal((await withKey('', `/v1/games?api_key=${free}`, form)).status, 200)
      assert.equal((await withKey(free, '/v1/games?api_key=wrong', form)).status, 200)
      assert.equal((await withKey('wrong', `/v1/games?api_key=${free}`, form)).status, 401)
      assert.equal((await withKey(undefined, '/v1/games?api_key=', form)).status, 401)
      assert.equal((await withKey(undefined, '/v1/games?api_key=%zz', form)).status, 401)
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
        if (status === 403) assert.equal(reply.json.error.code, 'PLAN_RESTRICTION')
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

describe('health', () => {
  it('needs no key and tells what is served', async () => {
    const { status, json: body, headers } = await send(services['A']!.address, '/healthz')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['status', 'version', 'asOf', 'cards'])
    assert.deepEqual([body.status, body.asOf, body.cards], ['ok', '2026-11-20', 30])
    assert.equal(headers['x-ratelimit-limit'], undefined)
  })
})
