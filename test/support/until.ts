/** Waiting for what must come true, with a bound that only a fault reaches. */
import { setTimeout as sleep } from 'node:timers/promises'

/** @param seen what there is instead, for the error */
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
    // A server that is asked all the time is busy with that.
    await sleep(Math.min(Math.max(20, ms / 10), 100))
  }
}
