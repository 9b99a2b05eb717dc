/** All cards of a game in one answer: what it has, and who gets it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { gameSlugs } from '../../src/games.ts'
import { acceptsGzip } from '../../src/http/preconditions.ts'
import { forms } from '../support/servers-here.ts'
import type { Reply } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { rawReply } from './raw.ts'
import { assertError, remainingOf, serveForms } from './served-forms.ts'

const set = (code: string, releaseDate: string | null, game = 'pokemon') => ({
  ...{ game, code, name: `Set ${code}`, releaseDate },
})
const card = (id: string, setCode: string, number: string, more: object = {}) => ({
  ...{ id: `pokemon-${id}`, game: 'pokemon', name: `Card ${id}`, setCode, number },
  ...more,
})
const known = {
  rarity: 'Rare "Holo"',
  image: 'https://images.example/リザードン.webp',
  prices: { market: 1.5, low: 0, conditions: { near_mint: 2 }, graded: { psa_10: 12_000 } },
  sources: ['tcgplayer'],
  updatedAt: '2026-11-20T06:00:00Z',
  tcgplayerId: Number.MAX_SAFE_INTEGER,
}
/** In another order than they are listed. */
const files = {
  'sets/a.ndjson': [set('old', '1999-01-09'), set('undated', null), set('new', '2026-01-01'), set('m', null, 'mtg')],
  'cards/a.ndjson': [
    card('undated-1', 'undated', '1', { tcgplayerId: null }),
    card('old-10', 'old', '10', known),
    { ...card('m-1', 'm', '1'), id: 'mtg-m-1', game: 'mtg', tcgplayerId: 7 },
    card('old-9', 'old', '9', { name: 'リザードン & Co.', tcgplayerId: 1 }),
    card('new-1', 'new', '1', { tcgplayerId: 42_382 }),
  ],
}
const listed: readonly (readonly [id: string, tcgplayerId: number | null])[] = [
  ['pokemon-new-1', 42_382],
  ['pokemon-old-9', 1],
  ['pokemon-old-10', Number.MAX_SAFE_INTEGER],
  ['pokemon-undated-1', null],
]

const served = serveForms(() => snapshotOf(files))
const { ask } = served
const textOf = ({ bytes }: Reply) => gunzipSync(bytes).toString('utf8')

describe('a download', () => {
  it('has every card of the game in the extended view, in the order of equals', async () => {
    const reply = await ask('/v1/bulk/pokemon')
    const lines = await Promise.all(
      listed.map(async ([id, tcgplayerId]) => {
        const { data } = (await ask(`/v1/cards/${id}?view=extended`)).json
        assert.equal(data.tcgplayerId, tcgplayerId)
        return `${JSON.stringify(data)}\n`
      }),
    )
    assert.equal(textOf(reply), lines.join(''))
    assert.ok(lines.some((line) => line.includes('リザードン & Co.')))
  })

  it('says what it is: packed lines, with length and tag, and with all that every answer says', async () => {
    const { status, headers, bytes } = await ask('/v1/bulk/pokemon')
    assert.equal(status, 200)
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length, etag } = headers
    assert.deepEqual([type, encoding, Number(length), etag], ['application/x-ndjson', 'gzip', bytes.length, served.tag])
    assert.equal(headers['x-ratelimit-limit'], '100000')
  })

  it('counts one, as a HEAD and a 304 do', async () => {
    const first = await ask('/v1/bulk/pokemon')
    const head = await ask('/v1/bulk/pokemon', { method: 'HEAD' })
    const unchanged = await ask('/v1/bulk/pokemon', { headers: { 'if-none-match': served.tag } })
    assert.deepEqual([head, unchanged].map(remainingOf), [remainingOf(first) - 1, remainingOf(first) - 2])
    assert.deepEqual([head.status, head.body], [200, ''])
    for (const name of ['content-type', 'content-encoding', 'content-length', 'etag']) {
      assert.equal(head.headers[name], first.headers[name], name)
    }
    assert.deepEqual([unchanged.status, unchanged.body], [304, ''])
  })

  it('is there for every game, without a line for one without cards', async () => {
    for (const slug of gameSlugs) {
      // A name in a path may be encoded.
      const lines = textOf(await ask(`/v1/bulk/${slug.replace('p', '%70')}`))
        .split('\n')
        .slice(0, -1)
      const ids = lines.map((line) => JSON.parse(line).id)
      const expected = slug === 'pokemon' ? listed.map(([id]) => id) : slug === 'mtg' ? ['mtg-m-1'] : []
      assert.deepEqual(ids, expected, slug)
    }
  })
})

