/** Days and addresses of sources. */
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../../src/calendar.ts'

/** The days that a history may hold: the build rejects others. */
const dayMin = '1990-01-01'
const dayMax = '2099-12-31'

/** The day of a date or time YYYY-MM-DD…; null if it is none, or out of bounds. */
export function dayOfText(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10)
  return day !== undefined && dayOfDate(day) !== noDay && day >= dayMin && day <= dayMax ? day : null
}

/** A clock or a time zone may be off by a day. */
export const isAfterTomorrow = (day: string): boolean => day > dateOfDay(dayOfMs(Date.now()) + 1)

export const dayOfTime = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The address of an image; with a base, that and the file's name. Null if it is no web address. */
export function imageOf(address: string | null | undefined, base: string | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null
  if (base === undefined) return address
  const name = new URL(address).pathname.split('/').at(-1)
  return name ? `${base.replace(/\/$/, '')}/${name}` : null
}
