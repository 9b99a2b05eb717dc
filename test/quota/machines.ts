/** Servers that share a quota store, each with a store of its own that holds the same accounts. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { accountNamed, createAccount } from '../../src/accounts/registry.ts'
import type { PlanName } from '../../src/plans.ts'
import { storeFileName } from '../../src/store/database.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer, passed } from '../support/accounts-server.ts'
import { temporaryFolder } from '../support/command.ts'

export class Machines {
  readonly #folder = temporaryFolder()
  readonly #quotaStore: string
  #count = 0

  constructor(quotaStore: string) {
    this.#quotaStore = quotaStore
  }

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

  async start(env: NodeJS.ProcessEnv = {}, storeDir = this.newStore()): Promise<AccountsServer> {
    return AccountsServer.start({ STORE_DIR: storeDir, QUOTA_STORE: this.#quotaStore, ...env })
  }

  startMany(count: number, env: NodeJS.ProcessEnv = {}): Promise<AccountsServer[]> {
    return Promise.all(Array.from({ length: count }, () => this.start(env)))
  }
}

export const stop = (running: readonly AccountsServer[]): Promise<unknown> =>
  Promise.all(running.map((server) => server.kill('SIGTERM')))

/**
 * Takes until nothing more comes for longer than an unused lease is kept; returns how many got through.
 * @param expected how many there should be: then it takes only a few times more
 */
export async function drain(
  running: readonly AccountsServer[],
  key: string,
  expected = Number.POSITIVE_INFINITY,
): Promise<number> {
  let total = 0
  for (let quiet = 0; quiet < (total === expected ? 4 : 12); ) {
    const taken = await Promise.all(running.map((server) => server.take(key, 20)))
    const now = taken.reduce((sum, lefts) => sum + passed(lefts), 0)
    total += now
    quiet = now === 0 ? quiet + 1 : 0
    await pause(200)
  }
  return total
}
