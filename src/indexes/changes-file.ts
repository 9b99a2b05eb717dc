/**
 * `changes.msgpack`: the price changes up to the newest day of the history.
 *
 *   changes    9 numbers a card, by card number:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                cents, `noPrice` if unknown; days: the high's days before the newest day in the upper 16 bits, the low's in the
 *                lower
 *   changedOn  the day of each card's last change, counted from 1970: the first of its newest run of equal history rows, or of its
 *              `updatedAt` if it has no history; `noDay` without either
 */
import { i32Column, indexFile, noMeta, u32Column } from './format.ts'
import { isKnown } from './price-change.ts'

export const changesFileName = 'changes.msgpack'

/** Offsets of a card's numbers in `changes`, and how many there are. */
export const change = { to: 0, from: 1, high: 6, low: 7, days: 8, size: 9 } as const

export const directions = ['up', 'down'] as const
export const up = 0
export const down = 1

/** The direction from one price to another; -1 if one is unknown, the first is 0, or they are equal. */
export const directionOf = (from: number, to: number): number =>
  from === to || !isKnown(from, to) ? -1 : to > from ? up : down

export const { write: writeChangesFile, read: readChangesFile } = indexFile(
  'changes',
  { changes: u32Column, changedOn: i32Column },
  noMeta,
)

export type ChangesFile = ReturnType<typeof readChangesFile>
