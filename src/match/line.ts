/** A line of a list: its fields, its fields as index numbers, and its result. */
import type { AskedPrinting } from '../names/printings.ts'
import type { IdsElsewhere } from '../search/scope/scope-lists.ts'

/** A line of a stock list. Missing and blank fields are undefined. It has a name, ids, or both a set and a number. */
export interface Line {
  readonly name?: string | undefined
  readonly ids?: LineIds | undefined
  readonly number?: string | undefined
  /** The set's code, its name, or words of its name. */
  readonly set?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  readonly rarity?: string | undefined
}

/** A card must have every id that is given. */
export interface LineIds extends IdsElsewhere {
  readonly card?: string | undefined
}

export interface Matched {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  /**
   * Card indexes. An exact or likely match is one card. An ambiguous one is the first candidates, in the order of
   * `CandidateOrder`.
   */
  readonly cards: readonly number[]
}

/** A line's fields as index numbers. -1 means that the line does not have the field. */
export interface Wanted {
  readonly game: number
  /** Returns the step of a set's cards: `exact`, `setWords`, or -1 if the line means another set. */
  readonly setStep: (set: number) => number
  readonly number: number
  readonly rarity: number
  /** The total after the slash of the line's number; undefined if there is none. */
  readonly total: string | undefined
  readonly printing: AskedPrinting | null
  /** True if the printing is a special one that is no foil. */
  readonly isHolo: boolean
  /** True if the line has ids. All cards that have the ids are printings of the same thing, so they form one group. */
  readonly byId: boolean
}
