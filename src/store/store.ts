/**
 * What lies in STORE_DIR: one lmdb file that the server's threads and any number of commands read and write at once.
 *
 *   accounts  number → account           names    name → account number
 *   keys      key id → key               keysOf   [account number, key number] → key id, in order of creation
 *   secrets   SHA-256 → all that a request needs: the secrets in use alone; to regenerate or revoke a key takes its away
 *   usage     [day, account number] → requests      lastUsed  key number → Unix seconds
 *   meta      format, the next free numbers, the generation, the note of the server that runs
 *
 * Numbers are given in order and never again: they are places in shared memory.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type Database, open, type RootDatabase } from 'lmdb'
import { accountsMax, keysMax, storeBytesMax, storeReadersMax } from '../limits.ts'
import { isPlanName, type PlanName } from '../plans.ts'
import { damageOf } from './file.ts'
import { isSameServer, isServerNote, type ServerNote } from './server-note.ts'

const format = 1
const fileName = 'accounts.mdb'
const tablesMax = 12

export interface Account {
  readonly number: number
  readonly name: string
  readonly plan: PlanName
  /** ms since 1970 */
  readonly createdAt: number
}

export interface KeyRecord {
  readonly number: number
  readonly account: number
  readonly name: string
  /** The public beginning of the key. */
  readonly prefix: string
  /** SHA-256 of the key, as hex. */
  readonly hash: string
  /** ms since 1970; null: never. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

/** A KeyRecord's values in order: half the bytes that its field names would take with them. */
type StoredKey = [number, number, string, string, Uint8Array, number, number | null, number | null]

/** What a request needs of its key, in a small table of its own: requests touch few pages, however many keys there are. */
export type Secret = [key: number, account: number, expiresAt: number | null]

export type Counter = 'format' | 'nextAccount' | 'nextKey' | 'generation'

/** What an operator can put right; the message is one line for them. */
export class AccountsError extends Error {}

export class Store {
  readonly accounts: Database<Account, number>
  readonly names: Database<number, string>
  readonly #keys: Database<StoredKey, string>
  readonly keysOf: Database<string, [account: number, key: number]>
  readonly secrets: Database<Secret, Uint8Array>
  readonly usage: Database<number, [day: number, account: number]>
  readonly lastUsed: Database<number, number>
  readonly #meta: Database<number | ServerNote, Counter | 'server'>
  readonly #root: RootDatabase

  /** Opens the store, making it if there is none. Throws AccountsError. */
  constructor(storeDir: string) {
    try {
      this.#root = openRoot(storeDir)
    } catch (error) {
      if (error instanceof AccountsError) throw error
      throw new AccountsError(`the store ${storeDir} can't be opened (${(error as Error).message})`)
    }
    const root = this.#root
    this.accounts = root.openDB('accounts', { keyEncoding: 'uint32' })
    this.names = root.openDB('names', {})
    this.#keys = root.openDB('keys', {})
    this.keysOf = root.openDB('keysOf', {})
    this.secrets = root.openDB('secrets', { keyEncoding: 'binary' })
    this.usage = root.openDB('usage', {})
    this.lastUsed = root.openDB('lastUsed', { keyEncoding: 'uint32' })
    this.#meta = root.openDB('meta', {})
    const found = this.counter('format')
    if (found === 0) this.write(() => this.setCounter('format', format))
    else if (found !== format) {
      throw new AccountsError(`the store ${storeDir} has format ${found}, this version reads format ${format}`)
    }
  }

  /** Throws AccountsError if there is none: its number was read from another record. */
  account(number: number): Account {
    return this.#there(
      'accounts',
      this.#sound('accounts', () => this.accounts.get(number), isAccount),
    )
  }

  /** The account's number, undefined if none has the name. */
  accountNumber(name: string): number | undefined {
    return this.#sound('names', () => this.names.get(name), isAccountNumber)
  }

  /** All accounts in order of creation. */
  *allAccounts(): Generator<Account> {
    const numbers = this.#sound('accounts', () => [...this.accounts.getKeys({})], isAll(isAccountNumber))!
    for (const number of numbers) yield this.account(number)
  }

  /** The ids of an account's keys in order of creation. */
  keyIdsOf(account: number): string[] {
    const read = () =>
      [...this.keysOf.getRange({ start: [account, 0], end: [account + 1, 0] })].map(({ value }) => value)
    const areIds = isAll((id) => typeof id === 'string')
    return this.#sound('keysOf', read, areIds)!
  }

  /** Unix seconds, undefined if the key was never used. */
  lastUse(key: number): number | undefined {
    return this.#sound('lastUsed', () => this.lastUsed.get(key), Number.isSafeInteger)
  }

