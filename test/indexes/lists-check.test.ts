/** A lists file, and the words near each word, with any one number wrong: refused, unless it could be right. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { compileLists } from '../../build/compile/lists.ts'
import { compileSearch } from '../../build/compile/search.ts'
import { checkListsFile } from '../../src/indexes/checks/lists-check.ts'
import { checkSearchFile } from '../../src/indexes/checks/search-check.ts'
import { IndexError } from '../../src/indexes/format.ts'
import type { ListsFile, Order } from '../../src/indexes/lists-file.ts'

const uuidOf = (number: number) => `${number}000579f-7b35-4ed3-b44c-db2a53806${number}fe`
const names = ['Pound', 'Pound Town', 'Ponud', 'Sound', 'Pound', '_____', 'Forest', 'Pound', 'Forest Fox', 'Fire']
const cards = names.map((name, i) => ({
  name,
  game: i % 3 === 0 ? 2 : 0,
  setNumber: i % 3 === 0 ? 1 : 0,
  rarity: i === 2 ? 'Rare' : null,
  printing: [null, 'Foil', 'Normal'][i % 3]!,
  scryfallId: i < 2 ? null : uuidOf(i >> 1),
  mtgjsonId: i > 7 ? null : uuidOf(9 - i),
  number: i === 4 ? null : `${i % 4}`,
  market: i % 4 === 3 ? null : (i * 7) % 5,
  tcgplayerId: i < 3 ? null : 40 + (i % 3),
}))
const sets = [0, 2].map((game) => ({ code: 'a', name: 'a', game }))
const search = compileSearch({ cards, sets })
const lists = compileLists(cards, search)

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** For each number of the column, other values that it can hold. */
function* damagedColumns(column: Numbers): Generator<Numbers> {
  for (let i = 0; i < column.length; i++) {
    for (const value of [
      column[i]! + 1,
      column[i]! - 1,
      0,
      1,
      0xffffffff,
      0xfffffffe,
      column[(i + 1) % column.length]!,
    ]) {
      const wrong = structuredClone(column)
      wrong[i] = value
      if (wrong[i] !== column[i]) yield wrong
    }
  }
}

const columns: [name: string, column: Numbers, damaged: (column: Numbers) => Generator<void>][] = [
  ...Object.entries(lists)
    .filter((entry): entry is [string, Numbers] => ArrayBuffer.isView(entry[1]))
    .map(([name, column]): (typeof columns)[number] => [
      name,
      column,
      (wrong) => checkListsFile({ ...lists, [name]: wrong } as ListsFile, search),
    ]),
  ...(['cheapestFirst', 'dearestFirst', 'byName'] as const).flatMap((name) =>
    (['cardAt', 'rankOf'] as const).map((side): (typeof columns)[number] => [
      `${name}.${side}`,
      lists[name][side],
      (wrong) => checkListsFile({ ...lists, [name]: { ...lists[name], [side]: wrong } as Order }, search),
    ]),
  ),
  ...(['near', 'nearAt', 'lettersByLength'] as const).map((name): (typeof columns)[number] => [
    name,
    search[name],
    (wrong) => checkSearchFile({ ...search, [name]: wrong }, cards.length, sets.length),
  ]),
]

/** Other texts, other keys and marks, other products, other near words. */
const couldBeRight = [
  'numberText',
  'numberTextAt',
  'productIds',
  'productCards',
  'productCardsAt',
  'cardPrinting',
  'keyText',
  'keyTextAt',
  'keyCards',
  'keyCardsAt',
  'cardMark',
  'scryfallIds',
  'scryfallCards',
  'scryfallCardsAt',
  'mtgjsonIds',
  'mtgjsonCards',
  'mtgjsonCardsAt',
  'setEnds',
  'suggestions',
  'near',
  'nearAt',
]

it('is whole as it is compiled', () => {
  for (const [name, column, check] of columns) {
    assert.ok(column.length > 0, name)
    for (const _ of check(column));
  }
})

for (const [name, column, check] of columns) {
  it(`with one number of ${name} wrong`, () => {
    let refused = 0
    for (const wrong of damagedColumns(column)) {
      try {
        for (const _ of check(wrong));
        assert.ok(couldBeRight.includes(name), `${name}: ${[...wrong]} for ${[...column]}`)
      } catch (error) {
        if (!(error instanceof IndexError)) throw error
        refused++
      }
    }
    assert.ok(refused > 0, name)
  })
}

it('with a column too short or too long', () => {
  for (const [name, column, check] of columns) {
    const [short, long] = [column.slice(0, -1), column.slice()]
    assert.throws(() => [...check(short)], IndexError, name)
    const longer = new (long.constructor as new (length: number) => Numbers)(long.length + 1)
    longer.set(long)
    assert.throws(() => [...check(longer)], IndexError, name)
  }
})
