/**
 * STORE_DIR/accounts.db as its readers and writers see it; the tables are in schema.ts. All calls are synchronous and throw
 * AccountsError. Each read sees what any thread or process has committed before. What is removed for its age is removed in parts:
 * at most so many rows, and the number of them is returned.
 *
 *   write    one transaction
 *   change   a write of what servers share; refused where STORE_DIR is a copy of shared accounts
 *   try      what a change would do, for replication
 */
import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { isPlanName, type PlanName } from '../plans.ts'
import { foldName } from '../search/fold.ts'
import { AccountsError } from './accounts-error.ts'
import { Database, storeFileName } from './database.ts'
import type {
  Account,
  AuditEntry,
  AuditRow,
  CopyOf,
  KeyInUse,
  KeyRecord,
  Session,
  Settings,
  SignInLink,
} from './records.ts'
import { sharedTables } from './schema.ts'
import { blockAccounts, blockOf, countAt, isBlock, type UsageBlock, withCount } from './usage-block.ts'

export type Numbered = 'nextAccount' | 'nextKey'

export interface Contents {
  readonly accounts: number
  /** Revoked and expired ones too. */
  readonly keys: number
}

export interface UnsentBlock {
  readonly day: number
  readonly block: number
  readonly counts: UsageBlock
}

interface KeyUse {
  readonly key: number
  readonly second: number
}

export interface Tried<T> {
  readonly result: T
  /** SQLite changesets, to be applied in order; none if nothing changed. */
  readonly changesets: readonly Uint8Array[]
  /** Which state was changed. */
  readonly at: CopyOf | undefined
}

/** To apply so many rows takes some milliseconds. */
const changesetRowsMax = 1000

/** In SQL: 1 where other servers share the accounts. */
const isCopy = "EXISTS (SELECT 1 FROM settings WHERE name = 'copyOf')"

const accountColumns = 'number, name, plan, created_at, suspended_at, suspended_for, deleted_at'
const keyColumns = 'number, account, name, prefix, lower(hex(hash)) AS hash, created_at, expires_at, revoked_at'

export class Store {
  readonly dir: string
  readonly database: Database
  #isTouched = false
  #isTrying = false
  /** Rows that were put since the changeset was cut last. */
  #tried = 0
  #actor: string | undefined

  /** Opens the store, and makes it if there is none. @param name what errors call it */
  constructor(storeDir: string, name?: string) {
    this.dir = storeDir
    this.database = new Database(join(storeDir, storeFileName), name)
  }

  // Accounts

  /** Throws if there is none: its number was read from another row. */
  account(number: number): Account {
    const row = this.database.get<Account>(`SELECT ${accountColumns} FROM accounts WHERE number = ?`, number)
    if (row === undefined) throw new AccountsError(`the store has no account number ${number}: restore a backup`)
    return checked(row)
  }

  accountNumber(name: string): number | undefined {
    const sql = 'SELECT number FROM accounts WHERE name = ? AND deleted_at IS NULL'
    return this.database.get<{ number: number }>(sql, name)?.number
  }

  /** The first account whose name is the same but for case and signs. */
  accountLike(name: string): Account | undefined {
    const sql = `SELECT ${accountColumns} FROM accounts WHERE folded_name = ? AND deleted_at IS NULL ORDER BY number LIMIT 1`
    const row = this.database.get<Account>(sql, foldName(name))
    return row && checked(row)
  }

  deletedAccount(name: string): Account | undefined {
    const sql = `SELECT ${accountColumns} FROM accounts WHERE name = ? AND deleted_at IS NOT NULL ORDER BY number DESC LIMIT 1`
    const row = this.database.get<Account>(sql, name)
    return row && checked(row)
  }

  accountsFrom(first: number, end: number): Account[] {
    const sql = `SELECT ${accountColumns} FROM accounts WHERE number >= ? AND number < ? ORDER BY number`
    return this.database.all<Account>(sql, first, end).map(checked)
  }

  *allAccounts(): Generator<Account> {
    const end = this.counter('nextAccount')
    for (let first = 0; first < end; first += blockAccounts) yield* this.accountsFrom(first, first + blockAccounts)
  }

  putAccount(account: Account): void {
    this.database.put('accounts', 'number', { ...account, foldedName: foldName(account.name) })
    this.#touch()
  }

  putPlanDay(account: number, fromDay: number, plan: PlanName): void {
    this.database.put('plan_days', 'account, from_day', { account, fromDay, plan })
  }

  /** Of accounts from `first` to before `end` that were on another plan before: their plans by account, latest first. */
  planDays(first: number, end: number): Map<number, { fromDay: number; plan: string }[]> {
    const sql = `SELECT account, from_day, plan FROM plan_days WHERE account IN (SELECT account FROM plan_days
      WHERE account >= ? AND account < ? GROUP BY account HAVING count(*) > 1) ORDER BY account, from_day DESC`
    const rows = this.database.all<{ account: number; fromDay: number; plan: string }>(sql, first, end)
    return Map.groupBy(rows, ({ account }) => account)
  }

