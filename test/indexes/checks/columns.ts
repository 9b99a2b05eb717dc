/** Relations of columns that several index files have. Each check throws an AssertionError that names what does not hold. */
import assert from 'node:assert/strict'

export function must(holds: boolean, what: string): asserts holds {
  assert.ok(holds, `${what}: does not hold`)
}

export function each(count: number, what: string, holds: (i: number) => boolean): void {
  for (let i = 0; i < count; i++) if (!holds(i)) assert.fail(`${what}: does not hold at ${i} of ${count}`)
}

/** For each value, the list of `places` by `at` has the indexes of the value in `values`, ascending. */
export function checkInverse(
  name: string,
  values: Uint32Array | Uint8Array,
  at: Uint32Array,
  places: Uint32Array,
): void {
  must(places.length === values.length, `${name} has each place once`)
  const next = at.slice()
  each(values.length, `${name} has the places of each value, ascending`, (place) => {
    return places[next[values[place]!]!++] === place
  })
}

/** The texts by `at` are in the order of their UTF-16 units, each once. */
export function checkAscend(name: string, at: Uint32Array, text: Uint16Array): void {
  let before = ''
  each(at.length - 1, `${name} ascend`, (i) => {
    const [last, now] = [before, String.fromCharCode(...text.subarray(at[i], at[i + 1]))]
    before = now
    return i === 0 || last < now
  })
}

export function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
