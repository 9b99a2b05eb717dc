/** What a build remembers for the next one to reuse its work. */
import type { DayRange } from './days.ts'

/** A history file as it was read. */
export interface FileNote {
  readonly name: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** Of the file as it lies on the disk, hexadecimal. */
  readonly sha256: string
  readonly rows: number
  /** How many of the rows are of unknown cards. */
  readonly dropped: number
  /** The days of its rows, unknown cards' too; null without rows. */
  readonly first: number | null
  readonly last: number | null
}

/** Plain data, to be packed. */
export interface HistoryMemory {
  /** In name order. */
  readonly files: readonly FileNote[]
  /** Ids in the files that the catalog didn't know, and the days between which they have rows; parallel arrays. */
  readonly unknown: {
    readonly ids: readonly string[]
    readonly first: readonly number[]
    readonly last: readonly number[]
  }
  /** How many rows the history holds. */
  readonly rows: number
}

export const daysOfNote = ({ first, last }: FileNote): DayRange | null =>
  first === null || last === null ? null : { first, last }
