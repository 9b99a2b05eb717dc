/**
 * Helpers of the checks of index files. A check is a generator that yields every few hundred microseconds, so that its
 * caller can interleave other work. It throws an IndexError for the first violation.
 */
import { IndexError } from '../format.ts'

export type Checking = Generator<void, void, void>

/** Numbers to check between two yields. */
const numbersBetweenYields = 50_000

/** @param what the invariant, for the operator: `cardsAt ascends` */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new IndexError(`is damaged: ${what} does not hold`)
}

/** Runs `check` over the numbers from 0 up to `count`, a slice at a time. */
export function* inSlices(count: number, check: (from: number, to: number) => void, costOfOne = 1): Checking {
  const slice = Math.ceil(numbersBetweenYields / costOfOne)
  for (let from = 0; from < count; from += slice) {
    check(from, Math.min(from + slice, count))
    yield
  }
}

/** Verifies offsets: one for each of `count` things and one for the end; they start at 0, ascend and end at `end`. */
export function* checkOffsets(name: string, at: Uint32Array, count: number, end: number): Checking {
  must(at.length === count + 1, `${name} has an entry for each and one for the end`)
  must(at[0] === 0 && at[count] === end, `${name} goes from 0 to the end of its column`)
  yield* inSlices(count, (from, to) => {
    for (let i = from; i < to; i++) if (at[i]! > at[i + 1]!) must(false, `${name} ascends`)
  })
}

/** Verifies that every number is below `end`. */
export function* checkBelow(name: string, numbers: Uint32Array | Uint8Array, end: number): Checking {
  yield* inSlices(numbers.length, (from, to) => {
    for (let i = from; i < to; i++) if (numbers[i]! >= end) must(false, `${name} names what there is`)
  })
}

/** Verifies an inverted index: for each value, the list of `places` by `at` has the indexes of the value in `values`, ascending. */
export function* checkInverse(
  name: string,
  values: Uint32Array | Uint8Array,
  at: Uint32Array,
  places: Uint32Array,
): Checking {
  yield* checkBelow(name, values, at.length - 1)
  must(places.length === values.length, `${name} has each place once`)
  yield* checkOffsets(`${name}At`, at, at.length - 1, places.length)
  const next = at.slice()
  yield* inSlices(values.length, (from, to) => {
    for (let place = from; place < to; place++) {
      if (places[next[values[place]!]!++] !== place) must(false, `${name} has the places of each value, ascending`)
    }
  })
  yield* inSlices(next.length - 1, (from, to) => {
    for (let value = from; value < to; value++) {
      if (next[value] !== at[value + 1]) must(false, `${name} has the places of each value alone`)
    }
  })
}

/** Verifies that the texts by `at` are in the order of their UTF-16 units, each once. */
export function* checkAscend(name: string, at: Uint32Array, text: Uint16Array): Checking {
  const check = (from: number, to: number) => {
    for (let i = Math.max(from, 1); i < to; i++) {
      if (!isBefore(text, at[i - 1]!, at[i]!, at[i + 1]!)) must(false, `${name} ascend`)
    }
  }
  yield* inSlices(at.length - 1, check, 10)
}

/** True if the text from `start` up to `middle` comes before the one from there up to `end`. */
function isBefore(text: Uint16Array, start: number, middle: number, end: number): boolean {
  let a = start
  let b = middle
  for (; a < middle && b < end; a++, b++) if (text[a] !== text[b]) return text[a]! < text[b]!
  return a === middle && b < end
}
