/**
 * What lies in STORE_DIR: one lmdb file that the server's threads and any number of commands read and write at once.
 *
 *   accounts  number → account           names    name → account number
 *   keys      key id → key               keysOf   [account number, key number] → key id, in order of creation
 *   secrets   SHA-256 → all that a request needs: the secrets in use alone; to regenerate or revoke a key takes its away
 *   usage     requests by day and account, see usage-table.ts      lastUsed  key number → Unix seconds
 *   meta      format, the next free numbers, the generation, the note of the server that runs, its id among the servers
 *             that share accounts, and what this store is then a copy of
 *   and those of the pages, in people.ts
 *
 * Numbers are given in order and never again: they are places in shared memory.
 */
import { randomBytes } from 'node:crypto'
import type { Database, RootDatabase } from 'lmdb'
import { AccountsError } from './accounts-error.ts'
import { People } from './people.ts'
import {
  type Account,
  type CopyOf,
  isAccount,
  isAccountNumber,
  isCopyOf,
  isSameServer,
  isSecret,
  isServerId,
  isServerNote,
  isStoredKey,
  type KeyRecord,
  keyRecord,
  type Secret,
  type ServerNote,
  type StoredKey,
  storedKey,
} from './records.ts'
import { openRoot } from './root.ts'
import { readSound } from './sound.ts'
import {
  blockAccounts,
  blockOf,
  carryOverUsage,
  countAt,
  isUsageBlock,
  openUsageTable,
  type UsageBlock,
  type UsageKey,
  type UsageTable,
  withCount,
} from './usage-table.ts'

/** 1 had another table of usage. */
const format = 2

export type Counter = 'format' | 'nextAccount' | 'nextKey' | 'generation'

export interface Contents {
  readonly accounts: number
  /** Revoked and expired ones too. */
  readonly keys: number
}

export class Store {
  readonly accounts: Database<Account, number>
  readonly names: Database<number, string>
  readonly #keys: Database<StoredKey, string>
  readonly keysOf: Database<string, [account: number, key: number]>
  readonly secrets: Database<Secret, Uint8Array>
  readonly usage: UsageTable
  readonly lastUsed: Database<number, number>
  readonly #meta: Database<number | string | ServerNote | CopyOf, Counter | 'server' | 'serverId' | 'copyOf'>
  readonly #root: RootDatabase
  #people: People | undefined

  /** It was made by being opened. */
  readonly isNew: boolean

  /**
   * Opens the store, making it if there is none. One of an older version must be carried over before usage is touched.
   * Throws AccountsError.
   * @param name what an error calls it
   */
  constructor(storeDir: string, name = `the store ${storeDir}`) {
    const root = openRoot(storeDir)
    this.#root = root
    this.accounts = root.openDB('accounts', { keyEncoding: 'uint32' })
    this.names = root.openDB('names', {})
    this.#keys = root.openDB('keys', {})
    this.keysOf = root.openDB('keysOf', {})
    this.secrets = root.openDB('secrets', { keyEncoding: 'binary' })
    this.usage = openUsageTable(root)
    this.lastUsed = root.openDB('lastUsed', { keyEncoding: 'uint32' })
    this.#meta = root.openDB('meta', {})
    const found = this.counter('format')
    this.isNew = found === 0
    if (this.isNew) this.write(() => this.setCounter('format', format))
    else if (found > format) {
      throw new AccountsError(
        `${name} was written by a newer version of this software (its format is ${found}, this one reads ` +
          `up to ${format}): use that one, or restore a backup of before`,
      )
    }
  }

  /** Whether an older version wrote it, and none has carried it over. */
  get isOlder(): boolean {
    return this.counter('format') < format
  }

