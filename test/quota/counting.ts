/** A server without HTTP and without a process, on clocks that are set, and a database of a test's own. */
import type { TestContext } from 'node:test'
import pino from 'pino'
import { AccountsHost, type AccountsOptions } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { moveAccounts } from '../../src/accounts/replication/upload.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import type { PlanName } from '../../src/plans.ts'
import { refusal } from '../../src/quota/quota.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import type { Postgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

export const noon = Date.parse('2026-11-21T12:00:00Z')

/** The rest of a quota after each of so many requests; -1 when it is used up. */
export const countDown = (quota: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.max(quota - 1 - i, -1))

/** Creates accounts 0, 1, … in the database; returns their keys by name. */
export async function accountsIn<Name extends string>(
  url: string,
  names: readonly Name[],
  plan: PlanName = 'free',
): Promise<Record<Name, string>> {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const keys = names.map((name) => [name, createAccount(store, name, plan, Date.now()).key])
  await store.close()
  await moveAccounts(storeDir, url)
  return Object.fromEntries(keys)
}

export class Counting {
  readonly time = { wall: noon, aheadMs: 0 }
  #stoppedAt: number | undefined
  readonly #clocks = {
    wall: () => this.time.wall,
    monotonic: () => this.#stoppedAt ?? performance.now() + this.time.aheadMs,
  }
  readonly #lines: string[] = []
  host!: AccountsHost
  /** Requests that had to wait until now. */
  waits = 0
  #authenticator!: Authenticator
  #closed: Promise<void> | undefined

  start(databaseUrl: string, quotaFail?: 'open' | 'closed'): Promise<this> {
    return this.startOn({ storeDir: temporaryFolder(), databaseUrl, quotaFail })
  }

  async startOn(options: Omit<AccountsOptions, 'log' | 'clocks'>): Promise<this> {
    const log = pino({ level: 'info' }, { write: (line: string) => this.#lines.push(line) })
    this.host = await AccountsHost.open({ ...options, log, clocks: this.#clocks })
    this.#authenticator = new Authenticator(this.host.shared, this.#clocks.wall)
    return this
  }

  /** No lease ends from now on, however busy the machine is. */
  stopClock(): void {
    this.#stoppedAt = this.#clocks.monotonic()
  }

  get log(): string {
    return this.#lines.join('')
  }

  async take(key: string): Promise<number> {
    const access = this.#authenticator.identify(key)!
    const left = this.#authenticator.take(access)
    if (left !== refusal.pending) return left
    this.waits++
    return (await this.#authenticator.resolve(access)).left
  }

  /** The same of the first request that the store answers in time, which it may not on a busy machine. */
  async takeAnswered(key: string): Promise<number> {
    let left: number = refusal.unavailable
    await until('the store answers', async () => {
      left = await this.take(key)
      return left !== refusal.unavailable
    })
    return left
  }

  /** So many times; how many were let in. */
  async letIn(key: string, times: number): Promise<number> {
    let count = 0
    for (let i = 0; i < times; i++) if ((await this.take(key)) >= 0) count++
    return count
  }

  /** Asks until so many were let in: on a busy machine, the store may answer too late. */
  async letInAll(key: string, times: number): Promise<void> {
    let count = 0
    await until(`${times} are let in`, async () => {
      count += await this.letIn(key, times - count)
      return count === times
    })
  }

  /** May be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#authenticator.close().then(() => this.host.close())
    return this.#closed
  }
}

/** Each server's share of account 0. */
export const heldIn = (postgres: Postgres, url: string, day = dayOfMs(noon)): Promise<number[]> =>
  postgres
    .asks('SELECT granted FROM card_prices.leases WHERE account = 0 AND day = $1', url.replace(/.*\//, ''), [
      dateOfDay(day),
    ])
    .then((rows) => rows.map(({ granted }) => granted))

/** A server with the new account `acme` and its key, and a database of its own. */
export async function oneServer(test: TestContext, postgres: Postgres, plan: PlanName = 'free') {
  const url = await postgres.database()
  const { acme: key } = await accountsIn(url, ['acme'], plan)
  const server = await new Counting().start(url)
  // A test that fails does not close it, and the file would never end.
  test.after(() => server.close())
  return { url, key, server, held: () => heldIn(postgres, url) }
}
