/**
 * STORE_DIR/accounts.db: transactions, audit log, settings and copies of shared accounts. tables.ts has the other
 * tables. All calls are synchronous and throw AccountsError. A read sees what any thread or process has committed.
 *
 *   write    one transaction
 *   change   a write to tables that servers share; throws if STORE_DIR is a copy of shared accounts
 *   try      returns what a change would do, for the database that servers share
 */
import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { AccountsError } from './accounts-error.ts'
import { Database, storeFileName } from './database.ts'
import type { TableRows } from './shared-rows.ts'
import type { AuditAction, AuditEntry, AuditRow, CopyState, Settings } from './store-records.ts'
import { Tables } from './tables.ts'

export interface Contents {
  readonly accounts: number
  /** Includes revoked and expired keys. */
  readonly keys: number
}

interface AuditFilter {
  /** The account's number. */
  readonly account?: number | undefined
  readonly action?: AuditAction | undefined
  /** ms since 1970 */
  readonly since: number
  /** Selects the entries that are older than this one; undefined for the newest. */
  readonly before?: Pick<NumberedEntry, 'time' | 'number'> | undefined
}

export interface NumberedEntry extends AuditRow {
  readonly number: number
}

interface Tried<T> {
  readonly result: T
  /** Empty if nothing changed. */
  readonly changes: readonly TableRows[]
  /** The state on which the change was tried. */
  readonly copy: CopyState | undefined
}

/** Returns the audit log's actor for changes that the account's people make on pages. */
export const pageActor = (account: string): string => `page ${account}`

export class Store extends Tables {
  readonly dir: string
  readonly database: Database
  #isTouched = false
  #isTrying = false
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

  /** Yields the entries in batches, newest first. @param account its number; undefined for all accounts */
  *auditLog(account: number | undefined, since: number): Generator<AuditRow[]> {
    for (let before: NumberedEntry | undefined; ; ) {
      const rows: NumberedEntry[] = this.auditEntries({ account, since, before }, 1000)
      if (rows.length === 0) return
      before = rows.at(-1)
      yield rows.map(({ number: _, ...row }) => row)
    }
  }

  /** The newest of the selected entries, with their numbers. */
  auditEntries({ account, action, since, before }: AuditFilter, limit: number): NumberedEntry[] {
    const conditions: readonly (readonly [sql: string, ...values: (number | string)[]])[] = [
      ['time >= ?', since],
      ...(before === undefined ? [] : [['(time, number) < (?, ?)', before.time, before.number] as const]),
      ...(account === undefined ? [] : [['account_number = ?', account] as const]),
      ...(action === undefined ? [] : [['action = ?', action] as const]),
    ]
    const sql = `SELECT number, time, actor, action, account, key_id, detail FROM audit_log
      WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY time DESC, number DESC LIMIT ?`
    return this.database.all(sql, ...conditions.flatMap(([, ...values]) => values), limit)
  }

  /** Counts the changes of that kind that the account's people have made on pages since then. */
  changesOnPages(account: number, action: AuditAction, since: number): number {
    const sql = `SELECT count(*) AS count FROM audit_log
      WHERE account_number = ? AND action = ? AND time >= ? AND actor GLOB '${pageActor('*')}'`
    return this.database.get<{ count: number }>(sql, account, action, since)!.count
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

  /** Returns the server's id, which the first call creates. */
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

  /** A `write` to tables that servers share. Throws if the store is a copy. */
  change<T>(action: () => T): T {
    return this.write(() => {
      if (this.#isTrying || !this.isCopy) return action()
      throw new AccountsError('the accounts here are a copy of shared accounts: set DATABASE_URL to change them')
    })
  }

  /** Returns what a change would do, and rolls it back. */
  try<T>(action: () => T): Tried<T> {
    this.#isTrying = true
    try {
      let copy: CopyState | undefined
      const { result, changes } = this.database.rehearse(() => {
        // Read within the transaction, because this machine's server may update the copy at any time.
        copy = this.setting('copy')
        return action()
      })
      return { result, changes, copy }
    } finally {
      this.#isTrying = false
    }
  }

  // Copies of shared accounts

  /** True if the accounts here are a copy of shared accounts, even one that a release before 3.0 made. */
  get isCopy(): boolean {
    return (this.setting('copy') ?? this.setting('copyOf')) !== undefined
  }

  /** Applies rows from the shared database. Call it within a `write`. */
  applyShared(rows: TableRows): void {
    this.database.putShared(rows)
    if (rows.table === 'accounts' || rows.table === 'keys') this.touch()
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
