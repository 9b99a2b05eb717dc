/**
 * Days, moments and dates, in UTC. A day is a whole number; 1970-01-01 is 0, and earlier days are negative. A moment is in ms since
 * 1970. A date is a text YYYY-MM-DD of the years 0 to 9999.
 *
 *   moment ── dayOfMs ──▶ day ── dateOfDay ──▶ date
 *          ◀─ dayEndMs ──     ◀─ dayOfDate ───
 */

export const dayMs = 86_400_000

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** From 0000-01-01; the year 0 is a leap year. */
const daysBeforeYear = (year: number): number =>
  year * 365 + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400)

const daysBefore1970 = daysBeforeYear(1970)

/** Returned by `dayOfDate` if there is no such day. */
export const noDay = -0x8000_0000

/** The day of a date, or `noDay` if the text is not a date. */
export function dayOfDate(date: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  return match === null ? noDay : dayNumbered(Number(match[1]), Number(match[2]), Number(match[3]))
}

function dayNumbered(year: number, month: number, dayOfMonth: number): number {
  if (month < 1 || month > 12 || dayOfMonth < 1) return noDay
  const before = daysBeforeMonth[month - 1]!
  const leapDay = isLeap(year) ? 1 : 0
  const days = daysBeforeMonth[month]! - before + (month === 2 ? leapDay : 0)
  if (dayOfMonth > days) return noDay
  return daysBeforeYear(year) - daysBefore1970 + before + (month > 2 ? leapDay : 0) + dayOfMonth - 1
}

export const dateOfDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The day of a moment. */
export const dayOfMs = (ms: number): number => Math.floor(ms / dayMs)

/** The first moment after the day. */
export const dayEndMs = (day: number): number => (day + 1) * dayMs