  countByPlan(first: number, end: number, now: number): { plan: PlanName; accounts: number; liveKeys: number }[] {
    return this.database.all(
      `SELECT plan, count(*) AS accounts, sum((SELECT count(*) FROM keys WHERE account = accounts.number
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?))) AS liveKeys
      FROM accounts WHERE number >= ? AND number < ? AND deleted_at IS NULL GROUP BY plan`,
      ...[now, first, end],
    )
  }

  // Keys

  /** By the SHA-256 of the key as sent; undefined if there is none that is not revoked. */
  keyInUse(hash: Uint8Array): KeyInUse | undefined {
    const row = this.database.get<Omit<KeyInUse, 'isSuspended'> & { revokedAt: unknown; suspendedAt: unknown }>(
      `SELECT keys.number AS key, keys.account, plan, expires_at, revoked_at, suspended_at FROM keys
      JOIN accounts ON accounts.number = keys.account WHERE hash = ? AND revoked_at IS NULL`,
      hash,
    )
    // The index has keys in use alone. Where it is damaged, the row has the last word.
    if (row === undefined || row.revokedAt !== null) return undefined
    const { key, account, plan, expiresAt, suspendedAt } = checked(row)
    return { key, account, plan, expiresAt, isSuspended: suspendedAt !== null }
  }

  key(keyId: string): KeyRecord | undefined {
    return this.database.get<KeyRecord>(`SELECT ${keyColumns} FROM keys WHERE id = ?`, keyId)
  }

  /** An account's keys in order of creation, with the second in which this server last let each in. */
  keysOf(account: number): (KeyRecord & { readonly keyId: string; readonly lastUsed: number | null })[] {
    const sql = `SELECT id AS key_id, second AS last_used, ${keyColumns} FROM keys LEFT JOIN key_uses ON key = number
      WHERE account = ? ORDER BY number`
    return this.database.all(sql, account)
  }

  liveKeys(first: number, end: number, now: number): Map<number, number> {
    const sql = `SELECT account, count(*) AS count FROM keys WHERE account >= ? AND account < ?
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY account`
    const rows = this.database.all<{ account: number; count: number }>(sql, first, end, now)
    return new Map(rows.map(({ account, count }) => [account, count]))
  }

  putKey(id: string, key: KeyRecord): void {
    this.database.put('keys', 'number', { id, ...key, hash: Buffer.from(key.hash, 'hex') })
    this.#touch()
  }

  removeKeysEndedBefore(time: number, most: number): number {
    const sql =
      'DELETE FROM keys WHERE number IN (SELECT number FROM keys WHERE min(ifnull(revoked_at, ?1), ifnull(expires_at, ?1)) < ?1 LIMIT ?2)'
    return this.database.run(sql, time, most)
  }

  removeUsesOfNoKey(most: number): number {
    const gone = 'SELECT key FROM key_uses WHERE NOT EXISTS (SELECT 1 FROM keys WHERE number = key) LIMIT ?'
    return this.database.run(`DELETE FROM key_uses WHERE key IN (${gone})`, most)
  }

  putKeyUse(key: number, second: number): void {
    this.database.run(`INSERT OR REPLACE INTO key_uses VALUES (?, ?, ${isCopy})`, key, second)
  }

  // Usage

  usedOn(day: number, account: number): number {
    return countAt(this.usageBlock(day, blockOf(account)), account % blockAccounts)
  }

  usageBlock(day: number, block: number): UsageBlock | undefined {
    const sql = 'SELECT counts FROM usage WHERE day = ? AND block = ?'
    const counts = this.database.get<{ counts: UsageBlock }>(sql, day, block)?.counts
    // A file can be damaged where SQLite does not notice it.
    if (counts === undefined || isBlock(counts)) return counts
    throw new AccountsError('the store holds damaged usage: restore a backup')
  }

  /** So many days and blocks of which there is any, in order, from this one on. */
  usageKeys([day, block]: readonly [day: number, block: number], most: number): [day: number, block: number][] {
    const sql = 'SELECT day, block FROM usage WHERE (day, block) >= (?, ?) ORDER BY day, block LIMIT ?'
    const rows = this.database.all<{ day: number; block: number }>(sql, day, block, most)
    return rows.map((row) => [row.day, row.block])
  }

  addUsage(day: number, account: number, added: number): void {
    const [block, place] = [blockOf(account), account % blockAccounts]
    const before = this.usageBlock(day, block)
    const counts = withCount(before, place, Math.max(countAt(before, place) + added, 0))
    this.database.run(
      `INSERT INTO usage VALUES (?, ?, ?, ${isCopy})
      ON CONFLICT (day, block) DO UPDATE SET counts = excluded.counts, unsent = excluded.unsent`,
      ...([day, block, counts] as const),
    )
  }

