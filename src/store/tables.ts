/** Reads and writes accounts, keys, usage, links and sessions in STORE_DIR/accounts.db. */

import { foldName } from '../names/fold.ts'
import { type PlanName, planNames } from '../plans.ts'
import { AccountsError } from './accounts-error.ts'
import type { Database } from './database.ts'
import type { Account, CountsByPlan, KeyInUse, KeyRecord, Session, SignInLink } from './store-records.ts'
import { keyEnd } from './store-schema.ts'
import { blockAccounts, blockOf, countsIn } from './usage-block.ts'

export interface UnsentBlock {
  readonly day: number
  readonly block: number
  readonly counts: Uint8Array
}

interface KeyUse {
  readonly key: number
  readonly second: number
}

/** An SQL expression: 1 if the store is a copy of shared accounts. */
const isReplica = "EXISTS (SELECT 1 FROM settings WHERE name = 'copy')"

export const accountColumns = 'number, name, plan, created_at, suspended_at, suspended_for, deleted_at'
const keyColumns = 'number, account, name, prefix, lower(hex(hash)) AS hash, created_at, expires_at, revoked_at'
const usedKeyColumns = `id AS key_id, second AS last_used, ${keyColumns} FROM keys LEFT JOIN key_uses ON key = number`

interface UsedKey extends KeyRecord {
  readonly keyId: string
  /** Unix seconds of the key's last request at this server. */
  readonly lastUsed: number | null
}

/** Part of a list. */
export interface Part {
  readonly limit: number
  /** How many rows of the list come before this part. */
  readonly offset: number
}

/**
 * For each table from which retention deletes rows: the condition of those rows, and the column that identifies a row.
 */
const outdated = {
  usage: { id: 'rowid', when: 'day < ?' },
  keys: { id: 'number', when: 'min(ifnull(revoked_at, ?1), ifnull(expires_at, ?1)) < ?1' },
  key_uses: { id: 'key', when: 'NOT EXISTS (SELECT 1 FROM keys WHERE number = key)' },
  audit_log: { id: 'number', when: 'time < ?' },
  sign_in_links: { id: 'hash', when: 'expires_at <= ?' },
  sessions: { id: 'hash', when: 'last_page_at <= ? OR started_at <= ?' },
} as const

/** Rows of `next_numbers`: the numbers of accounts, and the numbers of keys. Such a number is never reused. */
export type Numbered = 'nextAccount' | 'nextKey'

export abstract class Tables {
  abstract readonly database: Database

  /** Called when accounts or keys change. */
  protected abstract touch(): void

  // Accounts

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

  /** Throws if no account has the number: callers took the number from another row, so the store must be damaged. */
  account(number: number): Account {
    const account = this.#accountWhere('number = ?', number)
    if (account === undefined) throw new AccountsError(`the store has no account number ${number}: restore a backup`)
    return account
  }

  accountNumber(name: string): number | undefined {
    const sql = 'SELECT number FROM accounts WHERE name = ? AND deleted_at IS NULL'
    return this.database.get<{ number: number }>(sql, name)?.number
  }

  /** Returns the first account whose name is the same apart from case, accents and punctuation. */
  accountLike(name: string): Account | undefined {
    return this.#accountWhere('folded_name = ? AND deleted_at IS NULL ORDER BY number LIMIT 1', foldName(name))
  }

  deletedAccount(name: string): Account | undefined {
    return this.#accountWhere('name = ? AND deleted_at IS NOT NULL ORDER BY number DESC LIMIT 1', name)
  }

