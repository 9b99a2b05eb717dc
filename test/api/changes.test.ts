/** Changes of cards, and movers, over HTTP: what a plain reading of the same history finds. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { changedOn, type PlainMovement, plainChanges, plainMovers, plainPeriods } from '../reference/changes.ts'
import { asOf, drawnCards, filesOf, inOrder } from '../reference/moved-cards.ts'
import { amount, someOf } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { idsIn, serveForms } from './served-forms.ts'

const games = ['pokemon', 'mtg', 'fab'] as const
const drawnDay = (random: Random) => drawFrom(random, [null, asOf - drawBelow(random, 370), asOf, asOf + 1, asOf + 9])
const cards = ((random) =>
  inOrder(drawnCards(random, amount(120, 600), games)).map((card, i) => {
    const day = drawnDay(random)
    const updatedAt = day === null ? null : `${dateOfDay(day)}T23:59:59Z`
    const market = drawFrom(random, [null, 0, 100, 101, 5000])
    return { ...card, updatedAt, market, rows: i % 4 === 0 && i > 0 ? new Map<number, number | null>() : card.rows }
  }))(randomFrom(31))
const noHistory = { id: 'fab-none', game: 'fab', setCode: 'b', rows: new Map(), updatedAt: null, market: null } as const
const all = [...cards, noHistory]

const served = serveForms(() => snapshotOf(filesOf(all)))
const { ask } = served

it('A card’s price changes are those that a reference implementation computes from its history', async () => {
  for (const { id, rows } of [...someOf(cards, 60), noHistory]) {
    const { body } = await ask(`/v1/cards/${id}/changes`)
    assert.equal(body, JSON.stringify(plainChanges(id, rows, asOf)))
  }
})

const minPrices = [undefined, ...'0 0.02 0.99 1 1.00 1.01 2.5 10 123.45 9999999 10000000 10000000.01'.split(' ')]

interface Asked extends PlainMovement {
  readonly game: (typeof games)[number] | undefined
  readonly set: string | undefined
  readonly minPrice: string | undefined
}

function expectedOf(asked: Asked) {
  const scope = all.filter(
    ({ game, setCode }) =>
      (asked.game === undefined || game === asked.game) && (asked.set === undefined || setCode === asked.set),
  )
  const rows = scope.map((card) => card.rows)
  return plainMovers(rows, asOf, asked).map(({ card, change }) => ({ id: scope[card]!.id, change }))
}

const combinations: Asked[] = [undefined, ...games].flatMap((game) =>
  Object.keys(plainPeriods).flatMap((period) =>
    (['up', 'down'] as const).flatMap((direction) =>
      (['percent', 'amount'] as const).flatMap((by) =>
        minPrices.flatMap((minPrice) =>
          [undefined, 'a', 'b'].map((set) => ({
            game,
            period,
            direction,
            by,
            set,
            minPrice,
            minCents: minPrice === undefined ? 100 : Math.round(100 * Number(minPrice)),
          })),
        ),
      ),
    ),
  ),
)

it('Every page of movers, for any combination of parameters, matches a reference implementation', async () => {
  const random = randomFrom(32)
  let found = 0
  for (const asked of someOf(combinations, 150)) {
    const expected = expectedOf(asked)
    found += expected.length
    const limit = drawFrom(random, [1, 7, 20, 100])
    const { game, set, period, direction, by, minPrice } = asked
    const given = Object.entries({ game, set, period, direction, by, min_price: minPrice, limit })
    const query = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&')
    const firstPage = drawBelow(random, Math.ceil(expected.length / limit) + 1)
    for (let offset = firstPage * limit; ; offset += limit) {
      const { json } = await ask(`/v1/movers?${query}&offset=${offset}`)
      const message = `${query}&offset=${offset}`
      const data = json.data.map(({ id, change }: { id: string; change: object }) => ({ id, change }))
      const wanted = { data: expected.slice(offset, offset + limit), total: expected.length, limit, offset }
      assert.deepEqual({ ...json, data }, wanted, message)
      if (offset + limit >= expected.length) break
    }
  }
  assert.ok(found > amount(100, 300), `${found} movers`)
})

it('A mover is a search summary plus its change, and by default movers are the week’s rises in percent', async () => {
  const { json } = await ask('/v1/movers')
  assert.ok(json.total > 0)
  for (const { change, ...summary } of json.data) {
    assert.deepEqual(Object.keys(change), ['period', 'from', 'to', 'amount', 'percent'])
    const number = summary.id.slice(-6)
    const found = (await ask(`/v1/search?q=card&game=${summary.game}&number=${number}`)).json.data
    assert.equal(JSON.stringify([summary]), JSON.stringify(found))
  }
  const usual = '/v1/movers?period=7d&direction=up&by=percent&min_price=1&limit=20&offset=0'
  assert.deepEqual((await ask(usual)).json, json)
})

it('Lists and searches sort by the week’s change in percent, with unknown changes last', async () => {
  for (const sign of [1, -1] as const) {
    const sort = sign === 1 ? 'change' : '-change'
    const percents = cards
      .filter(({ game }) => game === 'pokemon')
      .map(({ id, rows }) => {
        const { data } = plainChanges(id, rows, asOf) as {
          data: { changes: Record<string, { percent: number | null } | null> }
        }
        return { id, percent: data.changes['7d']?.percent ?? null }
      })
    const known = percents.filter(({ percent }) => percent !== null).sort((a, b) => sign * (a.percent! - b.percent!))
    const expected = [...known, ...percents.filter(({ percent }) => percent === null)].map(({ id }) => id)
    for (const path of ['/v1/cards?game=pokemon', '/v1/search?q=card&game=pokemon']) {
      const { json } = await ask(`${path}&sort=${sort}&limit=100`)
      assert.deepEqual(idsIn({ json }), expected.slice(0, 100), `${path} ${sort}`)
    }
  }
})

/** The day that counts as a card's change. */
const changeDays = all.map((card) => changedOn(card.rows) ?? dayOfDate(card.updatedAt?.slice(0, 10) ?? ''))

