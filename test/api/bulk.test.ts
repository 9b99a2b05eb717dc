/** All cards of a game in one answer: what it holds, who gets it, and what the build does for it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { build } from '../../build/build.ts'
import { gameSlugs } from '../../src/games.ts'
import { acceptsGzip } from '../../src/http/preconditions.ts'
import { temporaryFolder } from '../support/command.ts'
import { forms, type ServersHere, serveHere } from '../support/servers-here.ts'
import { type Reply, type Sent, send } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { rawReply } from './raw.ts'
import { assertError } from './served-forms.ts'

const set = (code: string, releaseDate: string | null, game = 'pokemon') => ({
  game,
  code,
  name: `Set ${code}`,
  releaseDate,
})
const card = (id: string, setCode: string, number: string, more: object = {}) => ({
  id: `pokemon-${id}`,
  game: 'pokemon',
  name: `Card ${id}`,
  setCode,
  number,
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

let here: ServersHere
let tag: string
before(async () => {
  here = await serveHere(snapshotOf(files))
  tag = `"${here.server('A').data!.version}"`
})
after(() => here.close())

const ask = (path: string, { headers, ...sent }: Sent = {}, form: 'A' | 'B' = 'A', key = here.keys.business) =>
  send(here.address(form), path, { ...sent, headers: { 'x-api-key': key, ...headers } })
const remaining = ({ headers }: Reply) => Number(headers['x-ratelimit-remaining'])
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
    assert.deepEqual([type, encoding, Number(length), etag], ['application/x-ndjson', 'gzip', bytes.length, tag])
    assert.equal(headers['x-ratelimit-limit'], '100000')
  })

  it('counts one, as a HEAD and a 304 do', async () => {
    const first = await ask('/v1/bulk/pokemon')
    const head = await ask('/v1/bulk/pokemon', { method: 'HEAD' })
    const unchanged = await ask('/v1/bulk/pokemon', { headers: { 'if-none-match': tag } })
    assert.deepEqual([remaining(head), remaining(unchanged)], [remaining(first) - 1, remaining(first) - 2])
    assert.deepEqual([head.status, head.body], [200, ''])
    for (const name of ['content-type', 'content-encoding', 'content-length', 'etag']) {
      assert.equal(head.headers[name], first.headers[name], name)
    }
    assert.deepEqual([unchanged.status, unchanged.body], [304, ''])
  })

  it('is there for every game, without a line for one without cards', async () => {
    for (const slug of gameSlugs) {
      const text = textOf(await ask(`/v1/bulk/${slug}`))
      const ids = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id)
      const expected = slug === 'pokemon' ? listed.map(([id]) => id) : slug === 'mtg' ? ['mtg-m-1'] : []
      assert.deepEqual(ids, expected, slug)
    }
  })

  it('takes a game’s name as any name of a path is taken', async () => {
    assert.equal((await ask('/v1/bulk/%70okemon')).status, 200)
    const { status, json } = await ask('/v1/bulk/%zz')
    assert.deepEqual([status, json.error.code], [400, 'INVALID_PARAMETER'])
  })
})

describe('who gets it', () => {
  const games = gameSlugs.join(', ')
  for (const form of forms) {
    it(`${form}: the Business plan alone, and refusals come in their order`, async () => {
      const gzipOut = { headers: { 'accept-encoding': 'identity', 'if-none-match': '"another version"' } }
      const table: readonly (readonly [path: string, key: string, status: number, code: string, message?: string])[] = [
        ['/v1/bulk/nope', '', 401, 'MISSING_API_KEY'],
        ['/v1/bulk/nope', 'wrong', 401, 'INVALID_API_KEY'],
        ['/v1/bulk/nope', here.keys.spent, 429, 'RATE_LIMIT_EXCEEDED'],
        ['/v1/bulk/nope', here.keys.free, 403, 'PLAN_RESTRICTION', 'the Business plan does.'],
        ['/v1/bulk/nope', here.keys.trader, 403, 'PLAN_RESTRICTION', 'the Business plan does.'],
        ['/v1/bulk/nope', here.keys.business, 404, 'NOT_FOUND', `There is no such game; there are ${games}.`],
        ['/v1/bulk/Pokemon', here.keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/', here.keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/pokemon/', here.keys.business, 404, 'NOT_FOUND'],
        ['/v1/bulk/pokemon', here.keys.business, 406, 'NOT_ACCEPTABLE'],
      ]
      for (const [path, key, status, code, message] of table) {
        const reply = await ask(path, gzipOut, form, key)
        assertError(reply, form, status, code)
        assert.equal(reply.headers['etag'], undefined)
        if (message !== undefined) assert.ok(reply.json.error.message.endsWith(message), reply.body)
      }
      const reply = await ask('/v1/cards/pokemon-old-9/history', {}, form, here.keys.free)
      assert.match(reply.json.error.message, /; the Trader plan and above do\.$/)
    })
  }

  it('no one while there is no data', async () => {
    const reply = await send(here.address('A', 'empty'), '/v1/bulk/pokemon', {
      headers: { 'x-api-key': here.keys.business },
    })
    assertError(reply, 'A', 503, 'SERVICE_UNAVAILABLE')
  })

  const accepted: readonly (readonly [list: string | undefined, isAccepted: boolean])[] = [
    [undefined, true],
    ['gzip', true],
    ['GZip', true],
    ['x-gzip', true],
    ['*', true],
    ['gzip, deflate, br', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['gzip;q=0.5', true],
    ['gzip;q=0.001', true],
    ['gzip ; q=1', true],
    ['gzip;q=.5', true],
    ['gzip;q= 0.5', true],
    ['gzip;q=0.05', true],
    ['gzip;q=1.0', true],
    ['gzip;q=', true],
    ['gzip;q=.', true],
    ['identity;q=0, *;q=0.5', true],
    ['gzip, *;q=0', true],
    ['identity, gzip', true],
    ['gzip;q=what', true],
    ['', false],
    [',', false],
    ['identity', false],
    ['br', false],
    ['gzipped', false],
    ['gzip;q=0', false],
    ['gzip; Q=0.000', false],
    ['gzip;q=0.', false],
    ['gzip;q=.0', false],
    ['gzip;q= 0', false],
    ['gzip;q =\t0', false],
    ['gzip;q=0, *', false],
    ['*, gzip;q=0.0', false],
    ['*;q=0', false],
    ['identity, *;q=0', false],
    ['deflate, br;q=1', false],
  ]
  for (const [list, isAccepted] of accepted) {
    it(`Accept-Encoding ${list === undefined ? 'not there' : JSON.stringify(list)}: ${isAccepted ? 200 : 406}`, async () => {
      const line = list === undefined ? '' : `Accept-Encoding: ${list}\r\n`
      const head = `HEAD /v1/bulk/pokemon HTTP/1.1\r\nHost: x\r\nX-API-Key: ${here.keys.business}\r\n`
      const text = await rawReply(here.address('A'), `${head}${line}Connection: close\r\n\r\n`)
      assert.equal(text.slice(9, 12), isAccepted ? '200' : '406')
      assert.equal(acceptsGzip(list), isAccepted)
    })
  }

  it('Accept-Encoding in several lines is one list', async () => {
    const head = `HEAD /v1/bulk/pokemon HTTP/1.1\r\nHost: x\r\nX-API-Key: ${here.keys.business}\r\nConnection: close\r\n`
    for (const [lines, status] of [
      [['identity', 'gzip'], '200'],
      [['br', 'identity'], '406'],
      [['', 'gzip'], '200'],
    ] as const) {
      const sent = `${head}${lines.map((line) => `Accept-Encoding: ${line}\r\n`).join('')}\r\n`
      assert.equal((await rawReply(here.address('A'), sent)).slice(9, 12), status)
    }
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

it('the same cards give the same bytes', async () => {
  const [indexDir, other] = [temporaryFolder(), temporaryFolder()]
  const snapshot = snapshotOf(files)
  const first = await build(snapshot, indexDir)
  const again = await build(snapshotOf(files), other)
  assert.deepEqual(again.manifest.files, first.manifest.files)
  const bulk = first.manifest.files.filter(({ name }) => name.startsWith('bulk-'))
  assert.deepEqual(bulk.map(({ name }) => name).sort(), gameSlugs.map((slug) => `bulk-${slug}.msgpack`).sort())
  snapshotOf({ 'history/a.csv': 'date,id,market,low,high\n2026-11-20,pokemon-new-1,1,1,1\n' }, snapshot)
  const next = await build(snapshot, indexDir)
  for (const { name } of bulk) {
    const bytes = ({ manifest }: typeof first) => readFileSync(join(indexDir, manifest.version, name))
    assert.ok(bytes(next).equals(bytes(first)), name)
  }
  snapshotOf({ 'cards/a.ndjson': files['cards/a.ndjson'].map((one) => ({ ...one, tcgplayerId: 5 })) }, snapshot)
  const changed = await build(snapshot, indexDir)
  const repacked = changed.manifest.files.filter(
    ({ name, sha256 }) => name.startsWith('bulk-') && !bulk.some((file) => file.sha256 === sha256),
  )
  assert.deepEqual(repacked.map(({ name }) => name).sort(), ['bulk-mtg.msgpack', 'bulk-pokemon.msgpack'])
})
