/** When a new key expires: on a date, after a number of days, or never. */
import { html } from 'hono/html'
import { dateOfDay, dayEndMs, dayOfDate, dayOfMs, noDay } from '../../calendar.ts'
import { isoDate } from '../shared/page-figures.ts'
import type { Html } from '../site.ts'

export interface ExpiryForm {
  /** A date as YYYY-MM-DD, or empty. */
  readonly expires?: string
  /** The days of a preset; empty for never. It is ignored if there is a date. */
  readonly expiresIn?: string
}

const presets: readonly (readonly [days: string, label: string])[] = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Never'],
]

/** Returns when the key expires, in ms since 1970; null for never. If the form is wrong, returns a message. */
export function expiryOf({ expires = '', expiresIn = '' }: ExpiryForm, now: number): number | null | string {
  if (expires === '') {
    const isPreset = presets.some(([days]) => days === expiresIn)
    if (!isPreset) return 'Choose a preset or a date.'
    return expiresIn === '' ? null : dayEndMs(dayOfMs(now) + Number(expiresIn))
  }
  const day = dayOfDate(expires)
  if (day === noDay) return 'This is not a date. Write it like 2027-01-31.'
  return dayEndMs(day) <= now ? 'This date is in the past.' : dayEndMs(day)
}

/** @param about attributes of the field if it is wrong @param message the message beside the field if it is wrong */
export const expiryFields = (
  { expires = '', expiresIn = '' }: ExpiryForm,
  now: number,
  about: Html | '',
  message: Html | '',
): Html => html`<label for="expires">Expires</label>
<input id="expires" name="expires" type="date" min="${isoDate(now)}" value="${expires}"${about}>
<div class="presets" role="radiogroup" aria-label="Expiry presets">
${presets.map(([days, label]) => {
  const checked = days === expiresIn ? html` checked` : ''
  const date = days === '' ? '' : dateOfDay(dayOfMs(now) + Number(days))
  return html`<label><input type="radio" name="expires-in" value="${days}" data-date="${date}"${checked}>${label}</label>
`
})}
</div>
${message}
<p class="hint">The key works until the end of that day (UTC).</p>`