  removeUsageBefore(day: number, most: number): number {
    const sql = 'DELETE FROM usage WHERE rowid IN (SELECT rowid FROM usage WHERE day < ? LIMIT ?)'
    return this.database.run(sql, day, most)
  }

  // Usage that is sent to other servers

  /** So many blocks that were not sent as they are, the latest days first. */
  unsentUsage(most: number): UnsentBlock[] {
    const sql = 'SELECT day, block, counts FROM usage WHERE unsent = 1 ORDER BY day DESC LIMIT ?'
    return this.database.all<UnsentBlock>(sql, most)
  }

  firstUnsentDay(): number {
    const row = this.database.get<{ day: number | null }>('SELECT min(day) AS day FROM usage WHERE unsent = 1')
    return row?.day ?? Number.POSITIVE_INFINITY
  }

  /** Those that were counted on meanwhile stay unsent. */
  markUsageSent(blocks: readonly UnsentBlock[]): void {
    const sql = 'UPDATE usage SET unsent = 0 WHERE day = ? AND block = ? AND counts = ?'
    for (const { day, block, counts } of blocks) this.database.run(sql, day, block, counts)
  }

  /** All usage from that day on, and all uses of keys, are to be sent. */
  markUnsent(day: number): void {
    this.database.run('UPDATE usage SET unsent = 1 WHERE day >= ?', day)
    this.database.run('UPDATE key_uses SET unsent = 1')
  }

  unsentKeyUses(most: number): KeyUse[] {
    return this.database.all<KeyUse>('SELECT key, second FROM key_uses WHERE unsent = 1 LIMIT ?', most)
  }

  markKeyUsesSent(uses: readonly KeyUse[]): void {
    const sql = 'UPDATE key_uses SET unsent = 0 WHERE key = ? AND second = ?'
    for (const { key, second } of uses) this.database.run(sql, key, second)
  }

  // People

  signInLink(hash: Uint8Array): SignInLink | undefined {
    return this.database.get<SignInLink>('SELECT account, expires_at, used_at FROM sign_in_links WHERE hash = ?', hash)
  }

  putSignInLink(hash: Uint8Array, link: SignInLink): void {
    this.database.put('sign_in_links', 'hash', { hash, ...link })
  }

  endSignInLinks(account: number, now: number): void {
    this.database.run('UPDATE sign_in_links SET used_at = ? WHERE account = ? AND used_at IS NULL', now, account)
  }

  session(hash: Uint8Array): Session | undefined {
    return this.database.get<Session>('SELECT account, started_at, last_page_at FROM sessions WHERE hash = ?', hash)
  }

  putSession(hash: Uint8Array, session: Session): void {
    this.database.put('sessions', 'hash', { hash, ...session })
  }

  removeSession(hash: Uint8Array): void {
    this.database.run('DELETE FROM sessions WHERE hash = ?', hash)
  }

  /** Ends all sessions of an account; returns how many had a page or began since those times. */
  removeSessionsOf(account: number, lastPageAfter: number, startedAfter: number): number {
    const live = this.countSessions(lastPageAfter, startedAfter, account)
    this.database.run('DELETE FROM sessions WHERE account = ?', account)
    return live
  }

  countSessions(lastPageAfter: number, startedAfter: number, account?: number): number {
    const sql = `SELECT count(*) AS count FROM sessions WHERE last_page_at > ? AND started_at > ?
      AND account = ifnull(?, account)`
    return this.database.get<{ count: number }>(sql, lastPageAfter, startedAfter, account ?? null)!.count
  }

  /** At most so many of each; returns the larger number. */
  removeEndedPeople(linksExpiredBefore: number, lastPageBefore: number, startedBefore: number, most: number): number {
    const some = (table: string, ended: string) =>
      `DELETE FROM ${table} WHERE hash IN (SELECT hash FROM ${table} WHERE ${ended} LIMIT ?)`
    return Math.max(
      this.database.run(some('sign_in_links', 'expires_at <= ?'), linksExpiredBefore, most),
      this.database.run(some('sessions', 'last_page_at <= ? OR started_at <= ?'), lastPageBefore, startedBefore, most),
    )
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

  // Numbers and settings

  counter(name: Numbered): number {
    return this.database.get<{ next: number }>('SELECT next FROM next_numbers WHERE name = ?', name)?.next ?? 0
  }

  setCounter(name: Numbered, next: number): void {
    this.database.put('next_numbers', 'name', { name, next })
  }

  takeNumber(name: Numbered): number {
    const number = this.counter(name)
    this.setCounter(name, number + 1)
    return number
  }

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

  #touch(): void {
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
      if (table === 'accounts' || table === 'keys') this.#touch()
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

/** A file can be damaged where SQLite does not notice it. */
function checked<Row extends { readonly plan: string }>(row: Row): Row {
  if (isPlanName(row.plan)) return row
  throw new AccountsError('the store holds an account whose plan is none: restore a backup')
}

/** Of whoever runs the command; a container may run as a number without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
