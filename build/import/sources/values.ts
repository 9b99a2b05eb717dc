/** Values that several sources have. */
import * as v from 'valibot'
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../../src/calendar.ts'
import { historyDateMax, historyDateMin } from '../../../src/limits.ts'
import { wellFormed } from '../../read/snapshot-schema.ts'

/** MTGJSON's and Scryfall's ids are UUIDs. Each is a part of a line of ids.ndjson, and may become a part of an id. */
export const sourceId = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][\w .-]{0,63}$/i, 'must be a letter or digit, and at most 63 more, dots or hyphens'),
)

export const optionalText = v.nullish(v.pipe(v.string('must be a string or null'), wellFormed), null)

const notWhole = 'must be a whole number above 0'
export const wholeNumber = v.pipe(v.number(notWhole), v.safeInteger(notWhole), v.minValue(1, notWhole))

/** The day of a date or time YYYY-MM-DD…; null if it is none, or no day that a history may have. */
export function dayOfText(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10)
  return day !== undefined && dayOfDate(day) !== noDay && day >= historyDateMin && day <= historyDateMax ? day : null
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
