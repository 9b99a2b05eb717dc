/** The pages of sets: what a set costs, its cards in each order, as CSV and as a checklist. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strangerCardsPerMinuteMax } from '../../src/limits.ts'
import { build } from '../support/command.ts'
import { send } from '../support/service.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { rowsOf, textOf } from './person.ts'
import { servePages } from './service-here.ts'

const card = (id: string, number: string | null, name: string, market: number | null, more: object = {}) => ({
  id: `pokemon-base1-${id}`,
  game: 'pokemon',
  setCode: 'base1',
  name,
  number,
  prices: { market },
  ...more,
})
const cards = [
  card('1', '001', 'Alakazam', 10, { rarity: 'Rare', printing: 'Normal' }),
  card('1-r', '1/102', 'Alakazam [Reverse Holofoil]', 4.5, { rarity: 'Rare', printing: 'Reverse Holofoil' }),
  card('2', '2', 'Blastoise', 100, { rarity: 'Rare' }),
  card('10', '10', 'Mewtwo', null, { rarity: 'Common' }),
  card('3', '3', 'Chansey', 7),
  ...Array.from({ length: 120 }, (_, i) => card(`x${i}`, null, `Token ${i}`, 0.01, { setCode: 'tokens' })),
]
const history = `date,id,market,low,high
2026-11-20,pokemon-base1-1,10,,
2026-10-21,pokemon-base1-1,8,,
`

describe('The pages of sets', () => {
  const files = {
    'sets/a.ndjson': [
      { ...aSet, printedTotal: 102 },
      { game: 'pokemon', code: 'tokens', name: 'Tokens', releaseDate: null },
      { game: 'mtg', code: 'lea', name: 'Alpha', releaseDate: '1993-08-05' },
    ],
    'cards/a.ndjson': cards,
    'history/a.csv': history,
    'about.json': JSON.stringify({ currency: 'USD' }),
  }
  const service = servePages((indexDir) => build(snapshotOf(files), indexDir), true)
  let addresses = 0
  const open = (path: string) =>
    send(service.pages, path, { headers: { 'x-forwarded-for': `21/102:db8:${++addresses}::1` } })
  const rows = async (path: string, caption: string) => rowsOf((await open(path)).body, caption)

  it('The list of sets has each set’s game, date, cards and value, the newest set first', async () => {
    assert.deepEqual(await rows('/sets', 'Sets'), [
      ['Set', 'Game', 'Released', 'Cards', 'All cards (USD)'],
      ['Base Set base1', 'Pokémon', '9 Jan 1999', '5', '121.50'],
      ['Alpha lea', 'Magic: The Gathering', '5 Aug 1993', '0', 'unknown'],
      ['Tokens tokens', 'Pokémon', 'unknown', '120', '1.20'],
    ])
  })

  for (const [query, first] of [
    ['sort=name', 'Alpha lea'],
    ['sort=-name', 'Tokens tokens'],
    ['sort=date', 'Alpha lea'],
    ['sort=-cards', 'Tokens tokens'],
    ['sort=value', 'Tokens tokens'],
    ['sort=-value', 'Base Set base1'],
    ['sort=constructor', 'Base Set base1'],
    ['q=token', 'Tokens tokens'],
    ['q=LEA', 'Alpha lea'],
    ['game=mtg', 'Alpha lea'],
    ['game=chess', 'Base Set base1'],
  ] as const) {
    it(`The list of sets begins with ${first} for ${query}`, async () => {
      assert.equal((await rows(`/sets?${query}`, 'Sets'))[1]![0], first)
    })
  }

  it('A set’s page says what one card of each number costs, and what all printings cost', async () => {
    assert.deepEqual(await rows('/sets/pokemon/BASE1', 'What one of each costs'), [
      ['Cards', 'With a price', 'Price (USD)'],
      ['The cheapest printing of each number', '3 of 4', '111.50'],
      ['All printings', '4 of 5', '121.50'],
    ])
    assert.deepEqual((await rows('/sets/pokemon/tokens', 'What one of each costs'))[1]![2], '1.20')
  })

  it('The JSON of a set lists each number with the ids of its printings and the price of the cheapest one', async () => {
    const { body } = await open('/sets/pokemon/base1?format=numbers')
    const numbers: { ids: string[]; cents: number | null }[] = JSON.parse(body)
    assert.deepEqual(
      numbers.map(({ ids, cents }) => [ids.length, cents]),
      [
        [2, 450],
        [1, 10_000],
        [1, 700],
        [1, null],
      ],
    )
  })

  it('A set’s page has its dearest cards, and a table of all by number', async () => {
    const { body } = await open('/sets/pokemon/base1')
    assert.match(textOf(body), /Base Set Game Pokémon Code base1 Released 9 Jan 1999 Cards 5 Printed total 102/)
    assert.deepEqual(
      rowsOf(body, 'Dearest cards').map(([name]) => name),
      [
        'Card',
        'Blastoise 2 · Rare',
        'Alakazam 001 · Rare · Normal',
        'Chansey 3',
        'Alakazam [Reverse Holofoil] 1/102 · Rare · Reverse Holofoil',
      ],
    )
    assert.deepEqual(rowsOf(body, 'Cards of the set'), [
      ['Number ▲', 'Card', 'Rarity', 'Printing', 'Price (USD)', '30 days'].map((head) => head.replace(' ▲', '')),
      ['001', 'Alakazam', 'Rare', 'Normal', '10.00', '▲ up +2.00 ( +25.0 %)'],
      ['1/102', 'Alakazam [Reverse Holofoil]', 'Rare', 'Reverse Holofoil', '4.50', ''],
      ['2', 'Blastoise', 'Rare', '', '100.00', ''],
      ['3', 'Chansey', '', '', '7.00', ''],
      ['10', 'Mewtwo', 'Common', '', 'unknown', ''],
    ])
  })

  for (const [sort, numbers] of [
    ['-number', '10 3 2 1/102 001'],
    ['name', '001 1/102 2 3 10'],
    ['rarity', '10 001 1/102 2 3'],
    ['printing', '001 1/102 2 3 10'],
    ['price', '1/102 3 001 2 10'],
    ['-price', '2 001 3 1/102 10'],
    ['change', '001 1/102 2 3 10'],
    ['constructor', '001 1/102 2 3 10'],
  ] as const) {
    it(`A set’s cards are sorted by ${sort}`, async () => {
      const [, ...shown] = await rows(`/sets/pokemon/base1?sort=${sort}`, 'Cards of the set')
      assert.equal(shown.map(([number]) => number).join(' '), numbers)
    })
  }

  it('A set of 120 cards has two pages, one CSV with one head, and one checklist', async () => {
    const first = await open('/sets/pokemon/tokens?sort=-price')
    assert.match(textOf(first.body), /120 cards, 1 to 100 shown/)
    const [, next] = /href="([^"]*page=2#cards)"/.exec(first.body)!
    assert.equal((await rows(next!.replaceAll('&amp;', '&'), 'Cards of the set')).length, 1 + 20)
    const csv = await open('/sets/pokemon/tokens?format=csv')
    assert.match(String(csv.headers['content-disposition']), /filename="pokemon-tokens.csv"/)
    const lines = csv.body.split('\r\n')
    assert.deepEqual([lines.length, lines.filter((line) => line.startsWith('id,')).length], [1 + 120 + 1, 1])
    assert.equal((await rows('/sets/pokemon/tokens?view=checklist', 'Checklist')).length, 1 + 120)
  })

  for (const path of ['/sets/pokemon/none', '/sets/chess/base1', '/sets/mtg/base1', '/sets/constructor/base1']) {
    it(`A page of sets at ${path} is 404`, async () => assert.equal((await open(path)).status, 404))
  }

  it('A set without cards has a page', async () => {
    assert.match(textOf((await open('/sets/mtg/lea')).body), /All printings 0 of 0 unknown/)
  })

  it('A stranger may open as many pages of sets a minute as pages of cards', async () => {
    const path = '/sets/mtg/lea'
    const ask = () => send(service.pages, path, { headers: { 'x-forwarded-for': '192.0.2.9' } })
    for (let i = 0; i < strangerCardsPerMinuteMax; i++) assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 429)
  })
})
