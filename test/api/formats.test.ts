/** Answers that are not JSON: all cards of a game in one download, and CSV, with no cell that a spreadsheet runs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { gameSlugs } from '../../build/games/default-games.ts'
import { acceptsGzip } from '../../src/http/preconditions.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { forms } from '../support/servers-here.ts'
import type { Reply } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { rawReply } from './raw.ts'
import { assertError, remainingOf, serveForms } from './served-forms.ts'

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

const served = serveForms(() => snapshotOf(files))
const { ask } = served
const textOf = ({ bytes }: Reply) => gunzipSync(bytes).toString('utf8')

describe('A download', () => {
  it('A download has every card of the game in the extended view, in the default order', async () => {
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

  it('A download has the headers for gzipped NDJSON, its length, its ETag and the rate limit', async () => {
    const { status, headers, bytes } = await ask('/v1/bulk/pokemon')
    assert.equal(status, 200)
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length, etag } = headers
    assert.deepEqual([type, encoding, Number(length), etag], ['application/x-ndjson', 'gzip', bytes.length, served.tag])
    assert.equal(headers['x-ratelimit-limit'], '100000')
  })

  it('A download counts as one request, and so does a HEAD or a 304', async () => {
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

  it('A download exists for every game, and is empty for a game without cards', async () => {
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

describe('The encoding of a download', () => {
  const games = gameSlugs.join(', ')
  for (const form of forms) {
    it(`A download in form ${form} needs the Business plan, and a request with several faults gets the first error`, async () => {
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
    'gzip',
    'GZip',
    'x-gzip',
    '*',
    'gzip, deflate, br',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    'gzip;q=0.5',
    'gzip;q=0.001',
    'gzip ; q=1',
    'gzip;q=.5',
    'gzip;q= 0.5',
    'gzip;q=0.05',
    'gzip;q=1.0',
    'gzip;q=',
    'gzip;q=.',
    'gzip;q=what',
    'identity;q=0, *;q=0.5',
    'gzip, *;q=0',
    'identity, gzip',
  ]
  const excluded = [
    '',
    ',',
    'identity',
    'br',
    'gzipped',
    'gzip;q=0',
    'gzip; Q=0.000',
    'gzip;q=0.',
    'gzip;q=.0',
    'gzip;q= 0',
    'gzip;q =\t0',
    'gzip;q=0, *',
    '*, gzip;q=0.0',
    '*;q=0',
    'identity, *;q=0',
    'deflate, br;q=1',
  ]
  it('A client gets the download if its Accept-Encoding allows gzip or is absent, and 406 otherwise', async () => {
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

  it('Several Accept-Encoding headers of one request count as one list', async () => {
    assert.equal(await statusWith(['identity', 'gzip']), '200')
    assert.equal(await statusWith(['br', 'identity']), '406')
    assert.equal(await statusWith(['', 'gzip']), '200')
  })

  it('A download request’s If-None-Match is checked before its Accept-Encoding', async () => {
    for (const [tag, status] of [
      ['*', 304],
      ['"another version"', 406],
    ] as const) {
      const headers = { 'accept-encoding': 'identity', 'if-none-match': tag }
      assert.equal((await ask('/v1/bulk/pokemon', { headers })).status, status, tag)
    }
  })

  it('A response other than a download ignores Accept-Encoding and is sent uncompressed', async () => {
    const reply = await ask('/v1/games', { headers: { 'accept-encoding': 'gzip;q=0, identity;q=0' } })
    assert.deepEqual([reply.status, reply.headers['content-encoding']], [200, undefined])
  })
})

const cardHeader =
  'id,name,game,set,setCode,number,rarity,printing,currency,market,low,mid,high,near_mint,lightly_played,' +
  'moderately_played,heavily_played,damaged,updatedAt'
const moverHeader = `${cardHeader},period,from,to,amount,percent`
const type = 'text/csv; charset=utf-8; header=present'

const pieces = [
  ' ',
  '"',
  '""',
  ',',
  "'",
  '\n',
  '\r\n',
  '\r',
  '\t',
  ';',
  '\\',
  '\\"',
  '\\n',
  '/',
  '}',
  ']}',
  '"},',
  '":',
  'null',
  '=',
  '=1+1',
  '+',
  '-1',
  '@',
  '=HYPERLINK("x")',
  '＝',
  '004',
  '1.50',
  'TRUE',
  '#N/A',
  'Charizard',
  'a',
  'リザードン',
  'é',
  '😀',
  '\u2028',
]
/** Texts as names have them, and such as they should not. */
const drawText = (random: Random): string => {
  const text = Array.from({ length: 1 + drawBelow(random, 4) }, () => drawFrom(random, pieces)).join('')
  return text.trim() === '' ? `${text}x` : text
}
const maybe = <Value>(random: Random, draw: () => Value): Value | null => (drawBelow(random, 4) === 0 ? null : draw())
const drawPrice = (random: Random) => maybe(random, () => drawFrom(random, [0, 0.01, 1.5, 99.99, 1234.5, 10_000_000]))

