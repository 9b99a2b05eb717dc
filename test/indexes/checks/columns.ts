/** Relations of columns that several index files have. Each check throws an AssertionError that names what does not hold. */
import assert from 'node:assert/strict'

export function must(holds: boolean, what: string): asserts holds {
  assert.ok(holds, `${what}: does not hold`)
}

export function each(count: number, what: string, holds: (i: number) => boolean): void {
  for (let i = 0; i < count; i++) if (!holds(i)) assert.fail(`${what}: does not hold at ${i} of ${count}`)
}

/**
 * Offsets ascend from 0 to the end of their column. The offsets of `cards` are in `cardsAt`.
 * @param others the columns of offsets whose names do not say so
 */
export function checkOffsets(file: object, others: Readonly<Record<string, string>> = {}): void {
  const columns = file as Readonly<Record<string, Uint32Array>>
  for (const [name, at] of Object.entries(columns)) {
    if (name !== 'at' && !name.endsWith('At')) continue
    const end = columns[others[name] ?? name.slice(0, -2)]!.length
    must(at[0] === 0 && at.at(-1) === end, `${name} begin at 0 and end with their column`)
    each(at.length - 1, `${name} ascend`, (i) => at[i]! <= at[i + 1]!)
  }
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
