/** Lists, texts and orders as columns of an index file: all of them one after the other, and where each starts. */
import type { Order } from '../../src/indexes/lists-file.ts'

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

/** Where each of consecutive items of these lengths starts, and where the last one ends. */
export function offsets(lengths: readonly number[]): Uint32Array<ArrayBuffer> {
  const at = new Uint32Array(lengths.length + 1)
  lengths.forEach((length, i) => {
    at[i + 1] = at[i]! + length
  })
  return at
}

/** The texts one after the other, in UTF-16. */
export function joinTexts(texts: readonly string[]): [at: Uint32Array, units: Uint16Array] {
  const joined = Buffer.from(texts.join(''), 'utf16le')
  const units = new Uint16Array(joined.length / 2)
  new Uint8Array(units.buffer).set(joined)
  return [offsets(texts.map((text) => text.length)), units]
}

/** Counting pays only if there are not many more digits than keys. */
const digitsPerKeyMax = 16

/**
 * The indexes of the keys, which are whole numbers, lowest key first; the sort is stable. A radix sort in two passes, by the
 * keys' remainders, then by their quotients. The divisor makes both ranges about equally large.
 */
export function sortedBy(keys: Uint32Array | Float64Array): Uint32Array {
  const count = keys.length
  let largest = 0
  for (let i = 0; i < count; i++) if (keys[i]! > largest) largest = keys[i]!
  const divisor = Math.ceil(Math.sqrt(largest + 1))
  if (divisor > digitsPerKeyMax * count) return Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]!)
  const digits = new Uint32Array(count)
  // % is many times slower above 32 bits.
  for (let i = 0; i < count; i++) digits[i] = keys[i]! - divisor * Math.floor(keys[i]! / divisor)
  const [, byRemainder] = invert(digits, divisor)
  for (let i = 0; i < count; i++) digits[i] = Math.floor(keys[byRemainder[i]!]! / divisor)
  const [, sorted] = invert(digits, divisor)
  for (let i = 0; i < count; i++) sorted[i] = byRemainder[sorted[i]!]!
  return sorted
}

/** Cards by their keys; cards of equal keys by number. */
export function orderBy(keys: Uint32Array | Float64Array): Order {
  const cardAt = sortedBy(keys)
  const rankOf = new Uint32Array(keys.length)
  for (let rank = 0; rank < cardAt.length; rank++) rankOf[cardAt[rank]!] = rank
  return { cardAt, rankOf }
}
