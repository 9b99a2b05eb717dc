/** A changes file with any one number wrong: refused, unless it could be right. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { compileChanges } from '../../build/compile/changes.ts'
import { invert } from '../../build/compile/columns.ts'
import { ChangesReader } from '../../build/compile/history/changes.ts'
import { gameNumber, gameSlugs } from '../../src/games.ts'
import { type ChangesFile, change } from '../../src/indexes/changes-file.ts'
import { checkChangesFile } from '../../src/indexes/checks/changes-check.ts'
import { IndexError } from '../../src/indexes/format.ts'
import type { ListsFile } from '../../src/indexes/lists-file.ts'
import { SeriesWriter, unknownPrice } from '../../src/indexes/series/codec.ts'
import { asOf, drawnCards } from '../support/moved-cards.ts'
import { randomFrom } from '../support/random.ts'

const cards = drawnCards(randomFrom(7), 60, ['pokemon', 'swu'])
const games = Uint8Array.from(cards, ({ game }) => gameNumber(game))
const [gameCardsAt, gameCards] = invert(games, gameSlugs.length)
const lists = { cardGame: games, gameCardsAt, gameCards } as ListsFile

const changes = new Uint32Array(cards.length * change.size)
cards.forEach(({ rows }, card) => {
  const writer = new SeriesWriter(0)
  for (const day of [...rows.keys()].sort((a, b) => b - a)) writer.run(day, 1, rows.get(day) ?? unknownPrice, -1, -1)
  writer.end()
  new ChangesReader(asOf).read(writer.bytes, 0, writer.length, changes, card * change.size)
})
const file = compileChanges(changes, games)

type Numbers = Uint16Array | Uint32Array
const columns: [name: string, column: Numbers, withOther: (column: Numbers) => ChangesFile][] = [
  ...(['moversAt', 'byFloor', 'byPercent', 'byAmount'] as const).map((name): (typeof columns)[number] => [
    name,
    file[name],
    (column) => ({ ...file, [name]: column }),
  ]),
  ...(['fallenFirst', 'risenFirst'] as const).flatMap((name) =>
    (['cardAt', 'rankOf'] as const).map((side): (typeof columns)[number] => [
      `${name}.${side}`,
      file[name][side],
      (column) => ({ ...file, [name]: { ...file[name], [side]: column } }),
    ]),
  ),
]

const isWhole = (checked: ChangesFile): boolean => {
  try {
    for (const _ of checkChangesFile(checked, lists));
    return true
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    return false
  }
}

it('is whole as it is compiled, with movers in all that is tried', () => {
  assert.ok(isWhole(file))
  assert.ok(file.byFloor.length > 20)
})

for (const [name, column, withOther] of columns) {
  it(`with one number of ${name} wrong`, () => {
    for (let i = 0; i < column.length; i++) {
      for (const value of [column[i]! + 1, column[i]! - 1, 0, 1, 0xffffffff, column[(i + 1) % column.length]!]) {
        const wrong = column.slice()
        wrong[i] = value
        if (wrong[i] !== column[i]) assert.ok(!isWhole(withOther(wrong)), `${wrong[i]} for ${column[i]} at ${i}`)
      }
    }
  })
  it(`with ${name} too short or too long`, () => {
    const longer = new (column.constructor as new (length: number) => Numbers)(column.length + 1)
    longer.set(column)
    assert.ok(!isWhole(withOther(column.slice(0, -1))) && !isWhole(withOther(longer)))
  })
}

it('with prices that are none, out of their range, or of no day', () => {
  let refused = 0
  for (let at = 0; at < changes.length; at++) {
    for (const value of [0xfffffffe, 1_000_000_001]) {
      const wrong = changes.slice()
      wrong[at] = value
      assert.ok(!isWhole({ ...file, changes: wrong }), `${value} for ${changes[at]} at ${at}`)
      refused++
    }
  }
  assert.ok(refused > 0)
  assert.ok(!isWhole({ ...file, changes: changes.slice(0, -1) }))
})
