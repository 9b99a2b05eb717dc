/** Which uses of keys the accounts' store lacks, of those that this server's file holds. */
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf } from '../../store/usage-block.ts'
import type { FeedConnection } from '../feed/connection.ts'
import type { LastUse } from '../last-uses.ts'
import { nameIn, storeName } from './same-store.ts'
import { lastUsesName } from './usage-scripts.ts'

/** What takes the store less than a millisecond. */
export const usesAtOnce = 256
const useBytes = 8

export class UnsentUses {
  readonly #store: Store
  /** By key number: the second. */
  readonly #used = new Map<number, number>()
  /** From which key on all are unsent, whenever they were used; undefined: none is. */
  #from: number | undefined

  constructor(store: Store) {
    this.#store = store
  }

  get isEmpty(): boolean {
    return this.#used.size === 0 && this.#from === undefined
  }

  add(uses: readonly LastUse[]): void {
    for (const [key, second] of uses) this.#used.set(key, second)
  }

  /** All that the file holds are unsent. */
  catchUp(): void {
    this.#from = 0
  }

  /** Rejects with an AccountsError if the store did not take them; then they are still unsent. */
  async sendSome(connection: FeedConnection, id: string): Promise<void> {
    const uses = this.#take()
    if (uses.length === 0) return
    const names = uses.map(([key]) => nameIn(id, lastUsesName(blockOf(key))))
    const packed = Buffer.alloc(useBytes * uses.length)
    for (const [i, [key, second]] of uses.entries()) {
      packed.writeUInt32LE(key % blockAccounts, useBytes * i)
      packed.writeUInt32LE(second, useBytes * i + useBytes / 2)
    }
    try {
      await connection.ask((redis) => redis.sendLastUses(1 + names.length, storeName, ...names, id, packed))
    } catch (error) {
      // A key may have been used again meanwhile.
      this.add(uses.filter(([key]) => !this.#used.has(key)))
      throw error
    }
  }

  #take(): LastUse[] {
    const taken: LastUse[] = []
    for (const use of this.#used) {
      if (taken.length === usesAtOnce) return taken
      this.#used.delete(use[0])
      taken.push(use)
    }
    if (this.#from === undefined || taken.length === usesAtOnce) return taken
    const more = this.#store.keyUsesFrom(this.#from, usesAtOnce - taken.length)
    this.#from = more.length === 0 ? undefined : more.at(-1)![0] + 1
    return [...taken, ...more]
  }
}
