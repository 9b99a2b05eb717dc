/** Numbers, dates and prices as the pages write them. Dates are put in the reader's own way by a script, where there is one. */
import { html } from 'hono/html'
import { dayMs } from '../../calendar.ts'
import type { Html } from './frame.ts'

const whole = new Intl.NumberFormat('en')
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const momentForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

export const number = (value: number): string => whole.format(value)

/** An unknown price is never 0. */
export const price = (value: number | null | undefined): string => (value == null ? 'unknown' : cents.format(value))

/** @param date YYYY-MM-DD */
export const day = (date: string): Html => html`<time datetime="${date}">${dayForm.format(Date.parse(date))}</time>`

/** @param ms since 1970 */
export const moment = (ms: number): Html =>
  html`<time datetime="${new Date(ms).toISOString()}">${momentForm.format(ms)} UTC</time>`

/** The last day before that moment: a key that expires at a day's end works on that day. */
export const lastDayBefore = (ms: number): Html => (ms % dayMs === 0 ? day(isoDate(ms - 1)) : moment(ms))

export const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
