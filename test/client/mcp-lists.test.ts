/** Lists and histories as card-prices-mcp reads them, without a server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pointsMax, pointsOf, summaryOf } from '../../clients/mcp/src/history-points.ts'
import { readStockList, type StockLine } from '../../clients/mcp/src/stock-list.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

type Row = readonly [text: string, quantity: number, wanted: StockLine['wanted']]

const table: readonly Row[] = [
  ['4 Charizard 4/102 Base Set', 4, { name: 'Charizard', number: '4/102', set: 'Base Set' }],
  ['Charizard', 1, { name: 'Charizard' }],
  [
    '2x Blue-Eyes White Dragon LOB-001 - Legend of Blue Eyes',
    2,
    { name: 'Blue-Eyes White Dragon', number: 'LOB-001', set: 'Legend of Blue Eyes' },
  ],
  ['3× Monkey.D.Luffy OP01-003', 3, { name: 'Monkey.D.Luffy', number: 'OP01-003' }],
  ['1 Mew ex, #151, Pokémon 151', 1, { name: 'Mew ex', number: '151', set: 'Pokémon 151' }],
  [
    '1 Pidgey 16/102 Base Set Reverse Holo',
    1,
    { name: 'Pidgey', number: '16/102', set: 'Base Set', printing: 'Reverse Holo' },
  ],
  [
    '1 Mew 8/64 Jungle 1st Edition Holofoil',
    1,
    { name: 'Mew', number: '8/64', set: 'Jungle', printing: '1st Edition Holofoil' },
  ],
  ['4 Lightning Bolt (2X2) 117', 4, { name: 'Lightning Bolt', set: '2X2', number: '117' }],
  ['1 Sol Ring (C21) 263 *F*', 1, { name: 'Sol Ring', set: 'C21', number: '263', printing: 'Foil' }],
  ['3 Abomasnow 011 Paldea Evolved', 3, { name: 'Abomasnow', number: '011', set: 'Paldea Evolved' }],
  ['Mew ex 25 Pokémon 151', 1, { name: 'Mew ex', number: '25', set: 'Pokémon 151' }],
  ['Charizard 4/130 Base Set 2', 1, { name: 'Charizard', number: '4/130', set: 'Base Set 2' }],
  ['Nami P-053_r1 The Best', 1, { name: 'Nami', number: 'P-053_r1', set: 'The Best' }],
  ['2 Nami (Alternate Art)', 2, { name: 'Nami (Alternate Art)' }],
  ['Urza, Lord High Artificer', 1, { name: 'Urza, Lord High Artificer' }],
  ['pokemon-base1-004', 1, { id: 'pokemon-base1-004' }],
  ['12 mtg-unh-023', 12, { id: 'mtg-unh-023' }],
  ['pokemon-Base1 004', 1, { name: 'pokemon-Base1', number: '004' }],
  ['Zorua SV25 Hidden Fates', 1, { name: 'Zorua', number: 'SV25', set: 'Hidden Fates' }],
  ['リザードンex 006/165', 1, { name: 'リザードンex', number: '006/165' }],
]

interface Csv {
  readonly name: string
  readonly text: string
  readonly lines: readonly Row[]
  readonly ignored?: readonly string[]
}

const csvs: readonly Csv[] = [
  {
    name: 'columns without a header',
    text: '4;Charizard;4/102;Base Set;Holo\n1;Pidgey;;Jungle\nMew;8/64\n',
    lines: [
      ['4;Charizard;4/102;Base Set;Holo', 4, { name: 'Charizard', number: '4/102', set: 'Base Set', printing: 'Holo' }],
      ['1;Pidgey;;Jungle', 1, { name: 'Pidgey', set: 'Jungle' }],
      ['Mew;8/64', 1, { name: 'Mew', number: '8/64' }],
    ],
  },
  {
    name: 'an export with a header, quotes, and columns that nobody reads',
    text: '\ufeffTotal Quantity,Product Name,Number,Set Name,Rarity,Condition,Product Line\r\n3,"Urza, Lord High Artificer",75,Modern Horizons,Mythic,NM,Magic\r\n,"He said ""no""",,,,,\r\n',
    lines: [
      [
        '3,Urza, Lord High Artificer,75,Modern Horizons,Mythic,NM,Magic',
        3,
        { name: 'Urza, Lord High Artificer', number: '75', set: 'Modern Horizons', game: 'Magic' },
      ],
      [',He said "no",,,,,', 1, { name: 'He said "no"', game: 'mtg' }],
    ],
    ignored: ['Rarity', 'Condition'],
  },
  {
    name: 'ids, and a quantity that is none',
    text: 'id\tqty\nmtg-unh-023\t2\n12345\t1\nmtg-unh-024\tmany\n',
    lines: [
      ['mtg-unh-023\t2', 2, { id: 'mtg-unh-023' }],
      ['12345\t1', 1, undefined],
      ['mtg-unh-024\tmany', 1, undefined],
    ],
  },
]

const read = (text: string, game?: string): Row[] =>
  readStockList(text, game).lines.map(({ text, quantity, wanted }) => [text, quantity, wanted])

describe('a list', () => {
  for (const row of table) it(row[0], () => assert.deepEqual(read(`\n  ${row[0]} \r\n`), [row]))

  for (const { name, text, lines, ignored = [] } of csvs) {
    it(name, () => {
      assert.deepEqual(read(text, name.startsWith('an export') ? 'mtg' : undefined), lines)
      assert.deepEqual(readStockList(text).ignored, ignored)
    })
  }

  it('has its lines’ numbers, and a game for those that name none', () => {
    const { lines } = readStockList('Charizard\n\nmtg-unh-023\n', 'pokemon')
    assert.deepEqual(
      lines.map(({ line, wanted }) => [line, wanted]),
      [
        [1, { name: 'Charizard', game: 'pokemon' }],
        [3, { id: 'mtg-unh-023' }],
      ],
    )
  })

  it('of any text is read', () => {
    const random = randomFrom('lists')
    const pieces = [
      '4',
      'x ',
      ' ',
      ';',
      ',',
      '\t',
      '\n',
      '\r\n',
      '"',
      'Charizard',
      '4/102',
      '(2X2)',
      '#',
      'name',
      'qty',
      'mtg-a',
      'é',
      '-',
      '*F*',
    ]
    for (let round = 0; round < amount(500, 20_000); round++) {
      const text = Array.from({ length: drawBelow(random, 30) }, () => drawFrom(random, pieces)).join('')
      for (const { quantity, wanted } of readStockList(text).lines) {
        assert.ok(Number.isInteger(quantity) && quantity >= 0)
        if (wanted !== undefined && 'name' in wanted) assert.notEqual(wanted.name.trim(), '')
      }
    }
  })
})

describe('a history', () => {
  it('is at most 60 points, which keep its end and its extremes', () => {
    const random = randomFrom('points')
    const price = () => (random() < 0.2 ? null : drawBelow(random, 10_000) / 100)
    for (let round = 0; round < amount(60, 1000); round++) {
      const days = Array.from({ length: drawBelow(random, 400) }, (_, i) => ({
        date: `day ${i}`,
        market: price(),
        low: price(),
        high: price(),
      }))
      const points = pointsOf(days)
      assert.equal(points.length, Math.min(pointsMax, days.length))
      assert.deepEqual([points.at(-1)?.date, points.at(-1)?.market], [days.at(-1)?.date, days.at(-1)?.market])
      const lowest = (of: readonly { low: number | null }[]) => Math.min(...of.flatMap(({ low }) => low ?? []))
      const highest = (of: readonly { high: number | null }[]) => Math.max(...of.flatMap(({ high }) => high ?? []))
      assert.deepEqual([lowest(points), highest(points)], [lowest(days), highest(days)])
      if (days.length <= pointsMax) assert.deepEqual(points, days)
      const markets = days.flatMap(({ market }) => market ?? [])
      const { first, last, lowest: low } = summaryOf(days)
      assert.deepEqual(
        [first, last, low],
        [markets[0] ?? null, markets.at(-1) ?? null, markets.length === 0 ? null : Math.min(...markets)],
      )
    }
  })
})
