/** Keeps today's requests true while the dashboard is open and seen. */
import type { UsageNow } from '../usage-now.ts'

/** A page is at most 5 s behind: so often it asks, and an answer takes its time. */
const everyMs = 3000

const used = document.getElementById('used')
const meter = document.getElementById('used-meter') as HTMLMeterElement | null

async function bringUpToDate(): Promise<void> {
  if (document.hidden) return
  const reply = await fetch('/dashboard/usage.json', { headers: { Accept: 'application/json' } })
  // The session was ended elsewhere.
  if (reply.status === 401) location.assign('/')
  if (!reply.ok) return
  show(await reply.json())
}

function show(now: UsageNow): void {
  if (used === null || meter === null || used.textContent === now.text) return
  used.textContent = now.text
  meter.max = now.limit
  meter.value = now.used
  meter.ariaValueText = now.text
  const cell = document.querySelector<HTMLElement>(`tr[data-date="${now.date}"] td`)
  if (cell === null) return
  cell.dataset['value'] = String(now.used)
  cell.textContent = now.used.toLocaleString('en')
  document.dispatchEvent(new CustomEvent('figures'))
}

/** One after the other; what fails is asked again. */
async function goOn(): Promise<void> {
  await bringUpToDate().catch(() => undefined)
  setTimeout(goOn, everyMs)
}

setTimeout(goOn, everyMs)
document.addEventListener('visibilitychange', () => bringUpToDate().catch(() => undefined))
