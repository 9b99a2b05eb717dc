/**
 * `changes.msgpack`: the price changes up to the newest day of the history.
 *
 *   changes    9 numbers a card, by card number:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                cents, `noPrice` if unknown; days: the high's days before the newest day in the upper 16 bits, the low's in the
 *                lower
 */
import { type Columns, decodeIndexFile, encodeIndexFile, noMeta, u32Column } from './format.ts'
import { isKnown } from './price-change.ts'

const columns = { changes: u32Column }

export type ChangesFile = Columns<typeof columns>

export const changesFileName = 'changes.msgpack'

/** Offsets of a card's numbers in `changes`, and how many there are. */
export const change = { to: 0, from: 1, high: 6, low: 7, days: 8, size: 9 } as const

export const directions = ['up', 'down'] as const
export const up = 0
export const down = 1

/** The direction from one price to another; -1 if one is unknown, the first is 0, or they are equal. */
export const directionOf = (from: number, to: number): number =>
  from === to || !isKnown(from, to) ? -1 : to > from ? up : down

const kind = 'changes'

/** @param changes by card number */
export const writeChangesFile = (changes: Uint32Array): Uint8Array[] => encodeIndexFile(kind, {}, { changes })

/** Throws IndexError. */
export const readChangesFile = (bytes: Uint8Array): ChangesFile => decodeIndexFile(kind, bytes, columns, noMeta)
