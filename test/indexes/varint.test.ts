/** Varints against the rule that they are named after: seven bits a byte, the lowest first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readVarint, unzigzag, varintBytes, writeVarint, zigzag } from '../../src/indexes/series/varint.ts'

const edges = [7, 14, 21, 28].flatMap((bits) => [2 ** bits - 1, 2 ** bits])
const numbers = fc.oneof(fc.constantFrom(0, 1, ...edges, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1))

/** Bytes in a row. */
class Row {
  readonly bytes: number[] = []
  at = 0
  addByte(byte: number): void {
    this.bytes.push(byte)
  }
  nextByte(): number {
    return this.bytes[this.at++]!
  }
}

/** The bytes as the rule has them. */
function plain(value: number): number[] {
  const groups = value.toString(2).padStart(35, '0').match(/.{7}/g)!.reverse()
  while (groups.length > 1 && /^0+$/.test(groups.at(-1)!)) groups.pop()
  return groups.map((group, i) => Number.parseInt(group, 2) + (i < groups.length - 1 ? 128 : 0))
}

test('numbers are written as the rule says, read back, and their bytes counted', () => {
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 1 }), (values) => {
      const row = new Row()
      for (const value of values) writeVarint(row, value)
      assert.deepEqual(row.bytes, values.flatMap(plain))
      for (const value of values) {
        const from = row.at
        assert.equal(readVarint(row), value)
        assert.equal(varintBytes(value), row.at - from)
      }
      assert.equal(row.at, row.bytes.length)
    }),
  )
})

test('a zigzagged number comes back, and small ones of both signs are small', () => {
  fc.assert(fc.property(fc.integer(), (value) => assert.equal(unzigzag(zigzag(value)), value)))
  assert.deepEqual([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4])
})