  /** Makes a store of an older version one of this version, whole or not at all. No server may run on it. */
  carryOver(): void {
    this.write(() => {
      if (!this.isOlder) return
      carryOverUsage(this.#root, this.usage)
      this.setCounter('format', format)
    })
  }

  /** Those who use the pages; a store has their tables from the first time on that somebody asks. Not within a write. */
  get people(): People {
    this.#people ??= new People(this.#root)
    return this.#people
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
    return readSound('names', () => this.names.get(name), isAccountNumber)
  }

  /** All accounts in order of creation. */
  *allAccounts(): Generator<Account> {
    const end = this.counter('nextAccount')
    for (let first = 0; first < end; first += blockAccounts) yield* this.accountsFrom(first, first + blockAccounts)
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

  /** Unix seconds, undefined if the key was never used. */
  lastUse(key: number): number | undefined {
    return readSound('lastUsed', () => this.lastUsed.get(key), Number.isSafeInteger)
  }

  /** So many last uses, in the order of the keys' numbers, from this one on. */
  lastUsesFrom(key: number, most: number): [key: number, second: number][] {
    const read = () =>
      [...this.lastUsed.getRange({ start: key, limit: most })].map((entry): [number, number] => [
        entry.key,
        entry.value,
      ])
    return readSound(
      'lastUsed',
      read,
      isAll(([, second]) => Number.isSafeInteger(second)),
    )!
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

  /** Requests of an account on a day. */
  usedOn(day: number, account: number): number {
    return countAt(this.usageBlock(day, blockOf(account)), account % blockAccounts)
  }

  /** Of the accounts that share a block, undefined if none of them has any on the day. */
  usageBlock(day: number, block: number): UsageBlock | undefined {
    return readSound('usage', () => this.usage.get([day, block]), isUsageBlock)
  }

  /** The days and blocks of which there is any, so many of those from `start` to before `end`, in order. */
  usageKeys(start: UsageKey, end: UsageKey, most: number): UsageKey[] {
    const read = () => [...this.usage.getKeys({ start, end, limit: most })]
    return readSound('usage', read, isAll(Array.isArray))!
  }

  /** Adds to an account's requests on a day, never below 0. Within `write` alone. */
  addUsage(day: number, account: number, added: number): void {
    const before = this.usageBlock(day, blockOf(account))
    const place = account % blockAccounts
    this.usage.putSync([day, blockOf(account)], withCount(before, place, Math.max(countAt(before, place) + added, 0)))
  }

  key(keyId: string): KeyRecord | undefined {
    const stored = readSound('keys', () => this.#keys.get(keyId), isStoredKey)
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

  /** Within `change` alone. */
  setKey(keyId: string, key: KeyRecord): void {
    this.#keys.putSync(keyId, storedKey(key))
  }

  /** So many key ids, in their order, from this one on. */
  keyIdsFrom(keyId: string, most: number): string[] {
    const read = () => [...this.#keys.getKeys({ start: keyId, limit: most })]
    return readSound(
      'keys',
      read,
      isAll((id) => typeof id === 'string'),
    )!
  }

  /** All that is stored of a key. Within `write` alone: of a key that opened the door until now, `change`. */
  removeKey(keyId: string): void {
    const { number, account, hash } = this.knownKey(keyId)
    this.#keys.removeSync(keyId)
    this.keysOf.removeSync([account, number])
    this.lastUsed.removeSync(number)
    this.secrets.removeSync(Buffer.from(hash, 'hex'))
  }

  /** 0 until set. */
  counter(name: Counter): number {
    return readSound('meta', () => this.#meta.get(name) as number | undefined, Number.isSafeInteger) ?? 0
  }

  /** Within `write` or `change` alone. */
  setCounter(name: Counter, value: number): void {
    this.#meta.putSync(name, value)
  }

  /** The server that has noted itself, dead or alive. */
  server(): ServerNote | undefined {
    return readSound('meta', () => this.#meta.get('server') as ServerNote | undefined, isServerNote)
  }

  /** Notes another server, or none, in the place of that one; false if it was not that one. */
  replaceServer(known: ServerNote | undefined, note: ServerNote | undefined): boolean {
    return this.write(() => {
      if (!isSameServer(this.server(), known)) return false
      if (note === undefined) this.#meta.removeSync('server')
      else this.#meta.putSync('server', note)
      return true
    })
  }

  /** By which other servers know the one whose store this is, whenever it runs: 12 characters, made when first asked for. */
  serverId(): string {
    const read = () => readSound('meta', () => this.#meta.get('serverId') as string | undefined, isServerId)
    const known = read()
    if (known !== undefined) return known
    return this.write(() => {
      const id = read() ?? randomBytes(6).toString('hex')
      this.#meta.putSync('serverId', id)
      return id
    })
  }

  /** What this store holds a copy of; undefined if its accounts are its own. */
  copyOf(): CopyOf | undefined {
    return readSound('meta', () => this.#meta.get('copyOf') as CopyOf | undefined, isCopyOf)
  }

  /** Within `write` alone. */
  setCopyOf(copyOf: CopyOf): void {
    this.#meta.putSync('copyOf', copyOf)
  }

  /** The counter's value, which is taken by that. Within `write` or `change` alone. */
  takeNumber(name: 'nextAccount' | 'nextKey'): number {
    const number = this.counter(name)
    this.setCounter(name, number + 1)
    return number
  }

  /** All of it or nothing; on disk when it returns. What `action` throws undoes it and is thrown on. */
  write<T>(action: () => T): T {
    try {
      return this.#root.transactionSync(action)
    } catch (error) {
      const { message } = error as Error
      throw message.startsWith('MDB_') ? new AccountsError(`the store can't be written (${message})`) : error
    }
  }

  /** A `write` that servers must learn of: of accounts or keys. */
  change<T>(action: () => T): T {
    return this.write(() => {
      const result = action()
      this.setCounter('generation', this.counter('generation') + 1)
      return result
    })
  }

  /** Makes the next reads see what other threads and processes have written until now. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  contents(): Contents {
    return { accounts: entriesOf(this.accounts), keys: entriesOf(this.#keys) }
  }

  /** Records of sessions on the pages, those that have ended but were not removed yet among them. */
  get sessions(): number {
    return entriesOf(this.people.sessions)
  }

  /** What the store holds at this moment, as another store's file. Others write on meanwhile. */
  copyTo(path: string): Promise<void> {
    return this.#root.backup(path, false)
  }

  async close(): Promise<void> {
    await this.#root.close()
  }
}

const entriesOf = (table: Pick<Database, 'getStats'>): number => (table.getStats() as { entryCount: number }).entryCount

const isAll =
  <T>(isSound: (value: T) => boolean) =>
  (values: readonly T[]): boolean =>
    values.every(isSound)