function drawnSnapshot(): string {
  const random = randomFrom(55)
  const setOf = (code: string) => ({ game: 'mtg', code, name: drawText(random), releaseDate: '2020-01-01' })
  const sets = ['a', '=b', 'c,"d'].map(setOf)
  const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged']
  const pricesOf = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, drawPrice(random)]))
  const cards = Array.from({ length: amount(150, 900) }, (_, i) => ({
    id: `mtg-${i}`,
    game: 'mtg',
    name: drawText(random),
    setCode: drawFrom(random, sets).code,
    number: maybe(random, () => drawText(random)),
    rarity: maybe(random, () => drawText(random)),
    image: maybe(random, () => 'https://images.example/a,b"\\c'),
    prices: { ...pricesOf(['market', 'low', 'mid', 'high']), conditions: pricesOf(conditions), graded: { psa_10: 1 } },
    sources: [drawText(random), '"updatedAt":"'],
    updatedAt: maybe(random, () => '2026-11-20T06:00Z'),
    printing: maybe(random, () => drawText(random)),
  }))
  const rows = cards.flatMap(({ id }, i) =>
    i % 3 === 0 ? [] : [13, 14, 20].map((day) => `2026-11-${day},${id},${1 + drawBelow(random, 500)}.05,,${day}`),
  )
  return snapshotOf({
    'sets/s.ndjson': sets,
    'cards/c.ndjson': cards,
    'about.json': '{"currency":"EUR]}"}',
    'history/2026-11.csv': `date,id,market,low,high\n${rows.join('\n')}\n`,
  })
}

const drawn = serveForms(drawnSnapshot)

type Field = string | number | null

/** A field as text; a text that a spreadsheet would run has an apostrophe before it. */
const cell = (value: Field): string =>
  typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value ?? '')

// biome-ignore lint/suspicious/noExplicitAny: a card in the extended view
const cardRow = (card: any): string[] => {
  const { prices } = card
  const texts = cardHeader.split(',', 9).map((name) => card[name])
  const named = cardHeader.split(',').slice(9, -1)
  const amounts = named.map((name) => (name in prices ? prices[name] : prices.conditions[name]))
  return [...texts, ...amounts, card.updatedAt].map(cell)
}

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
type Any = any
interface Case {
  readonly path: string
  readonly header: string
  /** The rows that JSON says. */
  readonly rows: (json: Any) => string[][] | Promise<string[][]>
  readonly total: (json: Any) => number
}

const extended = async (id: string) => (await drawn.ask(`/v1/cards/${id}?view=extended`)).json.data
const ofList = { header: cardHeader, rows: (json: Any) => json.data.map(cardRow), total: (json: Any) => json.total }
const ofHistory = {
  header: 'date,market,low,high',
  rows: ({ data }: Any) => data.history.map(({ date, market, low, high }: Any) => [date, market, low, high].map(cell)),
  total: ({ data }: Any) => data.history.length,
}
const cases: readonly Case[] = [
  { path: '/v1/cards?game=mtg&limit=100&view=extended', ...ofList },
  { path: '/v1/cards?game=mtg&limit=7&offset=3&sort=-price&min_price=1&view=extended', ...ofList },
  { path: '/v1/cards?game=mtg&set=none&view=extended', ...ofList },
  { path: '/v1/search?q=charizard&limit=100&view=extended', ...ofList },
  { path: '/v1/cards/mtg-1?view=extended', header: cardHeader, rows: ({ data }) => [cardRow(data)], total: () => 1 },
  ...['/v1/movers?limit=100', '/v1/movers?by=amount&direction=down&period=1d'].map((path) => ({
    path,
    header: moverHeader,
    total: (json: Any) => json.total,
    rows: ({ data }: Any) =>
      Promise.all(
        data.map(async ({ id, change: { period, from, to, amount, percent } }: Any) => [
          ...cardRow(await extended(id)),
          ...[period, from, to, amount, percent].map(String),
        ]),
      ),
  })),
  { path: '/v1/cards/mtg-1/history?period=all', ...ofHistory },
  { path: '/v1/cards/mtg-1/prices?days=90', ...ofHistory },
  { path: '/v1/cards/mtg-0/prices', ...ofHistory },
]
const csvOf = (path: string) => `${path}${path.includes('?') ? '&' : '?'}format=csv`

