/** Days as numbers: a day is counted from 1970-01-01, which is 0; days before it are negative. */

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const
const dayMs = 86_400_000

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** From 0000-01-01; the year 0 is a leap year. */
const daysBeforeYear = (year: number): number =>
  year * 365 + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400)

const daysBefore1970 = daysBeforeYear(1970)

/** What `dayOf` answers where the calendar has no such day. */
export const noDay = -0x8000_0000

/** The day's number, or `noDay` if the calendar has no such day. Years are 0 to 9999. */
export function dayOf(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1) return noDay
  const before = daysBeforeMonth[month - 1]!
  const leapDay = isLeap(year) ? 1 : 0
  const days = daysBeforeMonth[month]! - before + (month === 2 ? leapDay : 0)
  if (day > days) return noDay
  return daysBeforeYear(year) - daysBefore1970 + before + (month > 2 ? leapDay : 0) + day - 1
}

/** The day's number of a text YYYY-MM-DD, or `noDay` if it is none. */
export function dayOfDate(text: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return match === null ? noDay : dayOf(Number(match[1]), Number(match[2]), Number(match[3]))
}

/** YYYY-MM-DD */
export const dateOfDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
