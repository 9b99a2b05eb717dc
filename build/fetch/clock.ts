/** The clock of fetches; tests use a faster one. */
import { setTimeout as pause } from 'node:timers/promises'

export interface Clock {
  /** The time in ms since 1970. */
  now(): number
  /** Never wakes early. */
  sleep(ms: number): Promise<void>
}

/** @param factor how many times faster than real time */
export function clockOf(factor = 1): Clock {
  const started = performance.now()
  const startedAt = Date.now()
  return {
    now: () => startedAt + (performance.now() - started) * factor,
    // A timer may fire slightly early.
    sleep: (ms) => pause(Math.ceil(ms / factor) + 1),
  }
}