  secret(hash: Uint8Array): Secret | undefined {
    return this.#sound('secrets', () => this.secrets.get(hash), isSecret)
  }

  /** Requests of an account on a day. */
  usedOn(day: number, account: number): number {
    return this.#sound('usage', () => this.usage.get([day, account]), Number.isSafeInteger) ?? 0
  }

  key(keyId: string): KeyRecord | undefined {
    const stored = this.#sound('keys', () => this.#keys.get(keyId), isStoredKey)
    if (stored === undefined) return undefined
    const [number, account, name, prefix, hash, createdAt, expiresAt, revokedAt] = stored
    return { number, account, name, prefix, hash: Buffer.from(hash).toString('hex'), createdAt, expiresAt, revokedAt }
  }

  /** The same for a key that another record names. Throws AccountsError if there is none. */
  knownKey(keyId: string): KeyRecord {
    return this.#there('keys', this.key(keyId))
  }

  #there<T>(table: string, record: T | undefined): T {
    if (record !== undefined) return record
    throw new AccountsError(`the store lacks a record in its table ${table}: restore a backup`)
  }

  /** A page can be whole and what a record holds be overwritten. Throws AccountsError. */
  #sound<T>(table: string, read: () => T | undefined, isSound: (record: T) => boolean): T | undefined {
    let record: T | undefined
    let reason = ''
    try {
      record = read()
      if (record === undefined || isSound(record)) return record
    } catch (error) {
      reason = ` (${(error as Error).message})`
    }
    throw new AccountsError(`the store holds a damaged record in its table ${table}${reason}: restore a backup`)
  }

  /** Within `change` alone. */
  setKey(keyId: string, key: KeyRecord): void {
    const { number, account, name, prefix, hash, createdAt, expiresAt, revokedAt } = key
    const bytes = Buffer.from(hash, 'hex')
    this.#keys.putSync(keyId, [number, account, name, prefix, bytes, createdAt, expiresAt, revokedAt])
  }

  /** 0 until set. */
  counter(name: Counter): number {
    return this.#sound('meta', () => this.#meta.get(name) as number | undefined, Number.isSafeInteger) ?? 0
  }

  /** Within `write` or `change` alone. */
  setCounter(name: Counter, value: number): void {
    this.#meta.putSync(name, value)
  }

  /** The server that has noted itself, dead or alive. */
  server(): ServerNote | undefined {
    return this.#sound('meta', () => this.#meta.get('server') as ServerNote | undefined, isServerNote)
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

  async close(): Promise<void> {
    await this.#root.close()
  }
}

const isMoment = (value: unknown): boolean => value === null || Number.isSafeInteger(value)

const isNumberBelow = (value: unknown, end: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end

const isAccountNumber = (value: unknown): boolean => isNumberBelow(value, accountsMax)

const isAll =
  <T>(isSound: (value: T) => boolean) =>
  (values: readonly T[]): boolean =>
    values.every(isSound)

const isAccount = (record: Account): boolean =>
  isAccountNumber(record?.number) && typeof record.name === 'string' && isPlanName(record.plan)

const isSecret = (record: Secret): boolean =>
  Array.isArray(record) &&
  isNumberBelow(record[0], keysMax) &&
  isNumberBelow(record[1], accountsMax) &&
  isMoment(record[2])

const isStoredKey = (record: StoredKey): boolean =>
  Array.isArray(record) &&
  isNumberBelow(record[0], keysMax) &&
  isNumberBelow(record[1], accountsMax) &&
  typeof record[2] === 'string' &&
  typeof record[3] === 'string' &&
  record[4] instanceof Uint8Array &&
  record.slice(5).every(isMoment)

function openRoot(storeDir: string): RootDatabase {
  mkdirSync(storeDir, { recursive: true, mode: 0o700 })
  const path = join(storeDir, fileName)
  // A thread never opens a store before the main thread has, and can't set the umask.
  if (!isMainThread) return openFile(path)
  if (existsSync(path)) refuseDamaged(path)
  const umask = process.umask(0o077)
  try {
    const root = openFile(path)
    for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600)
    return root
  } finally {
    process.umask(umask)
  }
}

/** Each transaction is on disk when it returns, so that of two heads the newer one always holds. */
const openFile = (path: string): RootDatabase =>
  open({
    path,
    noSubdir: true,
    mapSize: storeBytesMax,
    maxDbs: tablesMax,
    maxReaders: storeReadersMax,
    overlappingSync: false,
  })

function refuseDamaged(path: string): void {
  const damage = damageOf(path)
  if (damage === undefined) return
  throw new AccountsError(
    `the store's file ${path} is damaged: ${damage}. Restore a backup, or remove it to begin anew`,
  )
}
