/**
 * STORE_DIR/accounts.db: transactions, audit log, settings and replication; tables.ts has the other tables. All calls are synchronous
 * and throw AccountsError. A read sees what any thread or process has committed.
 *
 *   write    one transaction
 *   change   a write to tables that servers share; refused if STORE_DIR is a replica
 *   try      what a change would do, for replication
 */
import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { AccountsError } from './accounts-error.ts'
import { Database, storeFileName } from './database.ts'
import type { AuditAction, AuditEntry, AuditRow, ReplicaState, Settings } from './store-records.ts'
import { sharedTables } from './store-schema.ts'
import { Tables } from './tables.ts'

export interface Contents {
  readonly accounts: number
  /** Including revoked and expired ones. */
  readonly keys: number
}

interface AuditFilter {
  /** The account's number. */
  readonly account?: number | undefined
  readonly action?: AuditAction | undefined
  /** ms since 1970 */
  readonly since: number
  /** Selects the entries whose number is lower than this one. */
  readonly before: number
}

interface Tried<T> {
  readonly result: T
  /** SQLite changesets to apply in order; none if nothing changed. */
  readonly changesets: readonly Uint8Array[]
  /** The state on which the change was tried. */
  readonly replica: ReplicaState | undefined
}

/** The most rows of a changeset, and of a step that copies a snapshot. Applying so many takes some milliseconds. */
const changesetRowsMax = 1000

export class Store extends Tables {
  readonly dir: string
  readonly database: Database
  #isTouched = false
  #isTrying = false
  /** Rows in the present changeset. */
  #triedRows = 0
  #actor: string | undefined

  /** Opens the store, or creates it. @param name as in Database */
  constructor(storeDir: string, name?: string) {
    super()
    this.dir = storeDir
    this.database = new Database(join(storeDir, storeFileName), name)
  }

  // The audit log

  /** Records changes within `action` as made by `actor`: `page ACCOUNT` for a person on the pages. */
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
    const subject = { accountNumber: account?.number ?? null, account: account?.name ?? null, keyId: keyId ?? null }
    const entry = { time: now, actor: this.#actor, action, ...subject, detail: detail ?? null }
    this.database.put('audit_log', 'number', entry)
  }

  /** Newest first, in batches. @param account its number; undefined for all accounts */
  *auditLog(account: number | undefined, since: number): Generator<AuditRow[]> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = this.auditEntries({ account, since, before }, 1000)
      if (rows.length === 0) return
      before = rows.at(-1)!.number
      yield rows.map(({ number: _, ...row }) => row)
    }
  }

  /** The newest of the selected entries, with their numbers. */
  auditEntries(
    { account, action, since, before }: AuditFilter,
    limit: number,
  ): (AuditRow & { readonly number: number })[] {
    const sql = `SELECT number, time, actor, action, account, key_id, detail FROM audit_log
      WHERE number < ?1 AND time >= ?2 AND (?3 IS NULL OR account_number = ?3) AND ifnull(action = ?4, 1)
      ORDER BY number DESC LIMIT ?5`
    return this.database.all(sql, before, since, account ?? null, action ?? null, limit)
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

  /** @param value undefined deletes the setting */
  setSetting<Name extends keyof Settings>(name: Name, value: Settings[Name] | undefined): void {
    if (value === undefined) this.database.run('DELETE FROM settings WHERE name = ?', name)
    else this.database.put('settings', 'name', { name, value: JSON.stringify(value) })
  }

  get generation(): number {
    return this.setting('generation') ?? 0
  }

  /** Created at the first call. */
  serverId(): string {
    const make = () => {
      const id = this.setting('serverId') ?? randomBytes(6).toString('hex')
      this.setSetting('serverId', id)
      return id
    }
    return this.setting('serverId') ?? this.write(make)
  }

  /** Forgets the server's id and its counts. */
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
    if (this.#isTrying && ++this.#triedRows >= changesetRowsMax) this.startChangeset()
  }

  /**
   * Begins a new changeset, which servers apply after the changes made until now. The rows within one changeset have no
   * order. So two accounts could not swap their names, which are unique, within one changeset.
   */
  startChangeset(): void {
    this.#triedRows = 0
    if (this.#isTrying) this.database.startChangeset()
  }

  /**
   * Runs `action` in one transaction, which is on disk when this returns. If `action` throws, nothing is written.
   * @param waitMsMax how long to wait for a transaction of another thread or process
   */
  write<T>(action: () => T, waitMsMax?: number): T {
    if (this.database.isInTransaction) return action()
    this.#isTouched = false
    const result = this.database.transaction(() => {
      const value = action()
      if (this.#isTouched) this.raiseGeneration()
      return value
    }, waitMsMax)
    // If a WAL is damaged, the changes in it are lost. A revocation must not be lost, so it is moved into the file.
    if (this.#isTouched) this.database.checkpoint()
    return result
  }

  /** A `write` that all servers must learn of. Throws if the store is a replica. */
  change<T>(action: () => T): T {
    return this.write(() => {
      if (this.#isTrying || this.setting('copyOf') === undefined) return action()
      throw new AccountsError('the accounts here are a replica of shared accounts: set ACCOUNTS_STORE to change them')
    })
  }

  /** Returns what a change would do, and rolls it back. */
  try<T>(action: () => T): Tried<T> {
    this.#isTrying = true
    this.#triedRows = 0
    try {
      let replica: ReplicaState | undefined
      const { result, changesets } = this.database.rehearse(() => {
        // Read within the transaction, because this machine's server may update the replica at any time.
        replica = this.setting('copyOf')
        return action()
      })
      return { result, changesets, replica }
    } finally {
      this.#isTrying = false
    }
  }

  // Replication

  /** @see Database.apply */
  apply(changeset: Uint8Array): void {
    this.database.apply(changeset, (table) => {
      if (table === 'accounts' || table === 'keys') this.touch()
    })
  }

  /** Writes the shared tables, as they are at one moment, to an SQLite file. Returns their state. */
  snapshotTo(file: string): ReplicaState | undefined {
    const { database } = this
    database.attach(file)
    try {
      return database.readAtOnce(() => {
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
   * Replaces the shared tables by those of a snapshot, in steps of some milliseconds. Run each step in a `write`.
   * Between two steps, the tables have both old and new rows.
   */
  *stepsTo(file: string): Generator<() => void> {
    const { database } = this
    database.attach(file)
    try {
      const has = 'SELECT 1 FROM other.sqlite_schema WHERE name = ?'
      // If a server of an earlier release wrote the snapshot, tables that came later are missing in it.
      const tables = Object.entries(sharedTables).filter(([table]) => database.get(has, table) !== undefined)
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
    // A row from `other` may have the name or hash of an old row in `main` that only a later step would delete. REPLACE
    // deletes that old row now.
    this.database.run(`INSERT OR REPLACE INTO main.${table} SELECT * FROM other.${table} ${where}`, ...range)
  }

  /** Makes threads look accounts and keys up again. */
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

/** A container may run as a user number without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
