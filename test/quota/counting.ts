/** A server without HTTP and without a process, on clocks that are set, and a quota store of a test's own. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Redis } from 'ioredis'
import pino from 'pino'
import { AccountsHost, type AccountsOptions } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { accountNamed, createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import type { PlanName } from '../../src/plans.ts'
import { refusal } from '../../src/quota/quota.ts'
import { storeFileName } from '../../src/store/database.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { believe, type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

export const noon = Date.parse('2026-11-21T12:00:00Z')

/** The rest of a quota after each of so many requests; -1 when it is used up. */
export const countDown = (quota: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.max(quota - 1 - i, -1))

/** STORE_DIRs that hold the same accounts. */
export class Machines {
  readonly #folder = temporaryFolder()
  #count = 0

  /** New accounts, whose ids are their names; returns their keys by name. Call it before any machine is made. */
  async accounts<Name extends string>(names: readonly Name[], plan: PlanName = 'free'): Promise<Record<Name, string>> {
    const store = new Store(join(this.#folder, 'first'))
    const keys = names.map((name) => [name, createAccount(store, name, plan, Date.now()).key])
    for (const name of names) store.putAccountId(accountNamed(store, name), name)
    await store.close()
    return Object.fromEntries(keys)
  }

  /** The STORE_DIR of a further machine. */
  newStore(): string {
    const storeDir = join(this.#folder, `machine-${this.#count++}`)
    mkdirSync(storeDir)
    copyFileSync(join(this.#folder, 'first', storeFileName), join(storeDir, storeFileName))
    return storeDir
  }
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

  start(machines: Machines, quotaStore: string, quotaFail?: 'open' | 'closed'): Promise<this> {
    return this.startOn({ storeDir: machines.newStore(), quotaStore, quotaFail })
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

export interface TestedStore {
  readonly redis: RedisServer
  readonly client: Redis
  /** Each server's share of the account's quota. */
  held(account: string, day?: number): Promise<number[]>
}

/** Of this test alone, which stops it: others can do so with theirs at the same time. It has been there for long. */
export async function ownStore(test: TestContext, password?: string): Promise<TestedStore> {
  const redis = await startRedis(password)
  const client = new Redis(redis.url)
  client.on('error', () => undefined)
  test.after(async () => {
    redis.resume()
    client.disconnect()
    await redis.stop()
  })
  await believe(redis)
  const held = async (account: string, day = dayOfMs(noon)): Promise<number[]> =>
    (await client.hvals(`card-prices:quota:${dateOfDay(day)}:${account}`)).map(Number)
  return { redis, client, held }
}

/** A server with the new account `acme` and its key, and a quota store of its own. */
export async function oneServer(test: TestContext, plan: PlanName = 'free', password?: string) {
  const store = await ownStore(test, password)
  const machines = new Machines()
  const { acme: key } = await machines.accounts(['acme'], plan)
  const server = await new Counting().start(machines, store.redis.url)
  // A test that fails does not close it, and the file would never end.
  test.after(() => server.close())
  return { ...store, machines, key, server }
}
