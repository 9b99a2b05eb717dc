/** How prices have changed, on the pages: beside a card's price, and the movers of the week. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dateOfDay } from '../../src/calendar.ts'
import { asOf } from '../reference/moved-cards.ts'
import { build } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { rowsOf, textOf } from './person.ts'
import { servePages } from './service-here.ts'

// Days are those of UTC, wherever the server stands.
process.env['TZ'] = 'America/New_York'

/** By game and name, prices by days before the newest. */
const histories: readonly [game: string, name: string, prices: Readonly<Record<number, number>>][] = [
  ['pokemon', 'Riser', { 0: 1234.5, 1: 1240, 7: 1000, 30: 1234.5, 371: 2000 }],
  ['pokemon', 'Faller', { 0: 9, 7: 10 }],
  ['pokemon', 'Penny', { 0: 0.02, 7: 0.01 }],
  ['mtg', 'Other', { 0: 30, 7: 10 }],
  ['mtg', 'Still', { 0: 5 }],
]
const idOf = (game: string, name: string) => `${game}-${name.toLowerCase()}`
const service = servePages((indexDir) => {
  const rows = histories.flatMap(([game, name, prices]) =>
    Object.entries(prices).map(([age, price]) => `${dateOfDay(asOf - Number(age))},${idOf(game, name)},${price},,`),
  )
  const files = {
    'sets/s.ndjson': [aSet, { ...aSet, game: 'mtg' }],
    'cards/c.ndjson': [
      ...histories.map(([game, name, { 0: market }]) => ({
        ...{ ...aCard, game, name, id: idOf(game, name), prices: { market } },
      })),
      { ...aCard, id: 'pokemon-new', name: 'New' },
    ],
    'history/h.csv': `date,id,market,low,high\n${rows.join('\n')}\n`,
  }
  return build(snapshotOf(files), indexDir)
})

it('a card has its changes beside the price, with sign, arrow and word; plans without a history have none', async () => {
  const { person } = await service.shop('trader')
  const text = textOf((await person.open('/dashboard/cards/pokemon-riser')).body)
  assert.match(text, /Market price 1,234\.50 1 day ▼ down −5\.50 \( −0\.4 %\)/)
  assert.match(text, /7 days ▲ up \+234\.50 \( \+23\.5 %\) 30 days unchanged 90 days unknown 1 year ▼ down −765\.50 /)
  assert.match(text, /Year’s low 1,000\.00 13 Nov 2026 Year’s high 1,240\.00 19 Nov 2026/)
  const nothing = textOf((await person.open('/dashboard/cards/pokemon-new')).body)
  assert.match(nothing, /Market price unknown 1 day unknown 7 days unknown .*Year’s low unknown Year’s high unknown/)
  const bars = async (id: string) => /class="range-bar"/.test((await person.open(`/dashboard/cards/${id}`)).body)
  assert.deepEqual([await bars('pokemon-riser'), await bars('mtg-still')], [true, false], 'where one price is no range')
  const { person: free } = await service.shop('free')
  const bare = textOf((await free.open('/dashboard/cards/pokemon-riser')).body)
  assert.match(bare, /Market price 1,234\.50 Prices/)
  const movers = textOf((await free.open('/dashboard/look-up')).body)
  assert.match(movers, /Movers of the week Movers come with the Trader plan and above/)
})

it('the tab "Look up" has the movers of the week, of all games or of the one that is chosen', async () => {
  const { person } = await service.shop('business', '/dashboard/look-up')
  const of = (caption: string) => rowsOf(person.page!.body, caption).slice(1)
  assert.deepEqual(of('Biggest rises'), [
    ['Other Base Set', '30.00', '▲ up +20.00 ( +200.0 %)'],
    ['Riser Base Set', '1,234.50', '▲ up +234.50 ( +23.5 %)'],
  ])
  assert.deepEqual(of('Biggest falls'), [['Faller Base Set', '9.00', '▼ down −1.00 ( −10.0 %)']])
  await person.press('Show', { game: 'mtg' })
  assert.deepEqual(of('Biggest rises'), [['Other Base Set', '30.00', '▲ up +20.00 ( +200.0 %)']])
  assert.match(person.page!.body, /<option value="mtg" selected>/)
  assert.match(textOf(person.page!.body), /Biggest falls: none\./)
  assert.equal((await person.open('/dashboard/look-up?game=%3Cb%3E')).status, 200)
})
