/** Partial sorting: only the window that is needed. */

const insertionMax = 24

/**
 * Reorders the first `count` values so that the window from `from` up to `to` is as after a full sort: quicksort that skips
 * partitions outside the window. Takes about 2 × count + n log n steps for n values. The values are distinct.
 */
export function sortWindow(values: Uint32Array, count: number, from: number, to: number): void {
  sortPart(values, 0, count - 1, from, to)
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
