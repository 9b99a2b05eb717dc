/**
 * Sends this server's counts to the accounts' store, after STORE_DIR has them. STORE_DIR is the truth, and nothing waits for the
 * accounts' store. Rows of `usage` and `key_uses` are marked `unsent` when they change, until the accounts' store has them.
 *
 *   batch 1: none → a ─▶ store has a       batch 1 arrives again, late: the store has b, not none ─▶ rejected
 *   batch 2: a → b    ─▶ store has b       batch 3: b → c, but the store was restored and has a  ─▶ rejected: send again
 *
 * The store keeps a fencing token for each server, and each batch sets a new token. The store accepts a batch only if
 * it still has the token of the batch before. So a late batch never overwrites newer counts, and a server notices that
 * the store was emptied or restored.
 *
 * A token begins with a day: before its batch, the store may have lacked counts from that day on. After a rejection,
 * the server sends all counts again from the day before the day in the store's token. It is the day before, because a
 * day's last counts are written shortly after the day ends.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { keyOfAccounts, type ReplicationConnection, replicatedId } from '../replication/replication-connection.ts'
import { defineUsageScripts, keptSeconds, lastUsesName, monthOf, sentName, usageName } from './usage-scripts.ts'

/** The sizes of a batch. A block is 1 KB, so a batch occupies the store and this thread for a millisecond at most. */
export const blocksAtOnce = 64
export const usesAtOnce = 256

export class UsageSender {
  readonly #connection: ReplicationConnection
  readonly #store: Store
  readonly #isFollowing: () => boolean
  readonly #clock: () => number
  #sending: Promise<void> | undefined

  /** @param isFollowing whether the accounts' store has the accounts of the replica: if not, nothing is sent */
  constructor(
    connection: ReplicationConnection,
    store: Store,
    isFollowing: () => boolean,
    clock: () => number = Date.now,
  ) {
    this.#isFollowing = isFollowing
    this.#connection = connection
    this.#store = store
    this.#clock = clock
    defineUsageScripts(connection.redis)
  }

  /** Starts sending, unless an earlier call is still sending. If sending fails, a later call tries again. */
  send(): void {
    if (this.#sending !== undefined || this.#connection.runId === undefined || !this.#isFollowing()) return
    this.#sending = this.sendAll()
      .catch(() => {})
      .finally(() => {
        this.#sending = undefined
      })
  }

  /** Sends the last counts if there is time. STORE_DIR has them in any case. */
  async close(msMax: number): Promise<void> {
    await Promise.race([this.#finish(), pause(msMax, undefined, { ref: false })])
  }

  async #finish(): Promise<void> {
    await this.#sending
    this.send()
    await this.#sending
  }

  /** Sends all that is unsent. Rejects with an AccountsError. */
  async sendAll(): Promise<void> {
    const id = replicatedId(this.#store, this.#connection)
    while (await this.#sendBlocks(id));
    while (await this.#sendUses(id));
  }

  /** Sends a batch. Returns whether there may be more. Even if there is nothing to send, it compares the tokens. */
  async #sendBlocks(id: string): Promise<boolean> {
    const store = this.#store
    const today = dayOfMs(this.#clock())
    // Without a token, it is unknown which counts of this server the store has: this call only reads the store's token.
    const known = store.setting('sent')
    const unsent = known === undefined ? [] : store.unsentUsage(blocksAtOnce)
    const first = unsent.length === 0 ? undefined : Math.min(today, store.firstUnsentDay())
    const token = first === undefined ? (known ?? '') : `${first} ${randomBytes(6).toString('hex')}`
    const server = store.serverId()
    const keys = [keyOfAccounts(id, sentName)]
    const values: (string | Buffer)[] = []
    for (const { day, block, counts } of unsent) {
      if (day <= today - usageDaysKept) continue
      const { key, field } = keyOfBlock(id, server, day, block)
      keys.push(key)
      values.push(field, Buffer.from(counts))
    }
    const found = await this.#connection.query((redis) =>
      redis.sendUsage(keys.length, ...keys, server, known ?? '', token, ...values),
    )
    if (found === known && unsent.length === 0) return false
    store.write(() => {
      if (found === token && known !== undefined) store.markUsageSent(unsent)
      else store.markUnsent(Math.min(found === '' ? 0 : Number.parseInt(found, 10) - 1, today))
      store.setSetting('sent', found)
    })
    return true
  }

  async #sendUses(id: string): Promise<boolean> {
    const uses = this.#store.unsentKeyUses(usesAtOnce)
    if (uses.length === 0) return false
    const pairs = uses.flatMap(({ key, second }) => [second, key])
    const name = keyOfAccounts(id, lastUsesName)
    await this.#connection.query(async (redis) => {
      await redis.zadd(name, 'GT', ...pairs)
      await redis.expire(name, keptSeconds)
    })
    this.#store.write(() => this.#store.markKeyUsesSent(uses))
    return true
  }
}

/**
 * Sends a backup's counts under the id of the server that was backed up. Counts of that server that the accounts' store
 * already has stay, because they are newer. The restored store then gets a new server id and no counts, so no request
 * is counted twice. Rejects with an AccountsError.
 */
export async function migrateUsage(store: Store, connection: ReplicationConnection): Promise<void> {
  const server = store.setting('serverId')
  if (server === undefined) return
  const id = replicatedId(store, connection)
  for (let from: [day: number, block: number] = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]; ; ) {
    const keys = store.usageKeys(from, blocksAtOnce)
    if (keys.length === 0) break
    await connection.query(async (redis) => {
      const pipeline = redis.pipeline()
      for (const [day, block] of keys) {
        const { key, field } = keyOfBlock(id, server, day, block)
        pipeline.hsetnx(key, field, Buffer.from(store.usageBlock(day, block)!)).expire(key, keptSeconds)
      }
      const failed = (await pipeline.exec())?.find(([error]) => error !== null)?.[0]
      if (failed) throw failed
    })
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
  store.becomeAnotherServer()
}

/** The key and field of a server's block. */
function keyOfBlock(id: string, server: string, day: number, block: number) {
  const date = dateOfDay(day)
  return { key: keyOfAccounts(id, usageName(monthOf(date), block)), field: `${date} ${server}` }
}
