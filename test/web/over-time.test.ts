/** "Over time" on the page of a valued list: its figures beside a naive sum, what moved, and who sees it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeHTMLStrict } from 'entities'
import { type DrawnList, drawnLists, naiveMoved, naiveWorth, worthSnapshot } from '../client/drawn-worth.ts'
import { build } from '../support/command.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { Person } from './person.ts'
import { servePages } from './service-here.ts'

const service = servePages((indexDir) => build(snapshotOf(worthSnapshot), indexDir))
const lists = drawnLists(20)
const periods = ['30d', '90d', '1y'] as const

const textOf = (markup: string): string =>
  decodeHTMLStrict(markup.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()

async function valued(person: Person, { text }: Pick<DrawnList, 'text'>): Promise<string> {
  const { status, body } = await person.press('Value it', { list: text })
  assert.equal(status, 200)
  return body
}

/** The days of a period's table, oldest first. */
function daysIn(body: string, period: string): { date: string; total: number }[] {
  const [, table = ''] = new RegExp(`<table[^>]* id="worth-days-${period}">([\\s\\S]*?)</table>`).exec(body) ?? []
  return [...table.matchAll(/<time datetime="([\d-]+)">[\s\S]*?<data value="([\d.]+)">/g)]
    .map(([, date, total]) => ({ date: date!, total: Number(total) }))
    .reverse()
}

/** The counts that the caption of a period names. */
function countsIn(body: string, period: string): Record<'counted' | 'leftOut' | 'backfilled', number> {
  const [, part = ''] =
    new RegExp(`<div class="of-${period}">[\\s\\S]*?<p class="hint">([\\s\\S]*?)</p>`).exec(body) ?? []
  const caption = textOf(part)
  const numberIn = (pattern: RegExp) => Number(pattern.exec(caption)?.[1] ?? 0)
  return {
    counted: numberIn(/^(\d+) lines? at the market price/),
    leftOut: numberIn(/Left out: (\d+) /),
    backfilled: numberIn(/(\d+) lines? (?:has its|have their) first price later/),
  }
}

const cents = (amount: number) => Math.round(amount * 100)

