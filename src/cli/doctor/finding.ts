/** Findings of the doctor. */
import { dayMs } from '../../calendar.ts'
import type { Settings } from '../../settings.ts'

export interface Found {
  readonly state: 'ok' | 'warn' | 'bad'
  readonly found: string
  /** Advice; null if all is well. */
  readonly advice: string | null
}

export interface Finding extends Found {
  readonly part: string
}

export type Look = (settings: Settings) => Promise<Found>

export const ok = (found: string): Found => ({ state: 'ok', found, advice: null })
export const warn = (found: string, advice: string): Found => ({ state: 'warn', found, advice })
export const bad = (found: string, advice: string): Found => ({ state: 'bad', found, advice })

const states = ['ok', 'warn', 'bad'] as const

/** Joins several findings of a part. The result has the worst of their states. @param found at least one finding */
export function allOf(found: readonly Found[]): Found {
  const state = states.findLast((each) => found.some((one) => one.state === each))!
  const advice = new Set(found.flatMap((one) => one.advice ?? []))
  return { state, found: found.map((one) => one.found).join('; '), advice: [...advice].join('; ') || null }
}

const hourMs = 3_600_000
/** Builds and backups that are older than this get a warning, as in the alerts. */
export const freshMsMax = 36 * hourMs

/** `3 hours ago`, or `3 hours in the future` if this clock or an earlier one is wrong. */
export function ago(ms: number, now = Date.now()): string {
  const age = now - ms
  if (age <= -60_000) return ago(now, ms).replace(/ago$/, 'in the future')
  if (age >= 2 * dayMs) return `${Math.floor(age / dayMs)} days ago`
  if (age >= 2 * hourMs) return `${Math.floor(age / hourMs)} hours ago`
  return `${Math.max(0, Math.floor(age / 60_000))} minutes ago`
}
