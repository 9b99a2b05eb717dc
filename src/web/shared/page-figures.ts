/**
 * Renders numbers, dates and prices. Each is in an element that also contains it in a form for programs. A script reads
 * that form and writes the figure in the reader's own format. Intl could format figures here, too, but would cost the
 * process 5 MB.
 */
import { html } from 'hono/html'
import { dayMs } from '../../calendar.ts'
import type { CardChanges } from '../cards/card-data.ts'
import type { Html } from '../site.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `1,234` */
export const number = (value: number): string => grouped(String(value))

export const count = (value: number): Html => inData(String(value))

/** @param digits the digits of a whole number, perhaps with a point and decimals after them */
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(\.|$))/g, ',')

/** A price. An unknown price is shown as unknown, and never as 0. */
export const price = (value: number | null | undefined): Html =>
  value == null ? html`<span class="unknown">unknown</span>` : inData(value.toFixed(2))

/** `1,234.50`, for places where an element is not possible. */
export const priceText = (value: number): string => grouped(value.toFixed(2))

/** `+3.11`, `−3.11` */
const signed = (value: number, decimals: number): Html => inData(`${value > 0 ? '+' : ''}${value.toFixed(decimals)}`)

type Change = Pick<NonNullable<CardChanges['changes']['7d']>, 'amount' | 'percent'> & { readonly from?: number }

/** ▲ +3.11 (+1.3%): with a sign, an arrow and a word, so nobody depends on colour. */
export function changeText(change: Change | null): Html {
  if (change === null || change.amount === null) return html`<span class="unknown">unknown</span>`
  const share = change.percent === null ? '' : html` <span class="share">(${signed(change.percent, 1)}%)</span>`
  if (change.amount === 0) return html`<span class="moved">unchanged</span>`
  const [way, arrow] = change.amount > 0 ? ['up', '▲'] : ['down', '▼']
  return html`<span class="moved ${way}"><span aria-hidden="true">${arrow}</span> <span class="unseen">${way}</span> ${signed(change.amount, 2)}${share}</span>`
}

/** Renders a number with the decimals of the text. */
export const inData = (text: string) => html`<data value="${text}">${grouped(text).replace('-', '−')}</data>`

/** `7 days, 30 days or 90 days` */
export const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** The heading of a column of prices. @param currency of about.json */
export const inCurrency = (text: string, currency: string | undefined): string =>
  currency === undefined ? text : `${text} (${currency})`

/** @param date YYYY-MM-DD */
export const day = (date: string): Html => html`<time datetime="${date}">${dayText(Date.parse(date))}</time>`

/** @param ms since 1970 */
export const moment = (ms: number): Html =>
  html`<time datetime="${new Date(ms).toISOString()}">${dayText(ms)}, ${new Date(ms).toISOString().slice(11, 16)} UTC</time>`

/** `22 Nov 2026` */
function dayText(ms: number): string {
  const date = new Date(ms)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/**
 * Shows the moment. If it is the end of a day, shows that day instead, because a key that expires at a day's end still
 * works on that day.
 */
export const lastDayBefore = (ms: number): Html => (ms % dayMs === 0 ? day(isoDate(ms - 1)) : moment(ms))

/** `1 h 10 min`, in whole minutes, rounded up. */
export function durationText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].filter(Boolean).join(' ')
}

export const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
