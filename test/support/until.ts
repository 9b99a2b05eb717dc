/** Waits for a condition. Only a fault reaches the time limit. */
import { setTimeout as sleep } from 'node:timers/promises'

/** @param seen returns the actual state, for the error */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  msMax = 120_000,
  seen?: () => unknown,
): Promise<void> {
  const start = performance.now()
  while (!(await isSo())) {
    const ms = performance.now() - start
    if (ms > msMax) throw new Error(`${what}: not within ${msMax} ms${seen === undefined ? '' : `, but ${seen()}`}`)
    // A server that is asked without pauses would be busy with these requests.
    await sleep(Math.min(Math.max(20, ms / 10), 100))
  }
}
