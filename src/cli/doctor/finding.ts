/** What the doctor finds of a part of the service. */
import type { SettingName } from '../../setting-names.ts'
import type { Settings } from '../../settings.ts'

export interface Found {
  readonly state: 'ok' | 'warn' | 'bad'
  readonly found: string
  /** What to do; null where all is well. */
  readonly advice: string | null
}

export interface Finding extends Found {
  readonly part: string
}

export interface Part {
  readonly part: string
  /** Where one of them is wrong, the part is not looked at. */
  readonly settings: readonly SettingName[]
  /** False for parts that the settings don't ask for. */
  readonly isUsed?: (settings: Settings) => boolean
  look(settings: Settings): Promise<Found>
}

export const ok = (found: string): Found => ({ state: 'ok', found, advice: null })
export const warn = (found: string, advice: string): Found => ({ state: 'warn', found, advice })
export const bad = (found: string, advice: string): Found => ({ state: 'bad', found, advice })

export const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** `3 hours ago`. */
export function ago(ms: number, now = Date.now()): string {
  const age = now - ms
  if (age >= 2 * dayMs) return `${Math.floor(age / dayMs)} days ago`
  if (age >= 2 * hourMs) return `${Math.floor(age / hourMs)} hours ago`
  return `${Math.max(0, Math.floor(age / 60_000))} minutes ago`
}
