/**
 * `changes.msgpack`: how the price of each card has changed, up to the newest day of the data (`asOf`).
 *
 *   days   … asOf-13 ──── asOf-7 … asOf-2 ─ asOf
 *            └── from, of 7d ──┘     └─ to ──┘
 *
 *   The price of a span of days is that of its newest row with a known market price.
 *
 *   changes    9 numbers for each card, by card index:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                Prices are cents, or `noPrice` if unknown. `days` says how many days before asOf the high and the low
 *                were: the high in the upper 16 bits, the low in the lower 16.
 *   changedOn  the day of each card's last change, counted from 1970: the first day of the card's newest run of equal
 *                history rows. For a card without history it is the day of `updatedAt`, or `noDay` without that.
 *   byChange, byChangeDown   the cards of each game, one game after the other, by their change over a week
 *   byChangedOn              the same, by the day of their last change, newest first
 */
import { i32Column, indexFile, noMeta, u32Column } from './format.ts'
import { noPrice } from './lists-file.ts'

export const changesFileName = 'changes.msgpack'

/** Where each of a card's numbers is in `changes`, and how many numbers a card has. */
export const change = { to: 0, from: 1, high: 6, low: 7, days: 8, size: 9 } as const

/** The periods of changes. The index of a period is its number. */
export const periods = [
  { name: '1d', days: 1 },
  { name: '7d', days: 7 },
  { name: '30d', days: 30 },
  { name: '90d', days: 90 },
  { name: '1y', days: 365 },
] as const

export type PeriodName = (typeof periods)[number]['name']

/** The number of the period by whose change lists are sorted. */
export const week = 1

/**
 * The number of days of the spans *to* and *from*. The spans are that long so that a gap of a weekend or a week in the
 * data hides no change.
 */
export const toDays = 3
export const fromDays = 7
/** The number of days up to asOf in which the high and the low are found. */
export const rangeDays = 365

/** True if both prices are known and the change has a percentage. */
export const isKnown = (from: number, to: number): boolean => from !== noPrice && to !== noPrice && from !== 0

/** The change in tenths of a percent, rounded half away from zero. Exact: all numbers are whole and below 2 ** 53. */
export function percentTenths(from: number, to: number): number {
  const amount = to - from
  const tenths = Math.floor((2000 * Math.abs(amount) + from) / (2 * from))
  return amount < 0 && tenths > 0 ? -tenths : tenths
}

export const directions = ['up', 'down'] as const
/** The index of `up` in `directions`. */
export const up = 0

export const { write: writeChangesFile, read: readChangesFile } = indexFile(
  'changes',
  { changes: u32Column, changedOn: i32Column, byChange: u32Column, byChangeDown: u32Column, byChangedOn: u32Column },
  noMeta,
)

export type ChangesFile = ReturnType<typeof readChangesFile>
