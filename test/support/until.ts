/** Waiting for what must come true, with a bound that only a fault reaches. */
import { setTimeout as sleep } from 'node:timers/promises'

export async function until(what: string, isSo: () => boolean | Promise<boolean>, msMax = 30_000): Promise<void> {
  const end = performance.now() + msMax
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${msMax} ms`)
    await sleep(20)
  }
}
