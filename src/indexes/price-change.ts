/**
 * How a card's price has changed. Prices are cents; `asOf` is the newest day of the data.
 *
 *   days   … asOf-13 ──── asOf-7 … asOf-2 ─ asOf
 *            └── from, of 7d ──┘     └─ to ──┘      the newest row of each whose market price is known
 */
import { noPrice } from './lists-file.ts'

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
