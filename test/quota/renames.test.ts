/** The day's quota is the account's and not the name's: after a rename there is no new one, and a new account has a whole one. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plans } from '../../src/plans.ts'
import { deniedMs } from '../../src/quota/leases/lease-manager.ts'
import { amount, someOf } from '../support/amount.ts'
import { runAccountsOf, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { Counting, ownStore } from './counting.ts'

const quota = plans.free.requestsPerDay

const restarts = ['', ', restarted after each change', ', restarted after every second change']

interface Settings {
  readonly quotaStore?: string
  readonly accountsStore?: string
}

class Servers {
  readonly #stores: readonly string[]
  readonly #settings: Settings
  #running: Counting[] = []

  constructor(count: number, settings: Settings) {
    this.#stores = Array.from({ length: count }, () => join(temporaryFolder(), 'store'))
    this.#settings = settings
  }

  /** Runs a command at the first server. Those that share no accounts import its accounts. */
  async do(...words: string[]): Promise<string> {
    const printed = await this.#run(this.#stores[0]!, ...words)
    const file = join(temporaryFolder(), 'accounts.json')
    if (this.#settings.accountsStore === undefined) await this.#run(this.#stores[0]!, 'export', file)
    for (const store of this.#settings.accountsStore === undefined ? this.#stores.slice(1) : []) {
      await this.#run(store, 'import', file)
    }
    return JSON.parse(printed).key
  }

  async #run(storeDir: string, ...words: string[]): Promise<string> {
    const env = { STORE_DIR: storeDir, ACCOUNTS_STORE: this.#settings.accountsStore }
    const { code, stdout, stderr } = await runAccountsOf(env, ...words, '--json')
    assert.deepEqual([code, stderr], [0, ''], words.join(' '))
    return stdout
  }

  async restart(): Promise<void> {
    await this.stop()
    const start = (storeDir: string) => new Counting().startOn({ storeDir, ...this.#settings })
    this.#running = await Promise.all(this.#stores.map(start))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((server) => server.close()))
  }

  /** At each server in turn; how many were let in. */
  async letIn(key: string, times: number): Promise<number> {
    let count = 0
    for (const server of this.#running) count += await server.letIn(key, times)
    return count
  }

  /** How many are let in until nothing more is, though servers release what they have leased. */
  async letInAll(key: string): Promise<number> {
    let count = 0
    for (let quiet = 0; quiet < 2; await pause(this.#settings.quotaStore === undefined ? 0 : deniedMs + 100)) {
      const now = await this.letIn(key, quota)
      count += now
      quiet = now === 0 ? quiet + 1 : 0
    }
    return count
  }
}

describe('the day’s quota', { concurrency: true, timeout: 60_000 }, () => {
  for (const [where, count, sharesQuotas, sharesAccounts] of [
    ['at a server by itself', 1, false, false],
    ['at a server with a quota store', 1, true, false],
    ['at three servers, of which two import accounts', 3, true, false],
    ['at three servers that share accounts', 3, true, true],
  ] as const) {
    const skip = sharesQuotas && skipWithout('redis-server')
    // Changes between restarts; 0: no restart.
    for (const every of someOf([amount(2, 1), 0], 1)) {
      it(`goes with the account and not with its name ${where}${restarts[every]}`, {
        skip,
      }, async (test) => {
        const url = sharesQuotas ? (await ownStore(test)).redis.url : undefined
        const servers = new Servers(count, {
          ...(url && { quotaStore: url }),
          ...(sharesAccounts && { accountsStore: url! }),
        })
        test.after(() => servers.stop())
        const acme = await servers.do('create', 'acme', '--plan', 'free')
        await servers.restart()
        let changes = 0
        const again = async (...words: string[]): Promise<string> => {
          const key = await servers.do(...words)
          if (++changes % every === 0) await servers.restart()
          return key
        }
        let used = await servers.letIn(acme, 40)
        assert.ok(used > 30)
        await again('rename', 'acme', 'acme of old')
        used += await servers.letInAll(acme)
        assert.equal(used, quota, 'renamed')
        const second = await again('create', 'acme', '--plan', 'free')
        assert.equal(await servers.letInAll(second), quota, 'the name is used again')
        await again('delete', 'acme', '--yes')
        await again('rename', 'acme of old', 'acme')
        assert.equal(await servers.letIn(acme, 1), 0, 'renamed back')
        await again('delete', 'acme', '--yes')
        const third = await again('create', 'acme', '--plan', 'free')
        assert.equal(await servers.letInAll(third), quota, 'deleted and made again')
      })
    }
  }
})
