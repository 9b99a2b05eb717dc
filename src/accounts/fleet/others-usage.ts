/** Reads from the database how many requests other servers have answered, and when keys were last used anywhere. */
import { dateOfDay } from '../../calendar.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts } from '../../store/usage-block.ts'
import type { ListedKey } from '../registry.ts'

/** How long a query about many accounts may take. */
const readMsMax = 5000

export class OthersUsage {
  readonly #connection: PostgresConnection
  readonly #store: Store
  readonly #connect: () => Promise<void>

  /** @param connect opens the connection, unless it is open */
  constructor(connection: PostgresConnection, store: Store, connect: () => Promise<void> = async () => {}) {
    this.#connection = connection
    this.#store = store
    this.#connect = connect
  }

  /**
   * Returns an account's requests at other servers on each day from the first to the last. Rejects with an
   * AccountsError if the database is unavailable.
   */
  async ofAccount(account: number, first: number, last: number): Promise<number[]> {
    const days = await this.#ofAccounts(account, account + 1, first, last)
    return days.map((counts) => counts?.[0] ?? 0)
  }

  /**
   * Returns, for each day, the requests of a block's accounts by place in the block; undefined for a day without
   * requests.
   */
  ofBlock(block: number, first: number, last: number): Promise<(Uint32Array | undefined)[]> {
    return this.#ofAccounts(block * blockAccounts, (block + 1) * blockAccounts, first, last)
  }

  /** Returns the requests of all accounts on a day, by account number. */
  async onDay(day: number): Promise<Uint32Array> {
    const end = this.#store.counter('nextAccount')
    const [counts] = await this.#ofAccounts(0, end, day, day)
    return counts ?? new Uint32Array(end)
  }

  async usedAnywhere(keys: readonly ListedKey[]): Promise<ListedKey[]> {
    const sql = `SELECT key, (extract(epoch FROM last_used) * 1000)::float8 AS at FROM card_prices.key_uses
      WHERE key = ANY($1)`
    const numbers = keys.map(({ number }) => number)
    await this.#connect()
    const found = await this.#connection.query<{ key: number; at: number }>(sql, [numbers])
    const lastUses = new Map(found.map(({ key, at }) => [key, at]))
    return keys.map((key) => {
      const lastUsedAt = Math.max(key.lastUsedAt ?? 0, lastUses.get(key.number) ?? 0)
      return { ...key, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
    })
  }

  /** Returns, for each day, the requests of the accounts with numbers from `start` to `end` - 1. */
  async #ofAccounts(start: number, end: number, first: number, last: number): Promise<(Uint32Array | undefined)[]> {
    const sql = `SELECT account, day - $3::date AS place, sum(requests)::int AS requests FROM card_prices.usage
      WHERE account >= $1 AND account < $2 AND day BETWEEN $3 AND $4 AND server <> $5 GROUP BY account, day`
    const values = [start, end, dateOfDay(first), dateOfDay(last), this.#store.serverId()]
    await this.#connect()
    type Row = { readonly account: number; readonly place: number; readonly requests: number }
    const found = await this.#connection.query<Row>(sql, values, readMsMax)
    const sums: (Uint32Array | undefined)[] = Array.from({ length: last - first + 1 })
    for (const { account, place, requests } of found) {
      sums[place] ??= new Uint32Array(end - start)
      sums[place][account - start] = requests
    }
    return sums
  }
}
