/** Servers that share accounts, each with a STORE_DIR of its own; commands on any machine, one without a server among them. */
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { changedOf } from '../../src/accounts/feed/entry.ts'
import type { Changed } from '../../src/store/changed.ts'
import { placeOf } from '../../src/store/changed.ts'
import { Store } from '../../src/store/store.ts'
import { build, type Outcome, runAccountsOf, temporaryFolder } from './command.ts'
import { fixtureSnapshot } from './fixture.ts'
import type { RedisServer } from './redis.ts'
import { type Service, send, startService } from './service.ts'

export class Fleet {
  readonly redis: RedisServer
  readonly #folder = temporaryFolder()
  readonly #indexDir = temporaryFolder()

  private constructor(redis: RedisServer) {
    this.redis = redis
  }

  static async of(redis: RedisServer): Promise<Fleet> {
    const fleet = new Fleet(redis)
    await build(fixtureSnapshot(), fleet.#indexDir)
    return fleet
  }

  storeDir(machine: string): string {
    return join(this.#folder, machine)
  }

  start(machine: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const own = { INDEX_DIR: this.#indexDir, STORE_DIR: this.storeDir(machine), METRICS_PORT: '0' }
    return startService({ ...own, ACCOUNTS_STORE: this.redis.url, QUOTA_STORE: this.redis.url, ...env })
  }

  /** What a command does and prints on a machine, without a process of its own. */
  run(machine: string, args: readonly string[], url: string | undefined = this.redis.url): Promise<Outcome> {
    return runAccountsOf({ STORE_DIR: this.storeDir(machine), ACCOUNTS_STORE: url }, ...args)
  }

  /** The same with --json, its answer parsed. Throws if it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  async do(machine: string, ...args: string[]): Promise<any> {
    const outcome = await this.run(machine, [...args, '--json'])
    if (outcome.code !== 0) throw new Error(`accounts ${args[0]} exited ${outcome.code}: ${outcome.stderr}`)
    return JSON.parse(outcome.stdout)
  }

  /** All that a machine's copy holds of accounts and keys, and what follows from them. */
  async copyOf(machine: string): Promise<unknown> {
    const store = new Store(this.storeDir(machine))
    const accounts = [...store.allAccounts()]
    const keyIds = store.keyIdsFrom('', 1_000_000)
    const { id, number, chain, whole } = store.copyOf()!
    const found = {
      copy: { id, number, chain, whole },
      next: [store.counter('nextAccount'), store.counter('nextKey')],
      accounts,
      keys: keyIds.map((keyId) => [keyId, store.knownKey(keyId)]),
      names: [...store.names.getRange({})],
      keysOf: accounts.map(({ number }) => store.keyIdsOf(number)),
      secrets: [...store.secrets.getRange({})].map(({ key, value }) => [Buffer.from(key).toString('hex'), value]),
    }
    await store.close()
    return found
  }

  /** The records of the shared store, by place. */
  async records(): Promise<Map<string, Changed>> {
    const redis = new Redis(this.redis.url)
    const found = await redis.hgetallBuffer('card-prices:accounts:records')
    redis.disconnect()
    const all = Object.entries(found).map(([place, bytes]) => changedOf(place, bytes))
    return new Map(all.map((changed) => [placeOf(changed), changed]))
  }
}

/** How a server answers a key. */
export const statusFor = async ({ address }: Service, key: string): Promise<number> =>
  (await send(address, '/v1/games', { headers: { 'x-api-key': key } })).status
