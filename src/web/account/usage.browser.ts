/** Keeps the figures of today's requests up to date while the dashboard is open and visible. */

import { numberText } from '../shared/figures.browser.ts'
import type { UsageNow } from './usage-now.ts'

/** The time between two requests. Since a response takes time as well, the page is at most 5 s behind. */
const everyMs = 3000

const [used, limit] = document.querySelectorAll<HTMLDataElement>('#used data')
const meter = document.getElementById('used-meter') as HTMLMeterElement | null
const exhausted = document.getElementById('exhausted')
const refused = document.getElementById('refused')
const refusedCount = refused?.querySelector('data')

async function refresh(): Promise<void> {
  if (document.hidden) return
  const reply = await fetch('/dashboard/usage.json', { headers: { Accept: 'application/json' } })
  // The session was ended on another page.
  if (reply.status === 401) location.assign('/')
  if (!reply.ok) return
  const now: UsageNow = await reply.json()
  showQuota(now)
  showRequests(now)
}

function showQuota(now: UsageNow): void {
  for (const place of document.querySelectorAll('.resets-in')) {
    if (place.textContent !== now.resetsIn) place.textContent = now.resetsIn
  }
  if (exhausted === null || refused === null || refusedCount == null) return
  write(refusedCount, now.refused)
  refused.hidden = now.refused === 0
  exhausted.hidden = now.used < now.limit
  exhausted.role = exhausted.hidden ? null : 'status'
}

function showRequests(now: UsageNow): void {
  if (used === undefined || limit === undefined || meter === null) return
  if (Number(used.value) === now.used && Number(limit.value) === now.limit) return
  write(used, now.used)
  write(limit, now.limit)
  // The plan may have changed.
  meter.high *= now.limit / meter.max
  meter.max = now.limit
  meter.value = now.used
  meter.ariaValueText = now.text
  const figure = document.querySelector(`tr:has([datetime="${now.date}"])`)?.querySelector('data')
  if (figure == null) return
  write(figure, now.used)
  document.dispatchEvent(new CustomEvent('figures'))
}

/** Writes only a figure that differs, so that a screen reader does not read the others again. */
function write(figure: HTMLDataElement, value: number): void {
  if (figure.value === String(value)) return
  figure.value = String(value)
  figure.textContent = numberText(figure.value)
}

/** Sends one request after the other. It goes on after a failure. */
async function goOn(): Promise<void> {
  await refresh().catch(() => undefined)
  setTimeout(goOn, everyMs)
}

setTimeout(goOn, everyMs)
document.addEventListener('visibilitychange', () => refresh().catch(() => undefined))
