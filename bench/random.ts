/** Random numbers from a seed, so that two runs ask the same things in the same order. */

/** Returns the next number, 0 ≤ x < 1 (xorshift128 of four words drawn from the seed). */
export function randomFrom(seed: number): () => number {
  const words = new Uint32Array(4)
  for (let i = 0, word = seed >>> 0; i < 4; i++) {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0
    words[i] = word | 1
  }
  const next = () => {
    let t = words[3]!
    const s = words[0]!
    words[3] = words[2]!
    words[2] = words[1]!
    words[1] = s
    t ^= t << 11
    t ^= t >>> 8
    words[0] = t ^ s ^ (s >>> 19)
    return words[0]! / 2 ** 32
  }
  for (let i = 0; i < 16; i++) next()
  return next
}

/** A whole number from 0 up to `below`. */
export const drawBelow = (random: () => number, below: number): number => Math.floor(random() * below)

export const drawFrom = <T>(random: () => number, from: readonly T[]): T => from[drawBelow(random, from.length)]!

/** Puts the items into a random order, in place. */
export function shuffle<T>(random: () => number, items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const other = drawBelow(random, i + 1)
    const item = items[i]!
    items[i] = items[other]!
    items[other] = item
  }
  return items
}

/** Draws of ranks 0 … ranks - 1 where rank r is 1 / (r + 1) times as frequent as rank 0: Zipf, exponent 1. */
export function zipf(random: () => number, ranks: number): () => number {
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
