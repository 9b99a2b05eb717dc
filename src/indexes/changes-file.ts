/**
 * `changes.msgpack`: how the price of each card has changed, up to the newest day of the data (`asOf`).
 *
 *   days   … asOf-13 ──── asOf-7 … asOf-2 ─ asOf
 *            └── from, of 7d ──┘     └─ to ──┘      the newest row of each whose market price is known
 *
 *   changes    9 numbers a card, by card index:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                cents, `noPrice` if unknown; days: the high's days before the newest day in the upper 16 bits, the low's in the
 *                lower
 *   changedOn  the day of each card's last change, counted from 1970: the first of its newest run of equal history rows, or of its
 *              `updatedAt` if it has no history; `noDay` without either
 */
import { each, i32Column, indexFile, noMeta, u32Column } from './format.ts'
import { noPrice } from './lists-file.ts'

export const changesFileName = 'changes.msgpack'

/** Offsets of a card's numbers in `changes`, and how many there are. */
export const change = { to: 0, from: 1, high: 6, low: 7, days: 8, size: 9 } as const

/** Their indexes are period numbers. */
export const periods = [
  { name: '1d', days: 1 },
  { name: '7d', days: 7 },
  { name: '30d', days: 30 },
  { name: '90d', days: 90 },
  { name: '1y', days: 365 },
] as const

export type PeriodName = (typeof periods)[number]['name']

/** The index of the period that sorts lists. */
export const week = 1

/** How many days back *to* and *from* may be: a gap of a weekend or a week hides no change. */
export const toDays = 3
export const fromDays = 7
/** The days of the high and the low, up to asOf. */
export const rangeDays = 365

/** True if the percentage is known. */
export const isKnown = (from: number, to: number): boolean => from !== noPrice && to !== noPrice && from !== 0

/** The change in tenths of a percent, half away from zero. Exact: all numbers are whole and below 2 ** 53. */
export function percentTenths(from: number, to: number): number {
  const amount = to - from
  const tenths = Math.floor((2000 * Math.abs(amount) + from) / (2 * from))
  return amount < 0 && tenths > 0 ? -tenths : tenths
}

export const directions = ['up', 'down'] as const
/** The index of its direction. */
export const up = 0

export const { write: writeChangesFile, read: readChangesFile } = indexFile(
  'changes',
  { changes: each('cards', u32Column, change.size), changedOn: each('cards', i32Column) },
  noMeta,
)

export type ChangesFile = ReturnType<typeof readChangesFile>
