/**
 * Until when threads may use the replica of shared accounts. A process can be frozen and continue long after a key was revoked. So
 * the supervisor renews this lease as long as it sees no gap in its own time. After a gap, it first catches up with the store.
 *
 *   cell   0: no key is accepted · else the tick at which the lease ends, by the machine's monotonic clock
 */
const tickMs = 16

/** performance.now() starts with each thread. Adding the machine's clock makes all threads agree. */
const offsetMs = (() => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6 - performance.now()
})()

/** It overflows after more than a year, which does not matter to differences. */
const ticksNow = (): number => ((performance.now() + offsetMs) / tickMs) | 0

export class FreshnessLease {
  readonly #cell: Int32Array

  constructor(cell: SharedArrayBuffer) {
    this.#cell = new Int32Array(cell)
  }

  get holds(): boolean {
    const until = this.#cell[0]!
    return until !== 0 && ((until - ticksNow()) | 0) > 0
  }

  extend(ms: number): void {
    Atomics.store(this.#cell, 0, (ticksNow() + Math.ceil(ms / tickMs)) | 0 || 1)
  }

  withdraw(): void {
    Atomics.store(this.#cell, 0, 0)
  }
}
