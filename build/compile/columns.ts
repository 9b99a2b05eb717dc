/** Lists and texts as columns of an index file: all of them one after the other, and where each starts. */
import { offsets } from '../../src/indexes/format.ts'

/** For each value below `valueCount` the ascending list of indexes that have it: where each list starts, and the lists. */
export function invert(values: Uint32Array | Uint8Array, valueCount: number): [at: Uint32Array, indexes: Uint32Array] {
  const at = new Uint32Array(valueCount + 1)
  for (let index = 0; index < values.length; index++) at[values[index]! + 1]!++
  for (let value = 0; value < valueCount; value++) at[value + 1]! += at[value]!
  const next = at.slice()
  const indexes = new Uint32Array(values.length)
  for (let index = 0; index < values.length; index++) indexes[next[values[index]!]!++] = index
  return [at, indexes]
}

/** The texts one after the other, in UTF-16. */
export function joinTexts(texts: readonly string[]): [at: Uint32Array, units: Uint16Array] {
  const joined = Buffer.from(texts.join(''), 'utf16le')
  const units = new Uint16Array(joined.length / 2)
  new Uint8Array(units.buffer).set(joined)
  return [offsets(texts.map((text) => text.length)), units]
}

/** The key's number in the order of first appearance. */
export const numberOf = (numbers: Map<string, number>, key: string): number =>
  numbers.get(key) ?? numbers.set(key, numbers.size).size - 1
