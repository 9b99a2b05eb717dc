/** Prices, days and addresses as sources write them. */
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../../src/calendar.ts'
import { priceCentsMax } from '../../../src/limits.ts'
import { centsOf } from '../../read/cents.ts'

/** Whole cents, half a cent up, as the number is written; or what is wrong with it. Most prices need no look at their digits. */
export function centsOfNumber(value: number): number | string {
  const scaled = value * 100
  const nearest = Math.round(scaled)
  return value >= 0 && nearest <= priceCentsMax && Math.abs(scaled - nearest) < 1e-6 ? nearest : centsOf(String(value))
}

/** `12`, `12.3`, `12.34` */
export function decimalOf(cents: number): string {
  const whole = Math.floor(cents / 100)
  const rest = cents % 100
  if (rest === 0) return `${whole}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`
}

/** What a history may hold (the build refuses other days), and what a card or a price of our games may have. */
const dayMin = '1990-01-01'
const dayMax = '2099-12-31'

/** The day of a date or time YYYY-MM-DD…; null if it is none, or one that can't be. */
export function dayOfText(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10)
  return day !== undefined && dayOfDate(day) !== noDay && day >= dayMin && day <= dayMax ? day : null
}

/** A clock or a time zone may be off by a day. */
export const isAfterTomorrow = (day: string): boolean => day > dateOfDay(dayOfMs(Date.now()) + 1)

export const dayOfTime = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The address of an image, with another base if one is given: then only its file's name is the source's. Null if it is none. */
export function imageOf(address: string | null | undefined, base: string | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null
  if (base === undefined) return address
  const name = new URL(address).pathname.split('/').at(-1)
  return name ? `${base.replace(/\/$/, '')}/${name}` : null
}
