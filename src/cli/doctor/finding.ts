/** Findings of the doctor, and the parts of the service that it examines. */
import { dayMs } from '../../calendar.ts'
import type { SettingName, Settings } from '../../settings.ts'

export interface Found {
  readonly state: 'ok' | 'warn' | 'bad'
  readonly found: string
  /** Advice; null if all is well. */
  readonly advice: string | null
}

export interface Finding extends Found {
  readonly part: string
}

export interface Part {
  readonly part: string
  /** If one of these is invalid, the part is not examined. */
  readonly settings: readonly SettingName[]
  /** Whether the settings use the part. */
  readonly isUsed?: (settings: Settings) => boolean
  look(settings: Settings): Promise<Found>
}

export const ok = (found: string): Found => ({ state: 'ok', found, advice: null })
export const warn = (found: string, advice: string): Found => ({ state: 'warn', found, advice })
export const bad = (found: string, advice: string): Found => ({ state: 'bad', found, advice })

export const hourMs = 3_600_000

/** `3 hours ago`. */
export function ago(ms: number, now = Date.now()): string {
  const age = now - ms
  if (age >= 2 * dayMs) return `${Math.floor(age / dayMs)} days ago`
  if (age >= 2 * hourMs) return `${Math.floor(age / hourMs)} hours ago`
  return `${Math.max(0, Math.floor(age / 60_000))} minutes ago`
}
