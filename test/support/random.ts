/**
 * The only random numbers in benchmarks, generated tests and the sample snapshot. They follow from a seed, so two runs
 * with the same seed are equal.
 */

/** Returns the next number x, with 0 ≤ x < 1. */
export type Random = () => number

/** Returns a mulberry32 generator. Its 32 bits of state start as the seed, or as the FNV-1a hash of a text. */
export function randomFrom(seed: number | string): Random {
  let state = typeof seed === 'string' ? hashOf(seed) : seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}

/** A whole number from 0 to `below` - 1. */
export const drawBelow = (random: Random, below: number): number => Math.floor(random() * below)

export const drawFrom = <T>(random: Random, from: readonly T[]): T => from[drawBelow(random, from.length)]!

/** The items in a random order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const order = [...items]
  for (let i = order.length - 1; i > 0; i--) {
    const other = drawBelow(random, i + 1)
    const item = order[i]!
    order[i] = order[other]!
    order[other] = item
  }
  return order
}

/**
 * Returns a function that draws a rank from 0 to `ranks` - 1. Rank r is 1 / (r + 1) times as frequent as rank 0 (Zipf,
 * exponent 1).
 */
export function zipf(random: Random, ranks: number): () => number {
  const upTo = new Float64Array(ranks)
  let sum = 0
  for (let rank = 0; rank < ranks; rank++) {
    sum += 1 / (rank + 1)
    upTo[rank] = sum
  }
  return () => {
    const drawn = random() * sum
    let low = 0
    let high = ranks - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (upTo[middle]! > drawn) high = middle
      else low = middle + 1
    }
    return low
  }
}
