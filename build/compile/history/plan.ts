/** Plans which history files a build reads, and from which day on it rebuilds. */
import { type HistoryFile, readHistoryFile } from '../../../src/indexes/history-file.ts'
import { partCards, partCardsShift } from '../../../src/limits.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { type SnapshotFile, sha256Of } from '../../read/files.ts'
import { type CachedFile, stateOf } from './read.ts'

/** The history's part of the build cache. */
export interface HistoryCache {
  /** In name order. */
  readonly files: readonly CachedFile[]
  /** Ids of rows that were not in the catalog. */
  readonly unknown: readonly string[]
  /** Of the history, -Infinity without rows. */
  readonly newestDay: number
}

export interface HistoryBase {
  /** The bytes of its history files. */
  readonly parts: readonly Uint8Array[]
  readonly ids: CardIds
  readonly cache: HistoryCache
}

const none = -1

/** The base's series, which threads share. */
export interface BaseMemory {
  /** The bytes of its history files. */
  readonly parts: readonly Uint8Array[]
  /** By card number: its number in the base, or -1; undefined if all numbers are the same. */
  readonly numbers: Int32Array | undefined
}

/** @returns also the numbers in the base of cards that no longer exist */
export function baseMemory(base: HistoryBase | null, ids: CardIds): BaseMemory & { removed: number[] } {
  if (base === null) return { parts: [], numbers: new Int32Array(ids.count).fill(none), removed: [] }
  const { parts, ids: old } = base
  if (old.equals(ids)) return { parts, numbers: undefined, removed: [] }
  const { bytes, at } = ids.memory
  const numbers = Int32Array.from({ length: ids.count }, (_, i) => old.find(bytes, at[i]!, at[i + 1]!))
  const kept = new Set(numbers)
  const removed = Array.from({ length: old.count }, (_, number) => number).filter((number) => !kept.has(number))
  return { parts, numbers, removed }
}

export class BaseSeries {
  readonly #parts: readonly HistoryFile[]
  readonly #numbers: Int32Array | undefined

  constructor({ parts, numbers }: BaseMemory) {
    this.#parts = parts.map(readHistoryFile)
    this.#numbers = numbers
  }

  /** The card's series; undefined if the base has no rows of it. */
  of(card: number): SeriesBytes | undefined {
    return this.ofBase(this.#numbers === undefined ? card : this.#numbers[card]!)
  }

  /** The same, by the card's number in the base. */
  ofBase(number: number): SeriesBytes | undefined {
    const part = number === none ? undefined : this.#parts[number >> partCardsShift]
    if (part === undefined) return undefined
    const i = number & (partCards - 1)
    const start = part.at[i]!
    const end = part.at[i + 1]!
    return start === end ? undefined : { bytes: part.series, start, end }
  }
}

export interface SeriesBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

export interface Plan {
  /** Files with the same content as for the base, by name. */
  readonly unchanged: ReadonlyMap<string, CachedFile>
  /** The first day to rebuild, -Infinity for all, Infinity for none. A changed file may show an earlier one. */
  readonly from: number
}

export async function planHistory(
  files: readonly SnapshotFile[],
  cache: HistoryCache | undefined,
  ids: CardIds,
  base: BaseMemory & { readonly removed: readonly number[] },
): Promise<Plan> {
  const unchanged = new Map<string, CachedFile>()
  const cached = new Map(cache?.files.map((file) => [file.name, file]))
  for (const file of files) {
    const before = cached.get(file.name)
    if (before === undefined || !(await isUnchanged(file, before))) continue
    unchanged.set(file.name, { ...before, ...stateOf(file) })
  }
  let from = Number.POSITIVE_INFINITY
  for (const { name, first } of cached.values()) if (!unchanged.has(name)) from = Math.min(from, first ?? from)
  // Rows of ids that have become cards, or no longer are, may be in any file.
  const series = new BaseSeries(base)
  const hasOtherCards =
    cache?.unknown.some((id) => ids.has(id)) === true ||
    base.removed.some((number) => series.ofBase(number) !== undefined)
  return { unchanged, from: hasOtherCards ? Number.NEGATIVE_INFINITY : from }
}

async function isUnchanged(file: SnapshotFile, before: CachedFile): Promise<boolean> {
  if (file.bytes !== before.bytes) return false
  if (file.mtimeMs === before.mtimeMs && file.ctimeMs === before.ctimeMs) return true
  return (await sha256Of(file)) === before.sha256
}
