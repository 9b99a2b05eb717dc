/**
 * Merges exported accounts into a store. An account of the file and one here are the same if they have the same id or, if a release
 * without ids made one of them, the same name. Deletions come first and then renames, so that the names are free.
 */
import { isDeepStrictEqual } from 'node:util'
import { dayOfMs } from '../calendar.ts'
import { AccountsError } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import type { Account } from '../store/store-records.ts'
import { type DeletedAccount, type ExportedAccount, keysIn, readExport } from './accounts-file.ts'
import { addAccount, addKey, checkName, endAccount, isForgotten, putName } from './registry.ts'

/** An account of the file, and the same account here as it was before. */
interface Found {
  readonly account: ExportedAccount
  readonly before: Account | undefined
}

/**
 * Creates, renames, changes and deletes accounts and their keys to be as in the file. Others stay as they are, and an account that was
 * deleted here stays deleted. It imports all of the file or nothing, and importing it again changes nothing. Throws AccountsError.
 */
export function importAccounts(
  store: Store,
  file: string,
  now: number,
): { accounts: number; keys: number; changed: number } {
  const { accounts, deleted = [] } = readExport(file)
  const changed = store.change(() => new Merge(store, now).run(accounts, deleted))
  return { accounts: accounts.length, keys: keysIn(accounts), changed }
}

class Merge {
  readonly #store: Store
  readonly #now: number
  /** Numbers of accounts, by their own ids. */
  readonly #numbers = new Map<string, number>()
  /** Numbers of the accounts that the file has, too. */
  readonly #inFile = new Set<number>()

  constructor(store: Store, now: number) {
    this.#store = store
    this.#now = now
    for (const account of store.allAccounts()) {
      const id = store.ownAccountId(account)
      if (id !== undefined) this.#numbers.set(id, account.number)
    }
  }

  /** Call it once, within a change. Returns how many accounts and keys it created, changed or deleted. Throws AccountsError. */
  run(accounts: readonly ExportedAccount[], deleted: readonly DeletedAccount[]): number {
    const store = this.#store
    const ended = deleted.map(({ id }) => this.#withId(id)).filter((account) => account?.deletedAt === null)
    for (const account of ended) endAccount(store, account!, this.#now)
    const found = this.#find(accounts)
    // A deletion is for good.
    const live = found.filter(({ before }) => before === undefined || before.deletedAt === null)
    this.#rename(live)
    let changed = ended.length
    for (const { account, before } of live) {
      const after = this.#put(account, before)
      if (after !== before) changed++
      for (const key of account.keys) if (this.#putKey(after, key)) changed++
    }
    return changed
  }

  /** Names are compared last: another account of the file may have an account's old name. */
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
    if (number === undefined || this.#inFile.has(number)) return undefined
    // Two accounts with ids are never the same without the same id.
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
      // No name begins with a hyphen.
      for (const { before } of renamed) store.putAccount({ ...before!, name: `-${before!.number}` })
      store.startChangeset()
    }
    for (const { account, before } of renamed) putName(store, before!, account.name, this.#now)
  }

  /** Within a file, two names may fold alike: older stores allowed that. @param leaving accounts that get another name */
  #refuseTaken(name: string, leaving: ReadonlySet<number>): void {
    checkName('an account', name)
    const number = this.#store.accountNumber(name)
    if (number !== undefined && !leaving.has(number)) {
      throw new AccountsError(`the account ${name} of the file is another one than ${name} here: rename one of them`)
    }
    const like = this.#store.accountLike(name)
    if (number === undefined && like !== undefined && !leaving.has(like.number)) {
      throw new AccountsError(`the account ${name} of the file is too similar to ${like.name}, which exists here`)
    }
  }

  /** Returns `before` if nothing has changed. */
  #put({ id, name, plan, createdAt, ...account }: ExportedAccount, before: Account | undefined): Account {
    const store = this.#store
    const known = before ?? addAccount(store, name, plan, createdAt)
    // Files of an earlier release lack these.
    const { suspendedAt = known.suspendedAt, suspendedFor = known.suspendedFor } = account
    const after = { ...known, name, plan, suspendedAt, suspendedFor }
    const getsId = id !== undefined && store.ownAccountId(after) === undefined
    if (getsId) store.putAccountId(after, id)
    if (before !== undefined && !getsId && isDeepStrictEqual(before, after)) return before
    store.putAccount(after)
    if (known.plan !== plan) store.putPlanDay(after.number, dayOfMs(this.#now), plan)
    store.record({ action: 'account imported', account: after, detail: plan }, this.#now)
    return after
  }

  /** Returns whether it is new or changed. */
  #putKey(account: Account, { keyId, ...key }: ExportedAccount['keys'][number]): boolean {
    const store = this.#store
    checkName('a key', key.name)
    const before = store.key(keyId)
    if (before === undefined) {
      // A forgotten key would be deleted again, and importing the file again would change something.
      if (isForgotten(key, this.#now)) return false
      addKey(store, account, { keyId, ...key }, this.#now)
    } else {
      if (before.account !== account.number) {
        throw new AccountsError(`the key ${keyId} belongs to another account here`)
      }
      const { number: _, account: __, ...known } = before
      if (isDeepStrictEqual(known, key)) return false
      store.putKey(keyId, { ...before, ...key })
    }
    store.record({ action: 'key imported', account, keyId }, this.#now)
    return true
  }
}
