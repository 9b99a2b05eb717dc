/** The history's part of the build cache. */
import type { DayRange } from './days.ts'

/** A history file when it was read. */
export interface CachedFile {
  readonly name: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** Of the file on the disk, hexadecimal. */
  readonly sha256: string
  readonly rows: number
  /** Rows of unknown cards. */
  readonly dropped: number
  /** The first and last day of its rows, unknown cards' included; null without rows. */
  readonly first: number | null
  readonly last: number | null
}

export interface HistoryCache {
  /** In name order. */
  readonly files: readonly CachedFile[]
  /** Ids that were not in the catalog, with the first and last day of their rows; parallel arrays. */
  readonly unknown: {
    readonly ids: readonly string[]
    readonly first: readonly number[]
    readonly last: readonly number[]
  }
  /** In the history. */
  readonly rows: number
}

export const daysOfFile = ({ first, last }: CachedFile): DayRange | null =>
  first === null || last === null ? null : { first, last }
