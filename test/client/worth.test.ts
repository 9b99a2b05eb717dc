/** What lists were worth over time: the client's figures and those of the assistants' tool are those of a naive sum. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { makeServer } from '../../clients/mcp/src/server.ts'
import { CardPrices } from '../../clients/typescript/src/value.ts'
import { overTime, runsOf } from '../../src/lists/over-time.ts'
import { accounts, build } from '../support/command.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { servePages } from '../web/service-here.ts'
import { type DrawnList, drawnLists, naiveWorth, type WorthPeriod, worthPeriods, worthSnapshot } from './drawn-worth.ts'

const service = servePages((indexDir) => build(snapshotOf(worthSnapshot), indexDir))
const lists = drawnLists(20)

async function pricesOf(plan: string): Promise<CardPrices> {
  const { key } = await accounts(service.storeDir, 'create', `${plan} ${Math.random()}`, '--plan', plan)
  return new CardPrices({ baseUrl: service.address, apiKey: key, maxWaitMs: 0 })
}

describe('The past worth of a list', () => {
  let prices: CardPrices
  before(async () => {
    prices = await pricesOf('business')
  })

  it('The past values of a list equal a naive sum over the histories of its cards, for each period', async () => {
    const seen = { leftOut: 0, backfilled: 0, days: 0 }
    for (const list of lists) {
      const valued = await prices.value(list.text)
      for (const period of worthPeriods) {
        const wanted = naiveWorth(list, period)
        assert.deepEqual(await prices.worth(valued, { period }), wanted, `${period} of\n${list.text}`)
        seen.leftOut += wanted.leftOut
        seen.backfilled += wanted.backfilled
        seen.days += wanted.days.length
      }
    }
    assert.ok(
      Object.values(seen).every((sum) => sum > 100),
      JSON.stringify(seen),
    )
  })

  it('The past values of a list cost one request for each 20 different cards', async () => {
    const list = lists.reduce((longest, one) => (one.lines.length > longest.lines.length ? one : longest))
    const valued = await prices.value(list.text)
    const held = new Set(valued.lines.flatMap(({ card, amount, grade }) => (amount !== null && !grade ? card!.id : [])))
    const { remaining } = prices.rateLimit!
    await prices.worth(valued)
    assert.ok(held.size > 20 && held.size < list.lines.length)
    assert.equal(remaining - prices.rateLimit!.remaining, Math.ceil(held.size / 20))
  })

  it('A list without a total has no past values, and asking for them costs no request', async () => {
    const valued = await prices.value(lists[0]!.text.replace('Quantity', 'Held'))
    const { remaining } = prices.rateLimit!
    assert.equal(valued.total, null)
    const { days, counted } = await prices.worth(valued)
    assert.deepEqual([days, counted, prices.rateLimit!.remaining], [[], 0, remaining])
  })

  it('The method worth throws a PlanError on the Free plan', async () => {
    const free = await pricesOf('free')
    const valued = await free.value(lists[0]!.text)
    await assert.rejects(free.worth(valued), { name: 'PlanError' })
  })

  it('A list of cards without histories has no past values', () => {
    const none = { days: [], counted: 0, leftOut: 3, backfilled: 0 }
    assert.deepEqual(
      overTime({ byCard: new Map([['a', { quantity: 1, lines: 2 }]]), leftOut: 1 }, () => undefined),
      none,
    )
    assert.deepEqual(
      overTime({ byCard: new Map(), leftOut: 3 }, () => runsOf([])),
      none,
    )
  })
})

describe('value_list with a period', () => {
  async function answerOf(prices: CardPrices, list: DrawnList, period: WorthPeriod | undefined) {
    const [ofClient, ofServer] = InMemoryTransport.createLinkedPair()
    await makeServer(prices).connect(ofServer)
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(ofClient)
    const { structuredContent } = await client.callTool({ name: 'value_list', arguments: { text: list.text, period } })
    return structuredContent as {
      readonly notes: readonly string[]
      readonly overTime: { readonly points: readonly { readonly date: string }[] } | null
    }
  }

  it('The tool value_list returns at most 60 past values, each equal to a naive sum, with the first and last day', async () => {
    const prices = await pricesOf('business')
    for (const [i, list] of lists.entries()) {
      const period = worthPeriods[i % worthPeriods.length]!
      const { days, currency: _, ...counts } = naiveWorth(list, period)
      const { points, ...others } = (await answerOf(prices, list, period)).overTime!
      assert.deepEqual(others, { period, ...counts })
      assert.equal(points.length, Math.min(60, days.length))
      assert.deepEqual([points[0], points.at(-1)], [days[0], days.at(-1)])
      const byDate = new Map(days.map((day) => [day.date, day]))
      for (const point of points) assert.deepEqual(point, byDate.get(point.date))
      assert.deepEqual(
        points.map(({ date }) => date),
        [...new Set(points.map(({ date }) => date))].sort(),
      )
    }
  })

  it('The tool value_list on the Free plan returns the value, and names the plan that a period needs', async () => {
    const { overTime, notes } = await answerOf(await pricesOf('free'), lists[0]!, '30d')
    assert.equal(overTime, null)
    assert.match(notes.join('\n'), /There is no overTime: .*Trader/)
    assert.equal((await answerOf(await pricesOf('business'), lists[0]!, undefined)).overTime, null)
  })
})
