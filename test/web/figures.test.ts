/** Figures and links of the pages against the API's own responses: prices, amounts, counts and addresses of every card, set and game. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { games } from '../../build/games/default-games.ts'
import { build } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { send } from '../support/service.ts'
import type { Person } from './person.ts'
import { servePages } from './service-here.ts'

const conditions = {
  near_mint: 'Near mint',
  lightly_played: 'Lightly played',
  moderately_played: 'Moderately played',
  heavily_played: 'Heavily played',
  damaged: 'Damaged',
} as const

/** `bgs_9_5` → `BGS 9.5` */
const gradeName = (key: string): string => {
  const [grader = '', ...grade] = key.split('_')
  return `${grader.toUpperCase()} ${grade.join('.')}`
}

describe('The figures of the pages beside the API’s', () => {
  const service = servePages((dir) => build(fixtureSnapshot(), dir))
  let person: Person
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has its own body
  let ask: (path: string) => Promise<any>
  before(async () => {
    const shop = await service.shop('business')
    person = shop.person
    ask = async (path) => (await send(service.address, path, { headers: { 'x-api-key': shop.key } })).json
  })

  /** The rows of a page's table: the text of the head, and the values of the figures behind it. */
  async function rowsOf(path: string, caption: string) {
    const { body, status } = await person.open(path)
    assert.equal(status, 200, path)
    const table = body.split('<table').find((text) => text.includes(`>${caption}</caption>`)) ?? ''
    return [
      ...table.split('</table>')[0]!.matchAll(/<tr>(?:<td[^>]*>[^<]*<\/td>)?<th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs),
    ].map(([, head, cells]) => ({
      head: head!
        .replace(/<span class="hint">.*/, '')
        .replace(/<[^>]*>/g, '')
        .trim(),
      link: /href="([^"]*)"/.exec(head!)?.[1]?.replaceAll('&amp;', '&'),
      values: [...cells!.matchAll(/<data value="([^"]*)">/g)].map(([, value]) => Number(value)),
    }))
  }

  it('The pages show each price of each card as the API has it', async () => {
    const byGame = await Promise.all(games.map(({ id }) => ask(`/v1/cards?game=${id}&limit=100&view=extended`)))
    const cards = byGame.flatMap(({ data }) => data)
    assert.ok(cards.length > 20, `${cards.length} cards`)
    for (const card of cards) {
      const { market, low, mid, high, conditions: byCondition, graded } = card.prices
      const amounts: [string, number | null][] = [
        ...Object.entries({ Market: market, Low: low, Mid: mid, High: high }),
        ...Object.entries(byCondition as Record<string, number>).map(([key, price]): [string, number] => [
          conditions[key as keyof typeof conditions],
          price,
        ]),
        ...Object.entries(graded as Record<string, number>).map(([key, price]): [string, number] => [
          gradeName(key),
          price,
        ]),
        ...(card.markets as { market: string; price: number | null }[]).map(
          ({ market: name, price }): [string, number | null] => [name, price],
        ),
      ]
      const expected = amounts.filter(([, price]) => price !== null)
      const found = (await rowsOf(`/dashboard/cards/${card.id}`, 'Prices')).map(({ head, values }) => [
        head,
        values[0] ?? null,
      ])
      for (const row of expected) {
        assert.ok(
          found.some(([name, price]) => name === row[0] && price === row[1]),
          `${card.id}: ${row} is not in ${JSON.stringify(found)}`,
        )
      }
      for (const [name, price] of found) {
        if (price === null) continue
        assert.ok(
          expected.some((row) => row[0] === name && row[1] === price),
          `${card.id}: ${name} ${price} is not of the card`,
        )
      }
    }
  })

  it('The pages show each card of a set in the API’s order, with its address and market price', async () => {
    const { data: sets } = await ask('/v1/sets')
    for (const { game, code, cardCount } of sets) {
      const { data: cards } = await ask(`/v1/cards?game=${game}&set=${code}&limit=100`)
      const path = `/dashboard/look-up?game=${game}&set=${encodeURIComponent(code)}`
      const rows = await rowsOf(path, 'Cards found')
      if (cardCount > 0) {
        const said = /<data value="(\d+)">\d+<\/data> cards?\b/.exec(person.page!.body)?.[1]
        assert.equal(Number(said), cardCount, code)
      }
      const expected = cards.map((card: { id: string; prices: { market: number | null } }) => [
        `/dashboard/cards/${card.id}`,
        card.prices.market === null ? [] : [card.prices.market],
      ])
      assert.deepEqual(
        rows.map(({ link, values }) => [link, values]),
        expected.slice(0, rows.length),
      )
      assert.equal(rows.length, Math.min(cardCount, 20), code)
    }
  })

  it('The first page shows each game and the newest sets as the API has them', async () => {
    const { data } = await ask('/v1/games')
    const rows = await rowsOf('/', 'Games')
    assert.deepEqual(
      rows.map(({ link, values }) => [link, values]),
      data
        .filter(({ cardCount }: { cardCount: number }) => cardCount > 0)
        .map(({ id, setCount, cardCount }: { id: string; setCount: number; cardCount: number }) => [
          `/dashboard/look-up?game=${id}`,
          [setCount, cardCount],
        ]),
    )
    const { data: sets } = await ask('/v1/sets')
    const newest = await rowsOf('/', 'Newest sets')
    assert.deepEqual(
      newest.map(({ head, link }) => [head, link]),
      sets
        .slice(0, newest.length)
        .map(({ name, game, code }: Record<string, string>) => [
          name,
          `/dashboard/look-up?game=${game}&set=${encodeURIComponent(code!)}`,
        ]),
    )
  })
})
