/**
 * Merges exported accounts into a store. An account of the file and an account of the store are the same if they have
 * the same id. If a release without ids created one of them, they are the same if they have the same name. Deletions
 * come first and renames second, so that names are free.
 *
 * The file may be older than the store. Whatever the file says, an account stays deleted or suspended, a key stays
 * revoked or expired, and a replaced secret stays replaced.
 */
import { isDeepStrictEqual } from 'node:util'
import { dayOfMs } from '../calendar.ts'
import { AccountsError } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import type { Account, KeyRecord } from '../store/store-records.ts'
import { type DeletedAccount, type ExportedAccount, keysIn, readExport } from './accounts-file.ts'
import { importDetail, KeyHistory } from './key-history.ts'
import { addAccount, addKey, endAccount, isForgotten, putName } from './registry.ts'

/** An account of the file, and the same account of the store as it was before the import. */
interface Found {
  readonly account: ExportedAccount
  readonly before: Account | undefined
}

export interface Imported {
  /** Accounts and keys in the file. */
  readonly accounts: number
  readonly keys: number
  /** Accounts and keys that were created, changed or deleted. */
  readonly changed: number
  /** Accounts and keys that stay deleted, suspended, revoked, replaced or expired, although the file says otherwise. */
  readonly kept: number
}

/**
 * Creates, renames, changes and deletes accounts and keys, so that the store matches the file. An account or key of the
 * store that is not usable does not become usable. Accounts that are missing in the file stay as they are. The import
 * takes the whole file or nothing, and importing the file again changes nothing. Throws AccountsError.
 */
export function importAccounts(store: Store, file: string, now: number): Imported {
  const { accounts, deleted = [] } = readExport(file)
  const merged = store.change(() => new Merge(store, now).run(accounts, deleted))
  return { accounts: accounts.length, keys: keysIn(accounts), ...merged }
}

type ExportedKey = ExportedAccount['keys'][number]

class Merge {
  readonly #store: Store
  readonly #now: number
  /** Id → number, of the store's accounts that have an id. */
  readonly #numbers = new Map<string, number>()
  /** The numbers of the store's accounts that are also in the file. */
  readonly #inFile = new Set<number>()
  #kept = 0
  #knownHistory: KeyHistory | undefined

  constructor(store: Store, now: number) {
    this.#store = store
    this.#now = now
    for (const account of store.allAccounts()) {
      const id = store.ownAccountId(account)
      if (id !== undefined) this.#numbers.set(id, account.number)
    }
  }

