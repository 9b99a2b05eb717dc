/**
 * Whether the copy of accounts that servers share may be gone by. A process can be frozen, and thawed when a key was revoked
 * long ago and nobody waited for it. So its supervisor says again and again until when threads may trust the copy, for as
 * long as it sees no gap in its own time; after one it asks the accounts' store first.
 *
 *   cell   0: nobody is let in · else the tick until which the copy is trusted, by the machine's steady clock
 */
const tickMs = 16

/** Every thread's own clock begins with it; what the machine's was then makes them one. */
const offsetMs = (() => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6 - performance.now()
})()

/** It begins anew after more than a year, which differences do not notice. */
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
