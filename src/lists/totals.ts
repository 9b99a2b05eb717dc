/** The sum of a list, in cents. */
import type { Column } from './columns.ts'
import type { ValuedLine } from './values.ts'

interface Counts {
  readonly priced: number
  readonly unpriced: number
  readonly ambiguous: number
  /** Lines without a match, and unreadable lines. */
  readonly unmatched: number
  /** Proxies, wants, and second faces of cards. */
  readonly excluded: number
  /** Priced lines that name a condition but have the market price. */
  readonly atMarket: number
}

export interface Totals extends Counts {
  /** The currency of the data; null if it is unknown. */
  readonly currency: string | null
  /** The sum of all priced lines; null while a column of a CSV is unsure. */
  readonly total: number | null
}

/** The sum of the lines so far. */
export interface Sum extends Counts {
  readonly currency: string | null
  readonly cents: number
}

export const noLines: Sum = {
  currency: null,
  cents: 0,
  priced: 0,
  unpriced: 0,
  ambiguous: 0,
  unmatched: 0,
  excluded: 0,
  atMarket: 0,
}

/** Returns the sum with further lines added. */
export function plus(sum: Sum, lines: readonly ValuedLine[]): Sum {
  const next = { ...sum }
  for (const { match, card, amount, atMarket, candidates } of lines) {
    next.currency ??= card?.currency ?? candidates[0]?.currency ?? null
    if (match === 'excluded') next.excluded++
    else if (card === null) next[match === 'ambiguous' ? 'ambiguous' : 'unmatched']++
    else if (amount === null) next.unpriced++
    else {
      next.priced++
      if (atMarket) next.atMarket++
      next.cents += Math.round(amount * 100)
    }
  }
  return next
}

/** @param columns the list's columns: while one is unsure, the total is null */
export function totalsOf({ cents, ...counts }: Sum, columns: readonly Column[]): Totals {
  return { ...counts, total: columns.every(({ sure }) => sure) ? cents / 100 : null }
}
