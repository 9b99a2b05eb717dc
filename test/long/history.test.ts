/** A year and more of a small market: the answers of cards drawn by a seed against a plain reading of the CSV files. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { inferSchema, initParser } from 'udsv'
import { compileHistory } from '../../build/compile/history/history.ts'
import type { HistoryCache } from '../../build/compile/history/plan.ts'
import { CardIds } from '../../build/read/card-ids.ts'
import { Problems } from '../../build/read/problems.ts'
import { WorkerPool } from '../../build/workers/pool.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { History } from '../../src/history/history.ts'
import { readHistoryFile } from '../../src/indexes/history-file.ts'
import { compareTexts } from '../../src/text-order.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const cardCount = 2000
const dayCount = 420
const drawnCount = 1000
const lastDay = dayOfDate('2026-11-20')
const header = 'date,id,market,low,high'
const ids = Array.from({ length: cardCount }, (_, i) => `yugioh-set${i % 37}-${i}`)

const random = randomFrom(20)
const chance = (share: number) => random() < share
const text = (cents: number) => (cents / 100).toFixed(chance(0.5) ? 2 : 3)

/** How a card's prices go: of some there are few rows, of some the prices are strange. */
interface Market {
  price: number
  readonly gaps: number
  readonly strange: boolean
  readonly only: number | undefined
}

function rowOf(card: number, market: Market, day: number): string | undefined {
  if (market.only !== undefined && market.only !== day) return undefined
  if (chance(market.gaps)) return undefined
  if (chance(0.3)) market.price = Math.max(0, Math.round(market.price * (0.95 + random() * 0.1)))
  const { price } = market
  const prices = market.strange
    ? [0, 1, 2].map(() => ['', '0', '0.00', '1000000', '10000000', '0.01', text(price)][Math.floor(random() * 7)]!)
    : [text(price), text(Math.round(price * 0.8)), text(Math.round(price * 1.7))]
  return `${dateOfDay(day)},${ids[card]},${prices.join(',')}`
}

let snapshots = ''
before(async () => {
  snapshots = await mkdtemp(join(tmpdir(), 'history-long-'))
  await mkdir(join(snapshots, 'history'))
  const markets = ids.map(
    (): Market => ({
      price: Math.round(5 * Math.exp(random() * 9)),
      gaps: chance(0.1) ? 0.9 : chance(0.2) ? 0.05 : 0,
      strange: chance(0.1),
      only: chance(0.02) ? lastDay - Math.floor(random() * dayCount) : undefined,
    }),
  )
  const months = new Map<string, string[]>()
  const corrections = new Map<string, string>()
  for (let day = lastDay - dayCount + 1; day <= lastDay; day++) {
    // The last days come in a file each, all others in one a month.
    const date = dateOfDay(day)
    const name = day > lastDay - 20 ? date : date.slice(0, 7)
    const rows = months.get(name) ?? []
    months.set(name, rows)
    markets.forEach((market, card) => {
      const row = rowOf(card, market, day)
      if (row === undefined) return
      rows.push(row)
      if (chance(0.01)) corrections.set(`${card} ${day}`, `${date},${ids[card]},${text(market.price + 1)},,0`)
      if (chance(0.02)) rows.push(`${date},fab-unknown-${card},1,1,1`)
    })
  }
  for (const [name, rows] of months) {
    const content = [header, ...rows, ''].join(name.endsWith('3') ? '\r\n' : '\n')
    const zipped = name.endsWith('2')
    const path = join(snapshots, 'history', `${name}.csv${zipped ? '.gz' : ''}`)
    await writeFile(path, zipped ? gzipSync(content) : content)
  }
  const content = `${header}\n${[...corrections.values()].join('\n')}`
  await writeFile(join(snapshots, 'history', 'corrections.csv'), content)
})
after(() => rm(snapshots, { recursive: true }))

type PlainRow = [date: string, market: number | null, low: number | null, high: number | null]

/** Each card's rows by date, read by a CSV library and rounded by its decimal digits. */
async function plainly(): Promise<Map<string, Map<string, PlainRow>>> {
  const cards = new Map(ids.map((id) => [id, new Map<string, PlainRow>()]))
  for (const name of (await readdir(join(snapshots, 'history'))).sort()) {
    const bytes = await readFile(join(snapshots, 'history', name))
    const content = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    const rows = initParser(inferSchema(content)).stringArrs<[string, string, string, string, string]>(content)
    for (const [date, id, market, low, high] of rows) {
      cards.get(id)?.set(date, [date, dollars(market), dollars(low), dollars(high)])
    }
  }
  return cards
}

function dollars(price: string): number | null {
  if (price === '') return null
  const [whole, fraction = ''] = price.split('.')
  const thousandths = BigInt(whole! + fraction.padEnd(3, '0'))
  return Number((thousandths + 5n) / 10n) / 100
}

async function compiled(base: Parameters<typeof compileHistory>[0]['base']) {
  const problems = new Problems()
  const parts: Buffer[] = []
  const result = await compileHistory({
    snapshots,
    ids: CardIds.ofTexts(ids),
    base,
    problems,
    progress: () => {},
    pool: new WorkerPool(1),
    onPart: (_, pieces) => void parts.push(Buffer.concat(pieces)),
  })
  problems.check()
  return { result, parts, cache: result.cache as HistoryCache }
}

describe('a year and more', () => {
  test('is answered as the CSV files have it, built at once and then made anew from some day on', async () => {
    const cards = await plainly()
    const { parts, cache, result } = await compiled(null)
    assert.equal(result.newestDate, dateOfDay(lastDay))
    assert.equal(
      result.report.rows,
      [...cards.values()].reduce((sum, rows) => sum + rows.size, 0),
    )
    const history = new History(parts.map(readHistoryFile), lastDay)
    const draw = randomFrom(1)
    for (let i = 0; i < drawnCount; i++) {
      const card = drawBelow(draw, cardCount)
      const id = ids[card]!
      const rows = [...cards.get(id)!.values()].sort(([a], [b]) => compareTexts(a, b))
      for (const days of [7, 30, 90, 365, Number.POSITIVE_INFINITY]) {
        const from = days === Number.POSITIVE_INFINITY ? '' : dateOfDay(lastDay - days + 1)
        const window = rows
          .filter(([date]) => date >= from)
          .map(([date, market, low, high]) => ({ date, market, low, high }))
        const body = JSON.stringify({ data: { cardId: id, period: 'p', history: window } })
        assert.equal(Buffer.from(history.body(card, id, '"period":"p"', days)).toString(), body)
      }
    }

    await rm(join(snapshots, 'history', 'corrections.csv'))
    const without = await compiled({ parts, ids: CardIds.ofTexts(ids), cache })
    const atOnce = await compiled(null)
    assert.ok(Buffer.concat(without.parts).equals(Buffer.concat(atOnce.parts)))
    assert.equal(without.result.report.rows, atOnce.result.report.rows)
  })
})