it('The parameter changed_since, with other filters, finds the cards that a reference implementation finds', async () => {
  const random = randomFrom(33)
  const maybe = <Value>(values: readonly Value[]) => (drawBelow(random, 3) === 0 ? drawFrom(random, values) : undefined)
  let found = 0
  // Each day of the first and the last fortnight, and some between.
  const stepOf = (since: number) => (since > asOf - 352 && since < asOf - 14 ? amount(5, 1) : 1)
  for (let since = asOf - 366; since <= asOf + 2; since += stepOf(since)) {
    for (const isSearch of [true, false]) {
      const asked = {
        game: isSearch ? maybe(games) : drawFrom(random, games),
        set: maybe(['a', 'b']),
        min_price: maybe(['0', '1', '1.01']),
        max_price: maybe(['1.01', '50']),
        printing: maybe(['normal', 'foil']),
        number: drawBelow(random, 9) === 0 ? drawFrom(random, cards).id.slice(-6) : undefined,
      }
      const fits = (name: keyof typeof asked, value: unknown) => asked[name] === undefined || asked[name] === value
      const expected = all.filter((card, i) => {
        const day = changeDays[i]!
        const cents = card.market
        const isPriced =
          (asked.min_price === undefined || (cents !== null && cents >= 100 * Number(asked.min_price))) &&
          (asked.max_price === undefined || (cents !== null && cents <= 100 * Number(asked.max_price)))
        const isOfCard = fits('game', card.game) && fits('set', card.setCode) && fits('number', card.id.slice(-6))
        return day > since && since <= asOf && isPriced && isOfCard && fits('printing', i % 2 === 0 ? 'normal' : 'foil')
      })
      found += expected.length
      const given = Object.entries({ ...asked, changed_since: dateOfDay(since), limit: 100 })
      const query = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&')
      const offset = 100 * drawBelow(random, 1 + expected.length / 100)
      const { json } = await ask(`/v1/${isSearch ? 'search?q=card&' : 'cards?'}${query}&offset=${offset}`)
      assert.equal(json.total, expected.length, query)
      const wanted = expected.slice(offset, offset + 100).map(({ id }) => id)
      assert.deepEqual(idsIn({ json }), wanted, query)
    }
  }
  assert.ok(found > amount(300, 1000), `${found} cards`)
})