  #accountWhere(condition: string, value: string | number): Account | undefined {
    return this.database.get<Account>(`SELECT ${accountColumns} FROM accounts WHERE ${condition}`, value)
  }

  accountsFrom(first: number, end: number): Account[] {
    const sql = `SELECT ${accountColumns} FROM accounts WHERE number >= ? AND number < ? ORDER BY number`
    return this.database.all<Account>(sql, first, end)
  }

  *allAccounts(): Generator<Account> {
    const end = this.counter('nextAccount')
    for (let first = 0; first < end; first += blockAccounts) yield* this.accountsFrom(first, first + blockAccounts)
  }

  putAccount(account: Account): void {
    this.database.put('accounts', 'number', { ...account, foldedName: foldName(account.name) })
    this.touch()
  }

  /**
   * Returns the account's id, which is the same in all stores and never changes. The account's number may differ
   * between stores, and its name may change.
   */
  accountId(account: Account): string {
    return this.ownAccountId(account) ?? account.name
  }

  /** Undefined for an account that a release without ids created, here or in the store that it was imported from. */
  ownAccountId({ number }: Pick<Account, 'number'>): string | undefined {
    return this.database.get<{ id: string }>('SELECT id FROM account_ids WHERE account = ?', number)?.id
  }

  putAccountId({ number }: Pick<Account, 'number'>, id: string): void {
    this.database.put('account_ids', 'account', { account: number, id })
  }

  putPlanDay(account: number, fromDay: number, plan: PlanName): void {
    this.database.put('plan_days', 'account, from_day', { account, fromDay, plan })
  }

  /**
   * Account number → the account's plans, the latest first. The map contains only accounts whose plan has changed, with
   * numbers from `first` to `end` - 1.
   */
  planDays(first: number, end: number): Map<number, { fromDay: number; plan: PlanName }[]> {
    const sql = `SELECT account, from_day, plan FROM plan_days WHERE account IN (SELECT account FROM plan_days
      WHERE account >= ? AND account < ? GROUP BY account HAVING count(*) > 1) ORDER BY account, from_day DESC`
    const rows = this.database.all<{ account: number; fromDay: number; plan: PlanName }>(sql, first, end)
    return Map.groupBy(rows, ({ account }) => account)
  }

  /** Takes a millisecond for 1,000 accounts. */
  countByPlan(now: number): CountsByPlan {
    const rows = this.database.all<CountsByPlan[PlanName] & { plan: PlanName }>(
      `SELECT plan, count(*) AS accounts, sum((SELECT count(*) FROM keys WHERE account = accounts.number
        AND ${keyEnd} > ? AND revoked_at IS NULL)) AS liveKeys
      FROM accounts WHERE deleted_at IS NULL GROUP BY plan`,
      now,
    )
    const none = { accounts: 0, liveKeys: 0 }
    const entries = planNames.map((name) => [name, rows.find(({ plan }) => plan === name) ?? none])
    return Object.fromEntries(entries) as CountsByPlan
  }

  // Keys

  /** Returns undefined if there is no such key, or if the key is revoked. @param hash SHA-256 of the key */
  keyInUse(hash: Uint8Array): KeyInUse | undefined {
    const row = this.database.get<Omit<KeyInUse, 'isSuspended'> & { revokedAt: unknown; suspendedAt: unknown }>(
      `SELECT keys.number AS key, keys.account, plan, expires_at, revoked_at, suspended_at FROM keys
      JOIN accounts ON accounts.number = keys.account WHERE hash = ? AND revoked_at IS NULL`,
      hash,
    )
    // The index contains no revoked keys. If the index is damaged, the row decides.
    if (row === undefined || row.revokedAt !== null) return undefined
    const { key, account, plan, expiresAt, suspendedAt } = row
    return { key, account, plan, expiresAt, isSuspended: suspendedAt !== null }
  }

  key(keyId: string): KeyRecord | undefined {
    return this.database.get<KeyRecord>(`SELECT ${keyColumns} FROM keys WHERE id = ?`, keyId)
  }

  /** An account's keys in order of creation. */
  keysOf(account: number): UsedKey[] {
    return this.database.all<UsedKey>(`SELECT ${usedKeyColumns} WHERE account = ? ORDER BY number`, account)
  }

  /** An account's live keys in order of creation. */
  liveKeysOf(account: number, now: number): UsedKey[] {
    const sql = `SELECT ${usedKeyColumns} WHERE account = ? AND ${keyEnd} > ? AND revoked_at IS NULL ORDER BY number`
    return this.database.all<UsedKey>(sql, account, now)
  }

  /** An account's keys that ended after `from`, the latest first. */
  endedKeysOf(account: number, { from, now }: { from: number; now: number }, { limit, offset }: Part): UsedKey[] {
    // A key may have been revoked after `now`, if the clock was set back.
    const sql = `SELECT ${usedKeyColumns} WHERE account = ?1 AND ${keyEnd} > ?2
      AND (revoked_at IS NOT NULL OR ${keyEnd} <= ?3) ORDER BY ${keyEnd} DESC, number DESC LIMIT ?4 OFFSET ?5`
    return this.database.all<UsedKey>(sql, account, from, now, limit, offset)
  }

  liveKeys(first: number, end: number, now: number): Map<number, number> {
    const sql = `SELECT account, count(*) AS count FROM keys WHERE account >= ? AND account < ?
      AND ${keyEnd} > ? AND revoked_at IS NULL GROUP BY account`
    const rows = this.database.all<{ account: number; count: number }>(sql, first, end, now)
    return new Map(rows.map(({ account, count }) => [account, count]))
  }

  putKey(id: string, key: KeyRecord): void {
    this.database.put('keys', 'number', { id, ...key, hash: Buffer.from(key.hash, 'hex') })
    this.touch()
  }

  putKeyUse(key: number, second: number): void {
    this.database.run(`INSERT OR REPLACE INTO key_uses VALUES (?, ?, ${isReplica})`, key, second)
  }

  // Usage

  usedOn(day: number, account: number): number {
    return countsIn(this.usageBlock(day, blockOf(account)))[account % blockAccounts] ?? 0
  }

  usageBlock(day: number, block: number): Uint8Array | undefined {
    const sql = 'SELECT counts FROM usage WHERE day = ? AND block = ?'
    return this.database.get<{ counts: Uint8Array }>(sql, day, block)?.counts
  }

  /** Returns at most `most` pairs of day and block that have usage, in order, from the given pair on. */
  usageKeys([day, block]: readonly [day: number, block: number], most: number): [day: number, block: number][] {
    const sql = 'SELECT day, block FROM usage WHERE (day, block) >= (?, ?) ORDER BY day, block LIMIT ?'
    const rows = this.database.all<{ day: number; block: number }>(sql, day, block, most)
    return rows.map((row) => [row.day, row.block])
  }

  addUsage(day: number, account: number, added: number): void {
    const [block, place] = [blockOf(account), account % blockAccounts]
    const before = countsIn(this.usageBlock(day, block))
    const counts = new Uint32Array(Math.max(before.length, place + 1))
    counts.set(before)
    counts[place] = Math.max(counts[place]! + added, 0)
    this.database.run(
      `INSERT INTO usage VALUES (?, ?, ?, ${isReplica})
      ON CONFLICT (day, block) DO UPDATE SET counts = excluded.counts, unsent = excluded.unsent`,
      ...([day, block, new Uint8Array(counts.buffer)] as const),
    )
  }

  // Usage for the database that servers share

  /** Returns at most `most` blocks that have changed since they were sent, the latest days first. */
  unsentUsage(most: number): UnsentBlock[] {
    const sql = 'SELECT day, block, counts FROM usage WHERE unsent = 1 ORDER BY day DESC LIMIT ?'
    return this.database.all<UnsentBlock>(sql, most)
  }

  firstUnsentDay(): number {
    const row = this.database.get<{ day: number | null }>('SELECT min(day) AS day FROM usage WHERE unsent = 1')
    return row?.day ?? Number.POSITIVE_INFINITY
  }

  /** Marks blocks as sent. Blocks whose counts have changed since they were read stay unsent. */
  markUsageSent(blocks: readonly UnsentBlock[]): void {
    const sql = 'UPDATE usage SET unsent = 0 WHERE day = ? AND block = ? AND counts = ?'
    for (const { day, block, counts } of blocks) this.database.run(sql, day, block, counts)
  }

  /** Marks all usage from that day on as unsent, and all uses of keys. */
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

  /** Ends all sessions of an account. Returns how many of them were live, as `countSessions` counts them. */
  removeSessionsOf(account: number, lastPageAfter: number, startedAfter: number): number {
    const live = this.countSessions(lastPageAfter, startedAfter, account)
    this.database.run('DELETE FROM sessions WHERE account = ?', account)
    return live
  }

  /**
   * Counts the sessions that started after `startedAfter` and had their last page after `lastPageAfter`.
   * @param account an account's number, or `operatorNumber`; if undefined, the sessions of all accounts are counted
   */
  countSessions(lastPageAfter: number, startedAfter: number, account?: number): number {
    const sql = `SELECT count(*) AS count FROM sessions WHERE last_page_at > ?1 AND started_at > ?2
      AND iif(?3 IS NULL, account >= 0, account = ?3)`
    return this.database.get<{ count: number }>(sql, lastPageAfter, startedAfter, account ?? null)!.count
  }

  /** Deletes at most `most` outdated rows. Returns how many. @param times the values for the condition in `outdated` */
  removeOutdated(table: keyof typeof outdated, most: number, ...times: number[]): number {
    const { id, when } = outdated[table]
    const rows = `SELECT ${id} FROM ${table} WHERE ${when} LIMIT ${most}`
    return this.database.run(`DELETE FROM ${table} WHERE ${id} IN (${rows})`, ...times)
  }
}