  /** Call it once, within a change. Throws AccountsError. */
  run(accounts: readonly ExportedAccount[], deleted: readonly DeletedAccount[]): Pick<Imported, 'changed' | 'kept'> {
    const store = this.#store
    const ended = deleted.map(({ id }) => this.#withId(id)).filter((account) => account?.deletedAt === null)
    for (const account of ended) endAccount(store, account!, this.#now)
    const found = this.#find(accounts)
    const live = found.filter(({ before }) => before === undefined || before.deletedAt === null)
    this.#kept += found.length - live.length
    this.#rename(live)
    let changed = ended.length
    for (const { account, before } of live) {
      const after = this.#put(account, before)
      if (after !== before) changed++
      for (const key of account.keys) if (this.#putKey(after, key)) changed++
    }
    return { changed, kept: this.#kept }
  }

  /**
   * Compares all ids before any name, because one account's old name may be the new name of another account in the
   * file.
   */
  #find(accounts: readonly ExportedAccount[]): Found[] {
    const found = accounts.map((account) => ({ account, before: this.#note(this.#withId(account.id), account) }))
    return found.map(({ account, before }) => {
      return { account, before: before ?? this.#note(this.#withName(account.id, account.name), account) }
    })
  }

  #note(before: Account | undefined, { name }: ExportedAccount): Account | undefined {
    if (before === undefined) return undefined
    if (this.#inFile.has(before.number)) throw new AccountsError(`the file has the account ${name} twice`)
    this.#inFile.add(before.number)
    return before
  }

  #withId(id: string | undefined): Account | undefined {
    const number = id === undefined ? undefined : this.#numbers.get(id)
    if (number !== undefined) return this.#store.account(number)
    return id === undefined ? undefined : this.#withName(id, id)
  }

  #withName(id: string | undefined, name: string): Account | undefined {
    const number = this.#store.accountNumber(name)
    if (number === undefined) {
      // If the file has no id, a deleted account of that name is the same account, unless this import deleted it.
      const deleted = id === undefined ? this.#store.deletedAccount(name) : undefined
      return deleted?.deletedAt === this.#now ? undefined : deleted
    }
    if (this.#inFile.has(number)) return undefined
    // Two accounts that both have ids are different accounts, because their ids differ.
    if (id !== undefined && this.#store.ownAccountId({ number }) !== undefined) return undefined
    return this.#store.account(number)
  }

  #rename(found: readonly Found[]): void {
    const store = this.#store
    const renamed = found.filter(({ account, before }) => before !== undefined && before.name !== account.name)
    const leaving = new Set(renamed.map(({ before }) => before!.number))
    for (const { account, before } of found) {
      if (before?.name !== account.name) this.#refuseTaken(account.name, leaving)
    }
    if (renamed.some(({ account }) => store.accountNumber(account.name) !== undefined)) {
      // Accounts may swap names, so each gets a temporary name first. No other name begins with a hyphen.
      for (const { before } of renamed) store.putAccount({ ...before!, name: `-${before!.number}` })
    }
    for (const { account, before } of renamed) putName(store, before!, account.name, this.#now)
  }

  /**
   * Throws AccountsError if another account of the store has the name or a similar one. Two accounts of the file may
   * have similar names, because older stores allowed that.
   * @param leaving numbers of accounts that get another name
   */
  #refuseTaken(name: string, leaving: ReadonlySet<number>): void {
    const number = this.#store.accountNumber(name)
    if (number !== undefined && !leaving.has(number)) {
      throw new AccountsError(`the account ${name} of the file is another one than ${name} here: rename one of them`)
    }
    const like = this.#store.accountLike(name)
    if (number === undefined && like !== undefined && !leaving.has(like.number)) {
      throw new AccountsError(`the account ${name} of the file is too similar to ${like.name}, which exists here`)
    }
  }

  /** Creates or updates an account. Returns `before` if nothing has changed. */
  #put({ id, name, plan, createdAt, ...account }: ExportedAccount, before: Account | undefined): Account {
    const store = this.#store
    const known = before ?? addAccount(store, name, plan, createdAt)
    // Files of an earlier release lack `suspendedAt`.
    const { suspendedAt = known.suspendedAt } = account
    const staysSuspended = known.suspendedAt !== null && suspendedAt === null
    if (staysSuspended) this.#kept++
    const { suspendedFor = known.suspendedFor } = account
    const suspension = staysSuspended ? {} : { suspendedAt, suspendedFor }
    const after = { ...known, name, plan, ...suspension }
    const getsId = id !== undefined && store.ownAccountId(after) === undefined
    if (getsId) store.putAccountId(after, id)
    if (before !== undefined && !getsId && isDeepStrictEqual(before, after)) return before
    store.putAccount(after)
    if (known.plan !== plan) store.putPlanDay(after.number, dayOfMs(this.#now), plan)
    store.record({ action: 'account imported', account: after, detail: plan }, this.#now)
    return after
  }

  /** Creates or updates a key. Returns true if the key is new or changed. */
  #putKey(account: Account, { keyId, regeneratedAt, ...key }: ExportedKey): boolean {
    const store = this.#store
    const before = store.key(keyId)
    if (before === undefined) {
      // Retention would delete a key that ended long ago, and importing the file again would add the key again.
      if (isForgotten(key, this.#now)) return false
      if (key.revokedAt === null && this.#history.isRevoked(keyId)) {
        this.#kept++
        return false
      }
      this.#refuseSharedSecret(account, keyId, key)
      addKey(store, account, { keyId, ...key }, this.#now)
      this.#record(account, keyId, importDetail(key.revokedAt !== null, regeneratedAt))
      return true
    }
    if (before.account !== account.number) throw new AccountsError(`the key ${keyId} belongs to another account here`)
    const isNewer = this.#isNewer(before, keyId, regeneratedAt)
    const { prefix, hash } = isNewer ? key : before
    const revokedAt = before.revokedAt ?? key.revokedAt
    const expiresAt = earlier(before.expiresAt, key.expiresAt)
    const after = { ...before, ...key, prefix, hash, revokedAt, expiresAt }
    if (hash !== key.hash || expiresAt !== key.expiresAt || (revokedAt !== null && key.revokedAt === null)) this.#kept++
    if (isDeepStrictEqual(before, after)) return false
    this.#refuseSharedSecret(account, keyId, after, before.number)
    store.putKey(keyId, after)
    const isRevoked = revokedAt !== null && before.revokedAt === null
    this.#record(account, keyId, importDetail(isRevoked, hash === before.hash ? undefined : regeneratedAt))
    return true
  }

  /** True if the file's secret of the key is newer than the store's. */
  #isNewer({ createdAt }: KeyRecord, keyId: string, regeneratedAt = createdAt): boolean {
    return regeneratedAt > (this.#history.regeneratedAt(keyId) ?? createdAt)
  }

  /** Throws AccountsError if another key has the secret and is not revoked. @param own the number of the key itself */
  #refuseSharedSecret(
    { name }: Account,
    keyId: string,
    { hash, revokedAt }: Pick<ExportedKey, 'hash' | 'revokedAt'>,
    own?: number,
  ) {
    const other = revokedAt === null ? this.#store.keyInUse(Buffer.from(hash, 'hex')) : undefined
    if (other === undefined || other.key === own) return
    throw new AccountsError(`account ${name}: ${keyId}: hash: is that of another key`)
  }

  #record(account: Account, keyId: string, detail: string | undefined): void {
    this.#store.record({ action: 'key imported', account, keyId, detail }, this.#now)
  }

  get #history(): KeyHistory {
    this.#knownHistory ??= new KeyHistory(this.#store)
    return this.#knownHistory
  }
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
