/**
 * Sends this server's counts to the database after they are in STORE_DIR. STORE_DIR is the truth, and nothing waits for
 * the database. Rows of `usage` and `key_uses` are marked `unsent` when they change, until the database has them.
 *
 *   batch 1: none → a ─▶ database has a       batch 1 arrives again, late: the database has b, not none ─▶ rejected
 *   batch 2: a → b    ─▶ database has b       batch 3: b → c, but a restored database has a ─▶ rejected: send again
 *
 * The database keeps a token for each server, and each batch sets a new token. It accepts a batch only if it still has
 * the token of the batch before. So a late batch never overwrites newer counts, and a server notices that the database
 * was emptied or restored.
 *
 * A token begins with a day: before its batch, the database may have lacked counts from that day on. After a rejection,
 * the server sends all counts again from the day before the day in the token that the database has. It is the day
 * before, because a day's last counts are written shortly after the day ends.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, countsIn } from '../../store/usage-block.ts'

/**
 * The most blocks, and the most uses of keys, in a batch: up to 4,096 accounts, which take the database about 40 ms.
 */
export const blocksAtOnce = 16
export const usesAtOnce = 4096
const batchMsMax = 5000
/** The pauses between sending counts, and between sending uses of keys. */
const sendMs = 1000
const sendUsesMs = 10_000

interface SenderOptions {
  readonly connection: PostgresConnection
  readonly store: Store
  /** True if the database has the accounts of this copy. Otherwise nothing is sent. */
  readonly isFollowing: () => boolean
  readonly clock?: (() => number) | undefined
  /** Called when everything was sent, and while nothing may be sent. */
  readonly onIdle?: () => void
  readonly onFailed?: (reason: string) => void
}

export class UsageSender {
  readonly #options: SenderOptions
  readonly #clock: () => number
  #sending: Promise<void> | undefined
  #sentAt = Number.NEGATIVE_INFINITY
  #usesSentAt = Number.NEGATIVE_INFINITY

  constructor(options: SenderOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
  }

  /** Sends what is unsent, once a second at most. If sending fails, a later call tries again. */
  send(isLast = false): void {
    const { connection, isFollowing, onIdle, onFailed } = this.#options
    const now = performance.now()
    if (this.#sending !== undefined || !connection.isUp) return
    if (!isFollowing()) {
      onIdle?.()
      return
    }
    if (!isLast && now - this.#sentAt < sendMs) return
    this.#sentAt = now
    this.#sending = this.sendAll(isLast)
      .then(onIdle, (error: Error) => onFailed?.(error.message))
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
    this.send(true)
    await this.#sending
  }

  /**
   * Sends everything that is unsent. Rejects with an AccountsError.
   * @param mustSendUses sends uses of keys in any case
   */
  async sendAll(mustSendUses = true): Promise<void> {
    while (await this.#sendBlocks());
    if (!mustSendUses && performance.now() - this.#usesSentAt < sendUsesMs) return
    this.#usesSentAt = performance.now()
    while (await this.#sendUses());
  }

  /** Sends a batch. Returns whether there may be more. Even if there is nothing to send, it compares the tokens. */
  async #sendBlocks(): Promise<boolean> {
    const { store, connection } = this.#options
    const today = dayOfMs(this.#clock())
    // Without a token, this server does not know which of its counts the database has. This call then only reads the
    // token.
    const known = store.setting('sent')
    const unsent = known === undefined ? [] : store.unsentUsage(blocksAtOnce)
    const first = unsent.length === 0 ? undefined : Math.min(today, store.firstUnsentDay())
    const token = first === undefined ? (known ?? '') : `${first} ${randomBytes(6).toString('hex')}`
    const counts = countsOf(unsent.filter(({ day }) => day > today - usageDaysKept))
    const values = [store.serverId(), known ?? '', token, ...counts]
    const sql = 'SELECT card_prices.send_usage($1, $2, $3, $4, $5, $6) AS found'
    const [answer] = await connection.query<{ found: string }>(sql, values, batchMsMax)
    const { found } = answer!
    if (found === known && unsent.length === 0) return false
    store.write(() => {
      if (found === token && known !== undefined) store.markUsageSent(unsent)
      else store.markUnsent(Math.min(found === '' ? 0 : Number.parseInt(found, 10) - 1, today))
      store.setSetting('sent', found)
    })
    return true
  }

  async #sendUses(): Promise<boolean> {
    const { store, connection } = this.#options
    const uses = store.unsentKeyUses(usesAtOnce)
    if (uses.length === 0) return false
    const sql = `INSERT INTO card_prices.key_uses
      SELECT key, to_timestamp(second) FROM unnest($1::int[], $2::float8[]) u (key, second) ORDER BY key
      ON CONFLICT (key) DO UPDATE SET last_used = excluded.last_used WHERE key_uses.last_used < excluded.last_used`
    await connection.query(sql, [uses.map(({ key }) => key), uses.map(({ second }) => second)], batchMsMax)
    store.write(() => store.markKeyUsesSent(uses))
    return true
  }
}

interface Block {
  readonly day: number
  readonly block: number
  readonly counts: Uint8Array
}

/** The counts of blocks as three columns: accounts, dates, requests. */
function countsOf(blocks: readonly Block[]): [accounts: number[], dates: string[], requests: number[]] {
  const rows = blocks.flatMap(({ day, block, counts }) =>
    [...countsIn(counts).entries()]
      .filter(([, count]) => count > 0)
      .map(([place, count]) => [block * blockAccounts + place, dateOfDay(day), count] as const),
  )
  return [rows.map(([account]) => account), rows.map(([, date]) => date), rows.map(([, , count]) => count)]
}

/**
 * Sends all counts of a STORE_DIR under the id of its server. Counts of that server that the database already has stay,
 * because they are newer. Rejects with an AccountsError.
 */
export async function sendWholeUsage(store: Store, query: PostgresConnection['query']): Promise<void> {
  const sql = `INSERT INTO card_prices.usage SELECT account, day, $1, requests
    FROM unnest($2::int[], $3::date[], $4::int[]) u (account, day, requests) ON CONFLICT DO NOTHING`
  for (let from: [day: number, block: number] = [dayOfMs(Date.now()) - usageDaysKept + 1, 0]; ; ) {
    const keys = store.usageKeys(from, blocksAtOnce)
    if (keys.length === 0) return
    const blocks = keys.map(([day, block]) => ({ day, block, counts: store.usageBlock(day, block)! }))
    await query(sql, [store.serverId(), ...countsOf(blocks)], batchMsMax)
    const [day, block] = keys.at(-1)!
    from = [day, block + 1]
  }
}
