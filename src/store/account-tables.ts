/**
 * The tables of accounts and keys, and what is done to them: of each record those that follow from it are written with it.
 */
import type { Database, RootDatabase } from 'lmdb'
import { accountNameCharsMax } from '../limits.ts'
import { fold, foldSigns } from '../search/fold.ts'
import { AccountsError } from './accounts-error.ts'
import type { ChangedRecords } from './changed.ts'
import {
  type Account,
  isAccount,
  isAccountNumber,
  isSecret,
  isStoredKey,
  type KeyRecord,
  keyRecord,
  type Secret,
  type StoredKey,
  storedKey,
} from './records.ts'
import { readSound } from './sound.ts'

export class AccountTables {
  readonly accounts: Database<Account, number>
  readonly names: Database<number, string | FoldedKey>
  protected readonly keys: Database<StoredKey, string>
  readonly keysOf: Database<string, [account: number, key: number]>
  readonly secrets: Database<Secret, Uint8Array>
  readonly lastUsed: Database<number, number>
  /** What the change that is only tried has done until now. */
  protected tried: ChangedRecords | undefined

  protected constructor(root: RootDatabase) {
    this.accounts = root.openDB('accounts', { keyEncoding: 'uint32' })
    this.names = root.openDB('names', {})
    this.keys = root.openDB('keys', {})
    this.keysOf = root.openDB('keysOf', {})
    this.secrets = root.openDB('secrets', { keyEncoding: 'binary' })
    this.lastUsed = root.openDB('lastUsed', { keyEncoding: 'uint32' })
  }

