/**
 * Days, moments and dates, in UTC. A day is a whole number; 1970-01-01 is 0, and earlier days are negative. A moment is
 * in ms since 1970. A date is a text YYYY-MM-DD of the years 0 to 9999.
 *
 *   moment ── dayOfMs ──▶ day ── dateOfDay ──▶ date
 *          ◀─ dayEndMs ──     ◀─ dayOfDate ───
 */

export const dayMs = 86_400_000

/** `dayOfDate` returns this if the text is not a date. */
export const noDay = -0x8000_0000

/** The day of a date, or `noDay` if the text is not a date. */
export function dayOfDate(date: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? dayOfMs(Date.parse(date)) : Number.NaN
  // Date.parse reads the 31st of a shorter month as a day of the next month.
  return Number.isNaN(day) || dateOfDay(day) !== date ? noDay : day
}

export const dateOfDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The day of a moment. */
export const dayOfMs = (ms: number): number => Math.floor(ms / dayMs)

/** The first moment after the day. */
export const dayEndMs = (day: number): number => (day + 1) * dayMs
