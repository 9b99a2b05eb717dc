/** Plans which history files a build reads, and from which day on it rebuilds. */
import { type HistoryFile, readHistoryFile } from '../../../src/indexes/history-file.ts'
import { SeriesReader } from '../../../src/indexes/series/codec.ts'
import { partCards, partCardsShift } from '../../../src/limits.ts'
import type { CardIds } from '../../read/card-ids.ts'
import { type SnapshotFile, sha256Of } from '../../read/files.ts'
import { type CachedFile, stateOf } from './read.ts'

/** The history's part of the build cache. */
export interface HistoryCache {
  /** In name order. */
  readonly files: readonly CachedFile[]
  /** Ids that were not in the catalog, with the first and last day of their rows; parallel arrays. */
  readonly unknown: {
    readonly ids: readonly string[]
    readonly first: readonly number[]
    readonly last: readonly number[]
  }
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
  /** The first day to rebuild, Infinity for none. A changed file may show an earlier one. */
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
  // Ids that were unknown and are cards now.
  cache?.unknown.ids.forEach((id, i) => {
    if (ids.has(id)) from = Math.min(from, cache.unknown.first[i]!)
  })
  const series = new BaseSeries(base)
  for (const number of base.removed) from = Math.min(from, firstDayOf(series.ofBase(number)))
  return { unchanged, from }
}

async function isUnchanged(file: SnapshotFile, before: CachedFile): Promise<boolean> {
  if (file.bytes !== before.bytes) return false
  if (file.mtimeMs === before.mtimeMs && file.ctimeMs === before.ctimeMs) return true
  return (await sha256Of(file)) === before.sha256
}

function firstDayOf(series: SeriesBytes | undefined): number {
  if (series === undefined) return Number.POSITIVE_INFINITY
  const reader = new SeriesReader()
  reader.open(series.bytes, series.start)
  while (reader.next());
  return reader.day - reader.days + 1
}
