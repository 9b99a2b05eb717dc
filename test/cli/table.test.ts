/** Tables for a terminal, whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TableForm, table } from '../../src/command/table.ts'

const rows = [
  ['name', 'cards', ''],
  ['a', '12,345', 'current'],
  ['longer', '7', ''],
]

const cases: [what: string, form: TableForm | undefined, lines: string[]][] = [
  ['as it comes', undefined, ['name    cards', 'a       12,345  current', 'longer  7']],
  ['numbers at the right', { right: [1] }, ['name     cards', 'a       12,345  current', 'longer       7']],
  ['a wider first column', { firstCharsMin: 8 }, ['name      cards', 'a         12,345  current', 'longer    7']],
  ['a narrower gap', { gapChars: 1 }, ['name   cards', 'a      12,345 current', 'longer 7']],
]

for (const [what, form, lines] of cases) {
  test(`a table, ${what}: every column as wide as its widest cell, no blanks at a line's end`, () => {
    assert.deepEqual(table(rows, form).split('\n'), lines)
  })
}

test('a table without rows is empty', () => assert.equal(table([]), ''))
