/** The day's quota is the account's and not the name's: after a rename there is no new one, and a new account has a whole one. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plans } from '../../src/plans.ts'
import { deniedMs } from '../../src/quota/leases/lease-manager.ts'
import { amount, someOf } from '../support/amount.ts'
import { runAccountsOf, temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { Counting } from './counting.ts'

const postgres = await Postgres.start()
const quota = plans.free.requestsPerDay

const restarts = ['', ', restarted after each change', ', restarted after every second change']

class Servers {
  readonly #stores: readonly string[]
  readonly #databaseUrl: string | undefined
  #running: Counting[] = []

  constructor(count: number, databaseUrl: string | undefined) {
    this.#stores = Array.from({ length: count }, () => join(temporaryFolder(), 'store'))
    this.#databaseUrl = databaseUrl
  }

  /** Runs a command at the first server. */
  async do(...words: string[]): Promise<string> {
    const env = { STORE_DIR: this.#stores[0]!, DATABASE_URL: this.#databaseUrl }
    const { code, stdout, stderr } = await runAccountsOf(env, ...words, '--json')
    assert.deepEqual([code, stderr], [0, ''], words.join(' '))
    return JSON.parse(stdout).key
  }

  async restart(): Promise<void> {
    await this.stop()
    const start = (storeDir: string) => new Counting().startOn({ storeDir, databaseUrl: this.#databaseUrl })
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
    for (let quiet = 0; quiet < 2; await pause(this.#databaseUrl === undefined ? 0 : deniedMs + 100)) {
      const now = await this.letIn(key, quota)
      count += now
      quiet = now === 0 ? quiet + 1 : 0
    }
    return count
  }
}

describe('The quota of an account that is renamed', { concurrency: true, timeout: 300_000 }, () => {
  for (const [where, count] of [
    ['at a server by itself', 1],
    ['at three servers', 3],
  ] as const) {
    const skip = count > 1 && skipWithout('postgres')
    // Changes between restarts; 0: no restart.
    for (const every of someOf([amount(2, 1), 0], 1)) {
      it(`The day’s quota stays with a renamed account ${where}${restarts[every]}`, {
        skip,
      }, async (test) => {
        const servers = new Servers(count, count > 1 ? await postgres.database() : undefined)
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
