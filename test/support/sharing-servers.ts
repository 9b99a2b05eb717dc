/**
 * Servers that share accounts, each with its own STORE_DIR. A command can run on any machine, even on one without a
 * server.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Replica } from '../../src/accounts/replication/replica.ts'
import { SharedStore } from '../../src/accounts/replication/shared-store.ts'
import { PostgresConnection } from '../../src/postgres/connection.ts'
import { Store } from '../../src/store/store.ts'
import type { CopyState } from '../../src/store/store-records.ts'
import { sharedTables } from '../../src/store/store-schema.ts'
import { jsonOf, type Outcome, runAccountsOf, temporaryFolder } from './command.ts'
import type { Postgres } from './postgres.ts'
import { fixtureIndex } from './sample.ts'
import { type Service, send, startService } from './service.ts'

export class Fleet {
  readonly postgres: Postgres
  readonly #folder = temporaryFolder()
  readonly #indexDir = temporaryFolder()

  private constructor(postgres: Postgres) {
    this.postgres = postgres
  }

  static async of(postgres: Postgres): Promise<Fleet> {
    const fleet = new Fleet(postgres)
    await fixtureIndex(fleet.#indexDir)
    return fleet
  }

  storeDir(machine: string): string {
    return join(this.#folder, machine)
  }

  start(machine: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const own = { INDEX_DIR: this.#indexDir, STORE_DIR: this.storeDir(machine), METRICS_PORT: '0' }
    return startService({ ...own, DATABASE_URL: this.postgres.url(), ...env })
  }

  /** Creates the account `shop` on the machine `office`, and starts servers on `a` and `b`. Returns the account's key. */
  async pair(): Promise<{ readonly key: string; readonly a: Service; readonly b: Service }> {
    const { key } = await this.do('office', 'create', 'shop', '--plan', 'business')
    const [a, b] = await Promise.all([this.start('a'), this.start('b')])
    return { key, a, b }
  }

  /** Runs an accounts command on a machine, in this process. */
  run(machine: string, args: readonly string[], url: string | undefined = this.postgres.url()): Promise<Outcome> {
    return runAccountsOf({ STORE_DIR: this.storeDir(machine), DATABASE_URL: url }, ...args)
  }

  /** The same with --json, its answer parsed. Throws if it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  async do(machine: string, ...args: string[]): Promise<any> {
    return jsonOf(await this.run(machine, [...args, '--json']), args)
  }

  /** The shared tables in a machine's copy, and the state that the copy has. */
  async copyOf(machine: string): Promise<Contents> {
    const store = new Store(this.storeDir(machine))
    const found = contentsOf(store)
    await store.close()
    return found
  }

  /** The shared tables of a new machine that has copied everything. */
  async shared(): Promise<Contents> {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    const connection = new PostgresConnection(this.postgres.url())
    try {
      await connection.connect()
      const lack = await new Replica(store).catchUp(new SharedStore(connection), { copiesAll: () => true })
      if (lack.state !== 'same') throw new Error(`the database is ${lack.state}`)
      return contentsOf(store)
    } finally {
      connection.close()
      await store.close()
    }
  }
}

type Row = Readonly<Record<string, unknown>>
type Contents = Readonly<Record<keyof typeof sharedTables, readonly Row[]>> & {
  readonly copy: CopyState | undefined
}

/** The shared tables of a store. Throws if SQLite's integrity check finds damage. */
export function contentsOf(store: Store): Contents {
  const { database } = store
  const damage = database.damage('integrity_check')
  if (damage !== undefined) throw new Error(damage)
  const tables = Object.keys(sharedTables).map((table) => {
    const rows = database.all<Row>(`SELECT * FROM ${table} ORDER BY 1, 2`)
    return [table, rows.map((row) => ({ ...row }))]
  })
  return { ...Object.fromEntries(tables), copy: store.setting('copy') }
}

/** Compares row by row, because a message with the first different row is clearer than one with both stores. */
export function assertSameContents(found: Contents, wanted: Contents): void {
  for (const [table, rows] of Object.entries(wanted) as [keyof typeof sharedTables, readonly Row[]][]) {
    if (!Array.isArray(rows)) continue
    for (const [at, row] of rows.entries()) assert.deepEqual(found[table][at], row, `row ${at} of ${table}`)
    assert.equal(found[table].length, rows.length, `rows of ${table}`)
  }
  assert.deepEqual(found.copy, wanted.copy)
}

/** The status of a server's response to a request with this key. */
export const statusFor = async ({ address }: Service, key: string): Promise<number> =>
  (await send(address, '/v1/games', { headers: { 'x-api-key': key } })).status