describe('who gets it', () => {
  const games = gameSlugs.join(', ')
  for (const form of forms) {
    it(`${form}: the Business plan alone, and refusals come in their order`, async () => {
      const { keys } = served.here
      const gzipOut = { headers: { 'accept-encoding': 'identity', 'if-none-match': '"another version"' } }
      const table: readonly (readonly [path: string, key: string, status: number, code: string, message?: string])[] = [
        ['/v1/bulk/nope', '', 401, 'MISSING_API_KEY'],
        ['/v1/bulk/nope', 'wrong', 401, 'INVALID_API_KEY'],
        ['/v1/bulk/nope', keys.spent, 429, 'RATE_LIMIT_EXCEEDED'],
        ['/v1/bulk/nope', keys.free, 403, 'PLAN_RESTRICTION', 'the Business plan does.'],
        ['/v1/bulk/nope', keys.trader, 403, 'PLAN_RESTRICTION', 'the Business plan does.'],
        ['/v1/bulk/nope', keys.business, 404, 'NOT_FOUND', `There is no such game; there are ${games}.`],
        ['/v1/bulk/Pokemon', keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/', keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/pokemon/', keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/pokemon', keys.business, 406, 'NOT_ACCEPTABLE'],
      ]
      for (const [path, key, status, code, message] of table) {
        const reply = await ask(path, gzipOut, { form, key })
        assertError(reply, form, status, code)
        assert.equal(reply.headers['etag'], undefined)
        if (message !== undefined) assert.ok(reply.json.error.message.endsWith(message), reply.body)
      }
      const reply = await ask('/v1/cards/pokemon-old-9/history', {}, { form, key: keys.free })
      assert.match(reply.json.error.message, /; the Trader plan and above do\.$/)
    })
  }

  const accepted = [
    ...['gzip', 'GZip', 'x-gzip', '*', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip;q=0.5'],
    ...['gzip;q=0.001', 'gzip ; q=1', 'gzip;q=.5', 'gzip;q= 0.5', 'gzip;q=0.05', 'gzip;q=1.0', 'gzip;q=', 'gzip;q=.'],
    ...['gzip;q=what', 'identity;q=0, *;q=0.5', 'gzip, *;q=0', 'identity, gzip'],
  ]
  const excluded = [
    ...['', ',', 'identity', 'br', 'gzipped', 'gzip;q=0', 'gzip; Q=0.000', 'gzip;q=0.', 'gzip;q=.0', 'gzip;q= 0'],
    ...['gzip;q =\t0', 'gzip;q=0, *', '*, gzip;q=0.0', '*;q=0', 'identity, *;q=0', 'deflate, br;q=1'],
  ]
  it('who takes gzip by Accept-Encoding, and by none, others get 406', async () => {
    assert.ok(acceptsGzip(undefined))
    for (const [lists, status] of [
      [[undefined, ...accepted], '200'],
      [excluded, '406'],
    ] as const) {
      for (const list of lists) assert.equal(await statusWith(list === undefined ? [] : [list]), status, list)
    }
    for (const list of accepted) assert.ok(acceptsGzip(list), list)
    for (const list of excluded) assert.ok(!acceptsGzip(list), list)
  })

  /** @param lists each in a line of its own */
  async function statusWith(lists: readonly string[]): Promise<string> {
    const head = `HEAD /v1/bulk/pokemon HTTP/1.1\r\nHost: x\r\nX-API-Key: ${served.here.keys.business}\r\n`
    const lines = lists.map((list) => `Accept-Encoding: ${list}\r\n`).join('')
    return (await rawReply(served.here.address('A'), `${head}${lines}Connection: close\r\n\r\n`)).slice(9, 12)
  }

  it('Accept-Encoding in several lines is one list', async () => {
    assert.equal(await statusWith(['identity', 'gzip']), '200')
    assert.equal(await statusWith(['br', 'identity']), '406')
    assert.equal(await statusWith(['', 'gzip']), '200')
  })

  it('If-None-Match is looked at before Accept-Encoding', async () => {
    for (const [tag, status] of [
      ['*', 304],
      ['"another version"', 406],
    ] as const) {
      const headers = { 'accept-encoding': 'identity', 'if-none-match': tag }
      assert.equal((await ask('/v1/bulk/pokemon', { headers })).status, status, tag)
    }
  })

  it('no other answer asks for it: they are sent as they are', async () => {
    const reply = await ask('/v1/games', { headers: { 'accept-encoding': 'gzip;q=0, identity;q=0' } })
    assert.deepEqual([reply.status, reply.headers['content-encoding']], [200, undefined])
  })
})
