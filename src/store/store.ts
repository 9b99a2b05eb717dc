/**
 * STORE_DIR/accounts.db as its readers and writers see it; the tables are in schema.ts. All calls are synchronous and throw
 * AccountsError. Each read sees what any thread or process has committed before.
 *
 *   write    one transaction
 *   change   a write of what servers share; refused where STORE_DIR is a copy of shared accounts
 *   try      what a change would do, for replication
 */
import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { AccountsError } from './accounts-error.ts'
import { Database, storeFileName } from './database.ts'
import type { AuditEntry, AuditRow, CopyOf, Settings } from './records.ts'
import { sharedTables } from './schema.ts'
import { Tables } from './tables.ts'

export interface Contents {
  readonly accounts: number
  /** Revoked and expired ones too. */
  readonly keys: number
}

interface Tried<T> {
  readonly result: T
  /** SQLite changesets, to be applied in order; none if nothing changed. */
  readonly changesets: readonly Uint8Array[]
  /** Which state was changed. */
  readonly at: CopyOf | undefined
}

/** To apply so many rows takes some milliseconds. */
const changesetRowsMax = 1000

export class Store extends Tables {
  readonly dir: string
  readonly database: Database
  #isTouched = false
  #isTrying = false
  /** Rows that were put since the changeset was cut last. */
  #tried = 0
  #actor: string | undefined

  /** Opens the store, and makes it if there is none. @param name what errors call it */
  constructor(storeDir: string, name?: string) {
    super()
    this.dir = storeDir
    this.database = new Database(join(storeDir, storeFileName), name)
  }

  // The audit log

  /** Runs changes in the name of somebody: `page ACCOUNT` for a person on the pages. */
  as<T>(actor: string, action: () => T): T {
    const before = this.#actor
    this.#actor = actor
    try {
      return action()
    } finally {
      this.#actor = before
    }
  }

  record({ action, account, keyId, detail }: AuditEntry, now = Date.now()): void {
    this.#actor ??= `command ${userName()}@${hostname()}`
    const whose = { accountNumber: account?.number ?? null, account: account?.name ?? null, keyId: keyId ?? null }
    const entry = { time: now, actor: this.#actor, action, ...whose, detail: detail ?? null }
    this.database.put('audit_log', 'number', entry)
  }

  /** Newest first. @param account its number; undefined: of all */
  *auditLog(account: number | undefined, since: number): Generator<AuditRow> {
    const sql = `SELECT number, time, actor, action, account, key_id, detail FROM audit_log
      WHERE number < ?1 AND time >= ?2 AND (?3 IS NULL OR account_number = ?3) ORDER BY number DESC LIMIT 1000`
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = this.database.all<AuditRow & { number: number }>(sql, before, since, account ?? null)
      if (rows.length === 0) return
      before = rows.at(-1)!.number
      for (const { number: _, ...row } of rows) yield row
    }
  }

  removeAuditLogBefore(time: number, most: number): number {
    const sql =
      'DELETE FROM audit_log WHERE number IN (SELECT number FROM audit_log WHERE time < ? ORDER BY number LIMIT ?)'
    return this.database.run(sql, time, most)
  }

  // Settings

