/** Tables for a terminal, whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '../../src/command/table.ts'

const rows = [
  ['name', 'cards', ''],
  ['a', '12,345', 'current'],
  ['longer', '7', ''],
]

const cases: [what: string, right: number[] | undefined, lines: string[]][] = [
  ['as it comes', undefined, ['name    cards', 'a       12,345  current', 'longer  7']],
  ['numbers at the right', [1], ['name     cards', 'a       12,345  current', 'longer       7']],
]

for (const [what, right, lines] of cases) {
  test(`a table, ${what}: every column as wide as its widest cell, no blanks at a line's end`, () => {
    assert.deepEqual(table(rows, right).split('\n'), lines)
  })
}

test('a table without rows is empty', () => assert.equal(table([]), ''))
