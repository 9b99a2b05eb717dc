/** CSV: what the same request answers as JSON, and no cell that a spreadsheet runs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { serveForms } from './served-forms.ts'

const cardHeader =
  'id,name,game,set,setCode,number,rarity,printing,currency,market,low,mid,high,near_mint,lightly_played,' +
  'moderately_played,heavily_played,damaged,updatedAt'
const moverHeader = `${cardHeader},period,from,to,amount,percent`
const type = 'text/csv; charset=utf-8; header=present'

const pieces = [
  ...[' ', '"', '""', ',', "'", '\n', '\r\n', '\r', '\t', ';', '\\', '\\"', '\\n', '/', '}', ']}', '"},', '":', 'null'],
  ...['=', '=1+1', '+', '-1', '@', '=HYPERLINK("x")', '＝', '004', '1.50', 'TRUE', '#N/A'],
  ...['Charizard', 'a', 'リザードン', 'é', '😀', '\u2028'],
]
/** Texts as names have them, and such as they should not. */
const drawText = (random: Random): string => {
  const text = Array.from({ length: 1 + drawBelow(random, 4) }, () => drawFrom(random, pieces)).join('')
  return text.trim() === '' ? `${text}x` : text
}
const maybe = <Value>(random: Random, draw: () => Value): Value | null => (drawBelow(random, 4) === 0 ? null : draw())
const drawPrice = (random: Random) => maybe(random, () => drawFrom(random, [0, 0.01, 1.5, 99.99, 1234.5, 10_000_000]))

function snapshot(): string {
  const random = randomFrom(55)
  const setOf = (code: string) => ({ game: 'mtg', code, name: drawText(random), releaseDate: '2020-01-01' })
  const sets = ['a', '=b', 'c,"d'].map(setOf)
  const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged']
  const pricesOf = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, drawPrice(random)]))
  const cards = Array.from({ length: amount(150, 900) }, (_, i) => ({
    ...{ id: `mtg-${i}`, game: 'mtg', name: drawText(random), setCode: drawFrom(random, sets).code },
    ...{ number: maybe(random, () => drawText(random)), rarity: maybe(random, () => drawText(random)) },
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
    ...{ 'sets/s.ndjson': sets, 'cards/c.ndjson': cards, 'about.json': '{"currency":"EUR]}"}' },
    'history/2026-11.csv': `date,id,market,low,high\n${rows.join('\n')}\n`,
  })
}

const { ask } = serveForms(snapshot)

type Field = string | number | null

/** A field as text; a text that a spreadsheet would run has an apostrophe before it. */
const cell = (value: Field): string =>
  typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '')

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

const extended = async (id: string) => (await ask(`/v1/cards/${id}?view=extended`)).json.data
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
    ...{ path, header: moverHeader, total: (json: Any) => json.total },
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

describe('each answer', () => {
  for (const { path, header, rows, total } of cases) {
    it(path, async () => {
      const { json } = await ask(path)
      const expected = [header.split(','), ...(await rows(json))]
      // From the second time on, pages are cached.
      for (let time = 0; time < 4; time++) {
        await ask('/v1/cards?game=mtg&limit=1&format=csv')
        const { status, headers, body } = await ask(csvOf(path))
        assert.deepEqual([status, headers['content-type'], headers['x-total']], [200, type, String(total(json))])
        assert.ok(body.startsWith(`${header}\r\n`) && body.endsWith('\r\n'))
        assert.deepEqual(parse(body, { bom: false, record_delimiter: '\r\n' }), expected)
      }
    })
  }

  it('has its tag, its quota and its length, and 304 and 412 as JSON has', async () => {
    for (const { path } of cases) {
      const [json, csv, head] = [await ask(path), await ask(csvOf(path)), await ask(csvOf(path), { method: 'HEAD' })]
      assert.equal(csv.headers['etag'], json.headers['etag'])
      assert.deepEqual([head.status, head.body, head.headers['x-total']], [200, '', csv.headers['x-total']])
      assert.equal(Number(head.headers['content-length']), csv.bytes.length)
      const known = await ask(csvOf(path), { headers: { 'if-none-match': csv.headers['etag']! } })
      assert.deepEqual([known.status, known.body], [304, ''])
      const other = await ask(csvOf(path), { headers: { 'if-match': '"other"' } })
      assert.deepEqual([other.status, other.json.error.code], [412, 'PRECONDITION_FAILED'])
    }
  })

  it('is as always without it, passes over the view, and errors stay JSON', async () => {
    const path = '/v1/cards?game=mtg'
    assert.equal((await ask(`${path}&format=json`)).body, (await ask(path)).body)
    assert.equal((await ask(`${path}&view=nope&format=csv`)).status, 200)
    for (const [wrong, status] of [
      [`${path}&format=CSV`, 400],
      [`${path}&format=csv&limit=0`, 400],
      ['/v1/cards/nope?format=csv', 404],
      ['/v1/cards/nope/history?format=csv', 404],
      ['/v1/sets?format=csv', 400],
    ] as const) {
      const reply = await ask(wrong)
      assert.deepEqual([reply.status, reply.headers['content-type']], [status, 'application/json'], wrong)
    }
  })
})