  setting<Name extends keyof Settings>(name: Name): Settings[Name] | undefined {
    const row = this.database.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)
    if (row === undefined) return undefined
    try {
      return JSON.parse(row.value) as Settings[Name]
    } catch {
      throw new AccountsError(`the store's setting ${name} is damaged: restore a backup`)
    }
  }

  /** @param value undefined: none */
  setSetting<Name extends keyof Settings>(name: Name, value: Settings[Name] | undefined): void {
    if (value === undefined) this.database.run('DELETE FROM settings WHERE name = ?', name)
    else this.database.put('settings', 'name', { name, value: JSON.stringify(value) })
  }

  get generation(): number {
    return this.setting('generation') ?? 0
  }

  /** Made when it is first asked for. */
  serverId(): string {
    const known = this.setting('serverId')
    if (known !== undefined) return known
    return this.write(() => {
      const id = this.setting('serverId') ?? randomBytes(6).toString('hex')
      this.setSetting('serverId', id)
      return id
    })
  }

  /** Whoever runs on it is not the server that did, and has counted nothing. */
  becomeAnotherServer(): void {
    this.write(() => {
      this.setSetting('serverId', undefined)
      this.setSetting('sent', undefined)
      this.database.run('DELETE FROM usage')
    })
  }

  // Transactions

  protected touch(): void {
    this.#isTouched = true
    if (!this.#isTrying || ++this.#tried < changesetRowsMax) return
    this.#tried = 0
    this.database.cut()
  }

  /**
   * All of it or nothing; on disk when it returns. What `action` throws undoes it and is thrown on.
   * @param waitMsMax for the transaction of another thread or process
   */
  write<T>(action: () => T, waitMsMax?: number): T {
    if (this.database.isInTransaction) return action()
    this.#isTouched = false
    const result = this.database.transaction(() => {
      const made = action()
      if (this.#isTouched) this.raiseGeneration()
      return made
    }, waitMsMax)
    // A WAL that is damaged loses what it holds, and a revocation must not be lost.
    if (this.#isTouched) this.database.checkpoint()
    return result
  }

  /** A `write` that all servers must learn of. Throws where the store is a copy of what servers share. */
  change<T>(action: () => T): T {
    return this.write(() => {
      if (this.#isTrying || this.setting('copyOf') === undefined) return action()
      throw new AccountsError(
        'the accounts here are a copy of those that servers share: set ACCOUNTS_STORE to change them',
      )
    })
  }

  /** What a change would do to the store as it is now; the store stays as it is. */
  try<T>(action: () => T): Tried<T> {
    this.#isTrying = true
    this.#tried = 0
    try {
      let at: CopyOf | undefined
      const { result, changesets } = this.database.rehearse(() => {
        // Not before, and not after: this machine's server may bring the copy further at any time.
        at = this.setting('copyOf')
        return action()
      })
      return { result, changesets, at }
    } finally {
      this.#isTrying = false
    }
  }

  // Replication

  /** Makes the changes that were tried on another copy of the same rows. Throws Diverged if its rows were others. */
  apply(changeset: Uint8Array): void {
    this.database.apply(changeset, (table) => {
      if (table === 'accounts' || table === 'keys') this.touch()
    })
  }

  /** Writes the shared tables, as they are at one moment, into an SQLite file; returns which state that is. */
  snapshotTo(file: string): CopyOf | undefined {
    const { database } = this
    database.attach(file)
    try {
      return database.reading(() => {
        for (const table of Object.keys(sharedTables)) {
          database.run(`CREATE TABLE other.${table} AS SELECT * FROM main.${table}`)
        }
        return this.setting('copyOf')
      })
    } finally {
      database.detach()
    }
  }

  /**
   * Makes the shared tables those of a snapshot, in steps of some milliseconds, each to be run in a `write`. What is between
   * two steps is partly old and partly new. @param atOnce in one step
   */
  *stepsTo(file: string, atOnce: boolean): Generator<() => void> {
    const { database } = this
    database.attach(file)
    try {
      const tables = Object.entries(sharedTables)
      if (atOnce) {
        yield () => {
          for (const [table] of tables) this.#copyRows(table, '')
        }
        return
      }
      for (const [table, column] of tables) {
        if (column === null) {
          yield () => this.#copyRows(table, '')
          continue
        }
        database.run(`CREATE INDEX other.${table}_by_${column} ON ${table} (${column})`)
        const sql = `SELECT max(ifnull((SELECT max(${column}) FROM main.${table}), -1), ifnull((SELECT max(${column}) FROM other.${table}), -1)) AS last`
        const { last } = database.get<{ last: number }>(sql)!
        const range = `WHERE ${column} >= ? AND ${column} < ?`
        for (let first = 0; first <= last; first += changesetRowsMax) {
          yield () => this.#copyRows(table, range, first, first + changesetRowsMax)
        }
      }
    } finally {
      database.detach()
    }
  }

  #copyRows(table: string, where: string, ...range: number[]): void {
    this.database.run(`DELETE FROM main.${table} ${where}`, ...range)
    // A name or a hash may be another row's that is not copied yet.
    this.database.run(`INSERT OR REPLACE INTO main.${table} SELECT * FROM other.${table} ${where}`, ...range)
  }

  /** Threads look accounts and keys up again. */
  raiseGeneration(): void {
    this.setSetting('generation', this.generation + 1)
  }

  contents(): Contents {
    const sql =
      'SELECT (SELECT count(*) FROM accounts WHERE deleted_at IS NULL) AS accounts, (SELECT count(*) FROM keys) AS keys'
    return this.database.get<Contents>(sql)!
  }

  async close(): Promise<void> {
    this.database.close()
  }
}

/** Of whoever runs the command; a container may run as a number without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
