/**
 * Reads from the accounts' store how many requests other servers have answered, and when keys were last used anywhere.
 */
import { dateOfDay, dayOfDate } from '../../calendar.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import type { ListedKey } from '../registry.ts'
import { keyOfAccounts, type ReplicationConnection, replicatedId } from '../replication/replication-connection.ts'
import { defineUsageScripts, lastUsesName, monthsOf, usageName } from './usage-scripts.ts'

export class OthersUsage {
  readonly #connection: ReplicationConnection
  readonly #store: Store

  constructor(connection: ReplicationConnection, store: Store) {
    this.#connection = connection
    this.#store = store
    defineUsageScripts(connection.redis)
  }

  /**
   * An account's requests on each day from the first to the last. Rejects with an AccountsError if the accounts' store
   * can't be asked.
   */
  async ofAccount(account: number, first: number, last: number): Promise<number[]> {
    const days = await this.ofBlock(blockOf(account), first, last)
    return days.map((counts) => counts?.[account % blockAccounts] ?? 0)
  }

  /** For each day, the requests of a block's accounts by place in the block; undefined for a day without requests. */
  async ofBlock(block: number, first: number, last: number): Promise<(Uint32Array | undefined)[]> {
    const id = replicatedId(this.#store, this.#connection)
    const values = [dateOfDay(first), dateOfDay(last), this.#store.serverId()]
    const answers = await this.#connection.query((redis) =>
      Promise.all(
        monthsOf(first, last).map((month) =>
          redis.readUsageBuffer(1, keyOfAccounts(id, usageName(month, block)), ...values),
        ),
      ),
    )
    const sums: (Uint32Array | undefined)[] = Array.from({ length: last - first + 1 })
    for (const answer of answers) {
      for (let i = 0; i < answer.length; i += 2) {
        const at = dayOfDate(answer[i]!.toString('latin1')) - first
        sums[at] ??= new Uint32Array(blockAccounts)
        for (const [place, count] of countsIn(answer[i + 1]).entries()) sums[at][place]! += count
      }
    }
    return sums
  }

  /** The requests of all accounts on a day, by account number. */
  async onDay(day: number): Promise<Uint32Array> {
    const blocks = Math.ceil(this.#store.counter('nextAccount') / blockAccounts)
    const sums = new Uint32Array(blocks * blockAccounts)
    for (let block = 0; block < blocks; block++) {
      const [counts] = await this.ofBlock(block, day, day)
      if (counts !== undefined) sums.set(counts, block * blockAccounts)
    }
    return sums
  }

  async usedAnywhere(keys: readonly ListedKey[]): Promise<ListedKey[]> {
    if (keys.length === 0) return []
    const name = keyOfAccounts(replicatedId(this.#store, this.#connection), lastUsesName)
    const seconds = await this.#connection.query((redis) => redis.zmscore(name, ...keys.map(({ number }) => number)))
    return keys.map((key, i) => {
      const lastUsedAt = Math.max(key.lastUsedAt ?? 0, Number(seconds[i] ?? 0) * 1000)
      return { ...key, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
    })
  }
}
