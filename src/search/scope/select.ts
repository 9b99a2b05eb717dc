/** Partial sorting: only the window that is needed. */
import type { Order } from '../../indexes/lists-file.ts'

/** Steps of a walk through an order that cost as much as collecting and sorting one card. */
export const walkStepsPerCollected = 4

const insertionMax = 24

/**
 * Reorders the first `count` values so that the window from `from` up to `to` is as after a full sort: quicksort that skips
 * partitions outside the window. Takes about 2 × count + n log n steps for n values. The values are distinct.
 */
export function sortWindow(values: Uint32Array, count: number, from: number, to: number): void {
  sortPart(values, 0, count - 1, from, to)
}

/**
 * Adds to a page the window from `from` up to `to` of the first `count` collected cards, as after a full sort.
 * @param collected ranks in the order; card numbers without one
 */
export function addWindow(
  page: { count: number; readonly cards: Uint32Array },
  collected: Uint32Array,
  count: number,
  order: Order | null,
  from: number,
  to: number,
): void {
  sortWindow(collected, count, from, to)
  for (let i = from; i < to; i++) {
    page.cards[page.count++] = order === null ? collected[i]! : order.cardAt[collected[i]!]!
  }
}

function sortPart(values: Uint32Array, low: number, high: number, from: number, to: number): void {
  while (high - low >= insertionMax) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >>> 1]!, values[high]!)
    let i = low
    let j = high
    while (i <= j) {
      while (values[i]! < pivot) i++
      while (values[j]! > pivot) j--
      if (i > j) break
      const value = values[i]!
      values[i++] = values[j]!
      values[j--] = value
    }
    const needsLeft = j >= from && low < to
    const needsRight = high >= from && i < to
    if (needsLeft && needsRight) {
      sortPart(values, low, j, from, to)
      low = i
    } else if (needsLeft) {
      high = j
    } else if (needsRight) {
      low = i
    } else {
      return
    }
  }
  for (let i = low + 1; i <= high; i++) {
    const value = values[i]!
    let j = i - 1
    for (; j >= low && values[j]! > value; j--) values[j + 1] = values[j]!
    values[j + 1] = value
  }
}

const medianOfThree = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
