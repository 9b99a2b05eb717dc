/** A new version on its way: every server asks when its turn comes, and they share the file server's bandwidth evenly. */
import { indexUrlAskMs } from '../../src/limits.ts'
import { randomFrom } from '../../test/support/random.ts'
import { type Machines, takeUpMs } from './costs.ts'

export interface VersionPlan {
  readonly seed: number
  readonly servers: number
  /** Of the files that changed. */
  readonly bytes: number
}

export interface VersionFigures {
  /** From `current` being replaced, in ms. */
  readonly halfServe: number
  readonly allServe: number
  readonly bytes: number
}

/**
 * Each fetches so much, so they finish in the order in which they began: `done` is what each that is at it has got since the
 * start of all, and one is finished when `done` has risen by the version's bytes.
 */
export function fetchedByAll({ seed, servers, bytes }: VersionPlan, { networkBits }: Machines): VersionFigures {
  const random = randomFrom(`${seed} version`)
  const begins = Array.from({ length: servers }, () => random() * indexUrlAskMs).sort((a, b) => a - b)
  const bytesPerMs = networkBits / 8 / 1000
  const ends: number[] = []
  /** The new `done` of those at work. */
  const wanted: number[] = []
  let now = 0
  let done = 0
  let begun = 0
  while (ends.length < servers) {
    const active = begun - ends.length
    const rate = active === 0 ? 0 : Math.min(bytesPerMs / active, bytesPerMs / 10)
    const nextEnd = active === 0 ? Number.POSITIVE_INFINITY : now + (wanted[ends.length]! - done) / rate
    const nextBegin = begins[begun] ?? Number.POSITIVE_INFINITY
    const next = Math.min(nextEnd, nextBegin)
    done += rate * (next - now)
    now = next
    if (nextBegin <= nextEnd) {
      wanted.push(done + bytes)
      begun++
    } else ends.push(now)
  }
  return { halfServe: ends[servers >> 1]! + takeUpMs, allServe: ends.at(-1)! + takeUpMs, bytes: bytes * servers }
}