  /** Throws AccountsError if there is none: its number was read from another record. */
  account(number: number): Account {
    return this.#there(
      'accounts',
      readSound('accounts', () => this.accounts.get(number), isAccount),
    )
  }

  /** The account's number, undefined if none has the name. */
  accountNumber(name: string): number | undefined {
    return this.#find('names', this.names, name, isAccountNumber)
  }

  /** By a text that anybody may have typed: lmdb can't look for one that is far longer than a key of its own can be. */
  #find<T>(
    table: string,
    database: { get(text: string): T | undefined },
    text: string,
    isSound: (record: T) => boolean,
  ): T | undefined {
    if (text.length > accountNameCharsMax) return undefined
    return readSound(table, () => database.get(text), isSound)
  }

  /** The first account whose name is this one but for what search does not look at. */
  accountLike(name: string): Account | undefined {
    const number = readSound('names', () => this.names.get(foldedKey(name)), isAccountNumber)
    return number === undefined ? undefined : this.account(number)
  }

  /** Those with the numbers from `first` to before `end`, in order. */
  accountsFrom(first: number, end: number): Account[] {
    const read = () => [...this.accounts.getRange({ start: first, end })].map(({ value }) => value)
    return readSound('accounts', read, isAll(isAccount))!
  }

  /** The ids of an account's keys in order of creation. */
  keyIdsOf(account: number): string[] {
    const read = () =>
      [...this.keysOf.getRange({ start: [account, 0], end: [account + 1, 0] })].map(({ value }) => value)
    const areIds = isAll((id) => typeof id === 'string')
    return readSound('keysOf', read, areIds)!
  }

  secret(hash: Uint8Array): Secret | undefined {
    return readSound('secrets', () => this.secrets.get(hash), isSecret)
  }

  /** So many secrets in use with their hashes, in the hashes' order, behind that one; from the first on if there is none. */
  secretsAfter(hash: Uint8Array | undefined, most: number): { hash: Uint8Array; secret: Secret }[] {
    const read = () => {
      const range = { limit: most, ...(hash && { start: hash, exclusiveStart: true }) }
      return [...this.secrets.getRange(range)].map(({ key, value }) => ({ hash: key, secret: value }))
    }
    return readSound(
      'secrets',
      read,
      isAll(({ secret }) => isSecret(secret)),
    )!
  }

  key(keyId: string): KeyRecord | undefined {
    const stored = this.#find('keys', this.keys, keyId, isStoredKey)
    return stored && keyRecord(stored)
  }

  /** The same for a key that another record names. Throws AccountsError if there is none. */
  knownKey(keyId: string): KeyRecord {
    return this.#there('keys', this.key(keyId))
  }

  #there<T>(table: string, record: T | undefined): T {
    if (record !== undefined) return record
    throw new AccountsError(`the store lacks a record in its table ${table}: restore a backup`)
  }

  /** Writes an account, new or changed. Within a change alone. */
  putAccount(account: Account): void {
    const { number, name } = account
    const before = readSound('accounts', () => this.accounts.get(number), isAccount)
    if (before !== undefined && before.name !== name) this.#removeName(before)
    this.accounts.putSync(number, account)
    this.putName(account)
    this.tried?.note({ type: 'account', number, record: account })
  }

  /** Puts all at once into tables that are empty: nothing is looked for first. Within `write` alone. */
  fill(accounts: Iterable<Account>, keys: Iterable<readonly [keyId: string, key: KeyRecord]>): void {
    for (const account of accounts) {
      this.accounts.putSync(account.number, account)
      this.putName(account)
    }
    for (const [keyId, key] of keys) {
      const { number, account, hash, expiresAt, revokedAt } = key
      this.keys.putSync(keyId, storedKey(key))
      this.keysOf.putSync([account, number], keyId)
      if (revokedAt === null) this.secrets.putSync(Buffer.from(hash, 'hex'), [number, account, expiresAt])
    }
  }

  /** Of an account without keys. Within a change alone; that it is not there changes nothing. */
  removeAccount(number: number): void {
    const before = readSound('accounts', () => this.accounts.get(number), isAccount)
    if (before === undefined) return
    this.#removeName(before)
    this.accounts.removeSync(number)
    this.tried?.note({ type: 'account', number, record: undefined })
  }

  /** Two names that fold alike are from before that was refused, or from another store. */
  protected putName({ number, name }: Account): void {
    this.names.putSync(name, number)
    const folded = foldedKey(name)
    if (number < (this.names.get(folded) ?? Infinity)) this.names.putSync(folded, number)
  }

  /** Another account may have the name by now. */
  #removeName({ number, name }: Account): void {
    const folded = foldedKey(name)
    if (this.accountNumber(name) === number) this.names.removeSync(name)
    if (this.names.get(folded) === number) this.names.removeSync(folded)
  }

  /** Writes a key, new or changed, so that its secret opens the door if and only if it isn't revoked. Within a change alone. */
  putKey(keyId: string, key: KeyRecord): void {
    const before = this.key(keyId)
    if (before !== undefined) this.#removeDerived(keyId, before)
    const secret: Secret = [key.number, key.account, key.expiresAt]
    if (key.revokedAt === null) this.secrets.putSync(Buffer.from(key.hash, 'hex'), secret)
    this.keysOf.putSync([key.account, key.number], keyId)
    this.keys.putSync(keyId, storedKey(key))
    this.tried?.note({ type: 'key', keyId, record: key })
  }

  /** Another key may have the number by now, where a store was replaced by an older one. */
  #removeDerived(keyId: string, { account, number, hash }: KeyRecord): void {
    this.secrets.removeSync(Buffer.from(hash, 'hex'))
    if (this.keysOf.get([account, number]) === keyId) this.keysOf.removeSync([account, number])
  }

  /** So many key ids, in their order, from this one on. */
  keyIdsFrom(keyId: string, most: number): string[] {
    const read = () => [...this.keys.getKeys({ start: keyId, limit: most })]
    return readSound(
      'keys',
      read,
      isAll((id) => typeof id === 'string'),
    )!
  }

  /** All that is stored of a key, if there is one. Within `write` alone: of one that opened the door until now, a change. */
  removeKey(keyId: string): void {
    const before = this.key(keyId)
    if (before === undefined) return
    this.#removeDerived(keyId, before)
    this.keys.removeSync(keyId)
    this.lastUsed.removeSync(before.number)
    this.tried?.note({ type: 'key', keyId, record: undefined })
  }
}

/** A list of one text would be the text's own key. */
type FoldedKey = [kind: 0, folded: string]

/** Of a name of signs alone no word is left. lmdb takes keys of up to 2 kB. */
const foldedKey = (name: string): FoldedKey => [0, (fold(name).join(' ') || foldSigns(name)).slice(0, foldedCharsMax)]
const foldedCharsMax = 500

export const isAll =
  <T>(isSound: (value: T) => boolean) =>
  (values: readonly T[]): boolean =>
    values.every(isSound)
