/** The hash table of a column's texts, held against a binary search of the same column. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsets } from '../../src/indexes/format.ts'
import { textIndex } from '../../src/search/scope/number-index.ts'
import { TextTable } from '../../src/search/scope/text-table.ts'
import { compareTexts } from '../../src/text-order.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

for (const count of [0, 1, 2, 3, 4, 5, 1000, 4096]) {
  test(`A table of ${count} texts finds each of its texts, and no other text`, () => {
    const random = randomFrom(count)
    const letters = ['a', 'b', '1', ' ', 'é', 'リ', '\u{1f600}']
    const drawn = () => Array.from({ length: drawBelow(random, 9) }, () => letters[drawBelow(random, 7)]!).join('')
    const texts = new Set<string>()
    while (texts.size < count) texts.add(drawn())
    const sorted = [...texts].sort(compareTexts)
    const text = Uint16Array.from(
      [...sorted.join('')].flatMap((one) => [...Array(one.length).keys()].map((i) => one.charCodeAt(i))),
    )
    const textAt = offsets(sorted.map(({ length }) => length))
    const table = new TextTable(text, textAt)
    for (const [index, one] of sorted.entries()) assert.equal(table.find(one), index)
    for (let i = 0; i < 500; i++) {
      const asked = drawn()
      assert.equal(table.find(asked), textIndex(text, textAt, asked), asked)
    }
  })
}