/** `−3.11 (−1.3%)`, without sign and words; `unchanged`; undefined if it is unknown. */
function changeOver(days: readonly { readonly total: number }[], over: number): string {
  const [now, before] = [days.at(-1)!, days.at(-1 - over)]
  if (before === undefined) return 'unknown'
  const amount = cents(now.total) - cents(before.total)
  if (amount === 0) return 'unchanged'
  const tenths = Math.round((Math.abs(amount) * 1000) / cents(before.total)) / 10
  const sign = amount > 0 ? '+' : '−'
  const share = tenths === 0 ? '0.0' : `${sign}${tenths.toFixed(1)}`
  const grouped = (Math.abs(amount) / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')
  const shares = cents(before.total) === 0 ? '' : ` (${share}%)`
  return `${amount > 0 ? '▲ up +' : '▼ down −'}${grouped}${shares}`
}

describe('The section "Over time" of a valued list', () => {
  it('The section "Over time" of a random list has the figures of a naive sum, for each period', async () => {
    const { person } = await service.shop('business', '/dashboard/value')
    for (const list of lists) {
      const body = await valued(person, list)
      for (const period of periods) {
        const { days, counted, leftOut, backfilled } = naiveWorth(list, period)
        assert.deepEqual(daysIn(body, period), days, `${period} of\n${list.text}`)
        if (days.length > 0) assert.deepEqual(countsIn(body, period), { counted, leftOut, backfilled }, list.text)
      }
      const { days } = naiveWorth(list, '1y')
      if (days.length === 0) continue
      const [, changes = ''] = /<dl class="changes" aria-label="Changes">([\s\S]*?)<\/dl>/.exec(body) ?? []
      const now = (cents(days.at(-1)!.total) / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')
      const wanted = [`Now${now} USD`, ...[7, 30, 90].map((over) => `${over} days${changeOver(days, over)}`)]
      assert.deepEqual(
        [...changes.matchAll(/<div>[\s\S]*?<\/div>/g)].map(([one]) => textOf(one)),
        wanted,
      )
    }
  })

  it('The page of a valued list names the ten lines whose amount changed most in 30 days', async () => {
    const { person } = await service.shop('business', '/dashboard/value')
    for (const list of lists.slice(0, 8)) {
      const body = await valued(person, list)
      const [, table = ''] = /id="moved"[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(body) ?? []
      const rows = [...table.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) =>
        [...row.matchAll(/<data value="(-?\+?[\d.]+)">/g)].map(([, value]) => Number(value)),
      )
      const found = rows.map(([quantity, from, to]) => [quantity, cents(from!), cents(to!)])
      const wanted = naiveMoved(list)
      const sizes = (moved: readonly (readonly (number | undefined)[])[]) =>
        moved.map(([, from, to]) => Math.abs(to! - from!))
      assert.deepEqual(sizes(found), sizes(wanted).slice(0, 10))
      for (const row of found)
        assert.ok(
          wanted.some((one) => String(one) === String(row)),
          String(row),
        )
    }
  })

  it('The caption of a list’s chart says how many lines the total values by condition, not at the market price', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    const id = 'pokemon-base1-000'
    const [with_, without] = [
      await valued(person, { text: `Quantity,Id,Condition\n2,${id},Near Mint\n1,${id},` }),
      await valued(person, { text: `Quantity,Id,Condition\n2,${id},Heavily Played\n1,${id},` }),
    ]
    const said = /The last point is the sum of market prices; the total counts 1 line at the price of its condition\./
    assert.match(textOf(with_), said)
    assert.doesNotMatch(textOf(without), /The last point is/)
  })

  it('The page of a list with prices of only 20 days says once which changes are unknown', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    const said = textOf(await valued(person, { text: '1 pokemon-base1-003' }))
    assert.match(said, /Now[\d.]+ USD 7 days.* No price is known from 30 days or 90 days ago\. /)
    assert.doesNotMatch(said, /days ?unknown/)
  })

  it('The page says that no line of a list has a history, and has no section "Over time" for a list without a total', async () => {
    const { person } = await service.shop('trader', '/dashboard/value')
    assert.match(
      textOf(await valued(person, { text: '1 pokemon-base1-006' })),
      /No line of this list has a price history/,
    )
    const unsure = await valued(person, { text: 'Held,Id\n1,pokemon-base1-000' })
    assert.match(unsure, /No total yet/)
    assert.doesNotMatch(unsure, /id="over-time"/)
  })

  it('Each card’s series is decoded once, however many lines name it', async () => {
    const data = (await service.data.open())!
    const decoded: number[] = []
    const { marketRuns } = data.history
    Object.defineProperty(data.history, 'marketRuns', {
      configurable: true,
      value(card: number, days: number) {
        decoded.push(card)
        return marketRuns.call(data.history, card, days)
      },
    })
    const { person } = await service.shop('trader', '/dashboard/value')
    await valued(person, { text: '1 pokemon-base1-001\n2 pokemon-base1-000\n'.repeat(30) })
    Reflect.deleteProperty(data.history, 'marketRuns')
    assert.equal(decoded.length, 2)
    assert.equal(new Set(decoded).size, 2)
  })

  it('The section "Over time" of a valued list counts no request of its own', async () => {
    const { person, key } = await service.shop('trader', '/dashboard/value')
    await valued(person, { text: Array.from({ length: 20 }, (_, i) => `1 pokemon-base1-0${10 + i}`).join('\n') })
    const reply = await fetch(`${service.address}/v1/games`, { headers: { 'x-api-key': key } })
    assert.equal(reply.headers.get('x-ratelimit-remaining'), '9998')
  })

  it('Strangers and accounts on the Free plan see a sentence about plans in the section "Over time"', async () => {
    const { person } = await service.shop('free', '/dashboard/value')
    const free = await valued(person, lists[0]!)
    assert.match(textOf(free), /Over time What a list was worth over time comes with the Trader plan and above\./)
    const stranger = new Person(service.pages)
    await stranger.open('/value')
    const seen = await valued(stranger, { text: '1 pokemon-base1-000' })
    assert.match(seen, /comes with the Trader plan and above: <a href="\/#plans">see the plans<\/a>/)
    for (const body of [free, seen]) assert.doesNotMatch(body, /worth-days|uplot|charts\.js/)
  })
})
