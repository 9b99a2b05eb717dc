/**
 * Sends what this server has counted to the accounts' store, after it was written down here: the file is the truth, and
 * nothing waits for the store. Rows of `usage` and `key_uses` are marked `unsent` when they are written, until the store has
 * them as they are.
 *
 * The store keeps a stamp for each server, a new one with each batch. A batch is taken only where the stamp is that of the
 * batch before: so one that comes late never overwrites newer counts. Another stamp shows that the store was emptied or
 * restored. A stamp begins with the first day that the store may lack something of; everything from the day before it on is
 * sent again, since counts of a day are still written a moment after it.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { sentLookMs, usageDaysKept } from '../../limits.ts'
import { type Clocks, systemClocks } from '../../quota/clocks.ts'
import type { Store } from '../../store/store.ts'
import { copiedId, nameIn, type ReplicationConnection } from '../replication/connection.ts'
import {
  defineUsageScripts,
  endOfMonthKept,
  keptSeconds,
  lastUsesName,
  monthOf,
  sentName,
  usageName,
} from './usage-scripts.ts'

/** Of 1 KB each: what the store and this thread do in a row takes a millisecond at most. */
export const blocksAtOnce = 64
export const usesAtOnce = 256

export class UsageSender {
  readonly #connection: ReplicationConnection
  readonly #store: Store
  readonly #isFollowed: () => boolean
  readonly #clocks: Clocks
  #lookedAt = Number.NEGATIVE_INFINITY
  #sending: Promise<void> | undefined

  /** @param isFollowed whether the store's accounts are those of the copy: counts of others are not its own */
  constructor(
    connection: ReplicationConnection,
    store: Store,
    isFollowed: () => boolean,
    clocks: Clocks = systemClocks,
  ) {
    this.#isFollowed = isFollowed
    this.#connection = connection
    this.#store = store
    this.#clocks = clocks
    defineUsageScripts(connection.redis)
    connection.listen({
      onAway: () => {
        this.#lookedAt = Number.NEGATIVE_INFINITY
      },
    })
  }

  /** Begins to send what there is, unless that is under way. Whatever hinders it is tried again at a later call. */
  send(): void {
    if (this.#sending !== undefined || this.#connection.run === undefined || !this.#isFollowed()) return
    this.#sending = this.sendAll()
      .catch(() => {})
      .finally(() => {
        this.#sending = undefined
      })
  }

  /** Sends the last of it, if that can be done within so long. The file holds it in any case. */
  async close(msMax: number): Promise<void> {
    await Promise.race([this.#finish(), pause(msMax, undefined, { ref: false })])
  }

  async #finish(): Promise<void> {
    await this.#sending
    this.send()
    await this.#sending
  }

  /** Rejects with an AccountsError. */
  async sendAll(): Promise<void> {
    const id = copiedId(this.#store, this.#connection)
    let mustLook = this.#clocks.steady() - this.#lookedAt >= sentLookMs
    while ((await this.#sendBlocks(id, mustLook)) > 0) mustLook = false
    while ((await this.#sendUses(id)) > 0);
  }

  /** Returns how many there were. @param mustLook whether the store is asked for its stamp even if there is none */
  async #sendBlocks(id: string, mustLook: boolean): Promise<number> {
    const store = this.#store
    const today = dayOfMs(this.#clocks.wall())
    // At a server's first time the store may have anything of it, or nothing.
    const known = store.setting('sent')
    const unsent = known === undefined ? [] : store.unsentUsage(blocksAtOnce)
    if (unsent.length === 0 && known !== undefined && !mustLook) return 0
    this.#lookedAt = this.#clocks.steady()
    const first = unsent.length === 0 ? undefined : Math.min(today, store.firstUnsentDay())
    const stamp = first === undefined ? (known ?? '') : `${first} ${randomBytes(6).toString('hex')}`
    const server = store.serverId()
    const keys = [nameIn(id, sentName)]
    const values: (string | number | Buffer)[] = []
    for (const { day, block, counts } of unsent) {
      if (day <= today - usageDaysKept) continue
      const { name, field, end } = placeOf(id, server, day, block)
      keys.push(name)
      values.push(field, Buffer.from(counts), end)
    }
    const found = await this.#connection.ask((redis) =>
      redis.sendUsage(keys.length, ...keys, server, known ?? '', stamp, ...values),
    )
    if (found === known && unsent.length === 0) return 0
    store.write(() => {
      if (found === stamp && known !== undefined) store.markUsageSent(unsent)
      else store.markUnsent(Math.min(found === '' ? 0 : Number.parseInt(found, 10) - 1, today))
      store.setSetting('sent', found)
    })
    return 1
  }

  async #sendUses(id: string): Promise<number> {
    const uses = this.#store.unsentKeyUses(usesAtOnce)
    if (uses.length === 0) return 0
    const pairs = uses.flatMap(({ key, second }) => [second, key])
    const name = nameIn(id, lastUsesName)
    await this.#connection.ask(async (redis) => {
      await redis.zadd(name, 'GT', ...pairs)
      await redis.expire(name, keptSeconds)
    })
    this.#store.write(() => this.#store.markKeyUsesSent(uses))
    return uses.length
  }
}

/**
 * A backup's counts go to the accounts' store under the name of the server that was backed up; what the store knows of it stays,
 * since it is newer. The restored store becomes another server's, which has counted nothing yet: so no request is counted twice.
 * Rejects with an AccountsError.
 */
export async function migrateUsage(store: Store, connection: ReplicationConnection): Promise<void> {
  const server = store.setting('serverId')
  if (server === undefined) return
  const id = copiedId(store, connection)
  for (let from: [day: number, block: number] = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]; ; ) {
    const keys = store.usageKeys(from, blocksAtOnce)
    if (keys.length === 0) break
    await connection.ask(async (redis) => {
      const handing = redis.pipeline()
      for (const [day, block] of keys) {
        const { name, field, end } = placeOf(id, server, day, block)
        handing.hsetnx(name, field, Buffer.from(store.usageBlock(day, block)!)).expireat(name, end)
      }
      const failed = (await handing.exec())?.find(([error]) => error !== null)?.[0]
      if (failed) throw failed
    })
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
  store.becomeAnotherServer()
}

/** Where a block of a server's usage is: the name of its month, its field, and when the month expires (Unix seconds). */
function placeOf(id: string, server: string, day: number, block: number) {
  const date = dateOfDay(day)
  const month = monthOf(date)
  return { name: nameIn(id, usageName(month, block)), field: `${date} ${server}`, end: endOfMonthKept(month) }
}
