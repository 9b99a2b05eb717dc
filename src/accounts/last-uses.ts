/** When each key was last used, in seconds: threads note it in shared memory, and it goes to the store with the counts. */
import type { Beside } from '../quota/flusher.ts'
import type { Store } from '../store/store.ts'
import type { SharedAccounts } from './shared.ts'

export class LastUses implements Beside {
  readonly #store: Store
  readonly #noted: Uint32Array
  /** As the store has them, as far as this process knows. */
  readonly #stored: Uint32Array
  #found: (readonly [key: number, second: number])[] = []

  constructor(shared: SharedAccounts, store: Store) {
    this.#store = store
    this.#noted = new Uint32Array(shared.lastUsed)
    this.#stored = new Uint32Array(this.#noted.length)
  }

  look(): boolean {
    this.#found = []
    const keys = this.#store.counter('nextKey')
    for (let key = 0; key < keys; key++) {
      const second = this.#noted[key]!
      if (second !== this.#stored[key]) this.#found.push([key, second])
    }
    return this.#found.length > 0
  }

  write(): void {
    for (const [key, second] of this.#found) this.#store.putKeyUse(key, second)
  }

  written(): void {
    for (const [key, second] of this.#found) this.#stored[key] = second
  }
}