describe('A list as CSV', () => {
  for (const { path, header, rows, total } of cases) {
    it(`The CSV of ${path} has the values of its JSON`, async () => {
      const { json } = await drawn.ask(path)
      const expected = [header.split(','), ...(await rows(json))]
      // From the second time on, pages are cached.
      for (let time = 0; time < 4; time++) {
        await drawn.ask('/v1/cards?game=mtg&limit=1&format=csv')
        const { status, headers, body } = await drawn.ask(csvOf(path))
        assert.deepEqual([status, headers['content-type'], headers['x-total']], [200, type, String(total(json))])
        assert.ok(body.startsWith(`${header}\r\n`) && body.endsWith('\r\n'))
        assert.deepEqual(parse(body, { bom: false, record_delimiter: '\r\n' }), expected)
      }
    })
  }

  it('A CSV begins with a byte order mark only with bom=1, and JSON never does', async () => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf])
    for (const { path } of cases) {
      for (let time = 0; time < 3; time++) {
        const [plain, none, marked, head, json] = [
          await drawn.ask(csvOf(path)),
          await drawn.ask(`${csvOf(path)}&bom=0`),
          await drawn.ask(`${csvOf(path)}&bom=1`),
          await drawn.ask(`${csvOf(path)}&bom=1`, { method: 'HEAD' }),
          await drawn.ask(`${path}${path.includes('?') ? '&' : '?'}bom=1`),
        ]
        assert.deepEqual(none.bytes, plain.bytes)
        assert.deepEqual(marked.bytes, Buffer.concat([mark, plain.bytes]))
        for (const name of ['content-type', 'x-total', 'etag']) assert.equal(marked.headers[name], plain.headers[name])
        assert.equal(Number(head.headers['content-length']), marked.bytes.length)
        assert.equal(json.bytes[0], '{'.charCodeAt(0))
      }
    }
    const refused = await drawn.ask('/v1/cards/nope?format=csv&bom=2')
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_PARAMETER'])
  })

  it('A CSV has the ETag of the JSON and its own length, and conditional requests for it get 304 and 412', async () => {
    for (const { path } of cases) {
      const [json, csv, head] = [
        await drawn.ask(path),
        await drawn.ask(csvOf(path)),
        await drawn.ask(csvOf(path), { method: 'HEAD' }),
      ]
      assert.equal(csv.headers['etag'], json.headers['etag'])
      assert.deepEqual([head.status, head.body, head.headers['x-total']], [200, '', csv.headers['x-total']])
      assert.equal(Number(head.headers['content-length']), csv.bytes.length)
      const known = await drawn.ask(csvOf(path), { headers: { 'if-none-match': csv.headers['etag']! } })
      assert.deepEqual([known.status, known.body], [304, ''])
      const other = await drawn.ask(csvOf(path), { headers: { 'if-match': '"other"' } })
      assert.deepEqual([other.status, other.json.error.code], [412, 'PRECONDITION_FAILED'])
    }
  })

  it('A list is JSON unless format=csv is given, a CSV list ignores the view, and errors are always JSON', async () => {
    const path = '/v1/cards?game=mtg'
    assert.equal((await drawn.ask(`${path}&format=json`)).body, (await drawn.ask(path)).body)
    assert.equal((await drawn.ask(`${path}&view=nope&format=csv`)).status, 200)
    for (const [wrong, status] of [
      [`${path}&format=CSV`, 400],
      [`${path}&format=csv&limit=0`, 400],
      ['/v1/cards/nope?format=csv', 404],
      ['/v1/cards/nope/history?format=csv', 404],
      ['/v1/sets?format=csv', 400],
    ] as const) {
      const reply = await drawn.ask(wrong)
      assert.deepEqual([reply.status, reply.headers['content-type']], [status, 'application/json'], wrong)
    }
  })
})
