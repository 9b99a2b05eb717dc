/** A card's page: its other printings, the price that it had last, and how far its history reaches. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { build } from '../support/command.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { rowsOf, textOf } from './person.ts'
import { servePages } from './service-here.ts'

const scryfallId = '5f8287b1-5bb6-4f4c-ad17-316a40d5bb0c'
const pineco = (id: string, more: object) => ({ id: `pokemon-base1-${id}`, game: 'pokemon', setCode: 'base1', ...more })
const cards = [
  pineco('17', { name: 'Pineco', number: '17', printing: 'Normal', prices: { market: 1 } }),
  pineco('17-r', {
    name: 'Pineco [Reverse Holofoil]',
    number: '17',
    printing: 'Reverse Holofoil',
    prices: { market: 3 },
  }),
  pineco('18', { name: 'Pineco (Full Art)', number: '18', printing: 'Normal', prices: { market: 9 } }),
  pineco('20', { name: 'Pineco', number: '20', setCode: 'jungle', prices: { market: 2 } }),
  pineco('30', { name: 'Alpha', number: '30', scryfallId, printing: 'Normal', prices: { market: 4 } }),
  pineco('31', { name: 'Beta', number: '31', scryfallId, setCode: 'jungle', printing: 'Foil', prices: { market: 5 } }),
  pineco('40', { name: 'Gone', number: '40' }),
  pineco('41', { name: 'Never', number: '41' }),
]
const history = `date,id,market,low,high
2026-11-20,pokemon-base1-17,1,,9999
2026-10-01,pokemon-base1-17,2,,
2026-11-20,pokemon-base1-30,4,,
2026-11-19,pokemon-base1-30,5,,
2026-11-13,pokemon-base1-30,3,,
2026-08-12,pokemon-base1-40,3.2,,
2026-08-13,pokemon-base1-40,,1,
`

describe('A card’s page', () => {
  const files = {
    'sets/a.ndjson': [aSet, { ...aSet, code: 'jungle', name: 'Jungle' }],
    'cards/a.ndjson': cards,
    'history/a.csv': history,
  }
  const service = servePages((indexDir) => build(snapshotOf(files), indexDir))
  const pageOf = async (id: string) => {
    const { person } = await service.shop('trader')
    return (await person.open(`/dashboard/cards/pokemon-base1-${id}`)).body
  }

  it('The page of a card lists its reverse holo as another printing, and the other way round', async () => {
    assert.deepEqual(rowsOf(await pageOf('17'), 'Other printings').slice(1), [['17 · Reverse Holofoil', '3.00']])
    const reverse = await pageOf('17-r')
    assert.deepEqual(rowsOf(reverse, 'Other printings').slice(1), [['17 · Normal', '1.00']])
    assert.deepEqual(rowsOf(reverse, 'In other sets').slice(1), [['Jungle · 20', '2.00']])
  })

  it('The page of the card "Pineco (Full Art)" does not list "Pineco" as another printing', async () => {
    assert.ok(!(await pageOf('18')).includes('Other printings'))
  })

  it('The page of a card lists other cards of its product as printings, even with another name or in another set', async () => {
    assert.deepEqual(rowsOf(await pageOf('30'), 'Other printings').slice(1), [['31 · Foil Jungle', '5.00']])
  })

  it('The page of a card without a price shows the last known price with its date, and no row of unknown changes', async () => {
    const page = await pageOf('40')
    assert.match(textOf(page), /Last known price: 3\.20 on 12 Aug 2026/)
    assert.ok(!page.includes('aria-label="Changes"'))
    assert.match(textOf(page), / Market price unknown .* Prices No price of this card is known today\. /)
    assert.ok(!(await pageOf('41')).includes('Last known price'))
  })

  it('The page of a card names the periods without a known price in one sentence, and has a row for each other period', async () => {
    const [, changes = ''] = / Market price 4\.00 (.*?) 8 days’ low/.exec(textOf(await pageOf('30'))) ?? []
    assert.equal(
      changes,
      '1 day ▼ down −1.00 ( −20.0 %) 7 days ▲ up +1.00 ( +33.3 %) No price is known from 30 days, 90 days or 1 year ago.',
    )
  })

  it('The table of prices on a card’s page has no row for an unknown price', async () => {
    assert.deepEqual(rowsOf(await pageOf('30'), 'Prices').slice(1), [['Market', '4.00']])
  })

  it('The top bar marks exactly one link as the current one', async () => {
    const { person } = await service.shop('trader')
    const current: Record<string, string> = {
      '/dashboard': 'Dashboard',
      '/dashboard/keys': 'Dashboard',
      '/dashboard/look-up': 'Look up',
      '/dashboard/value': 'Value a list',
      '/dashboard/cards/pokemon-base1-17': 'Dashboard',
      '/sets': 'Sets',
      '/sets/pokemon/base1': 'Sets',
    }
    for (const [path, label] of Object.entries(current)) {
      const [bar = ''] = /<nav aria-label="Site">[\s\S]*?<\/nav>/.exec((await person.open(path)).body) ?? []
      const marked = [...bar.matchAll(/<a [^>]*aria-current[^>]*>([^<]*)</g)].map(([, text]) => text)
      assert.deepEqual(marked, [label], path)
    }
  })

  it('The price range on a card’s page names how many days the history has, if it is less than a year', async () => {
    const page = await pageOf('17')
    assert.match(textOf(page), /51 days’ low 1\.00 20 Nov 2026 51 days’ high 2\.00 1 Oct 2026/)
    assert.match(
      page,
      /class="range-line" role="img" aria-label="Today’s price is 0% of the way from the low to the high"/,
    )
  })
})
