/**
 * What lies in STORE_DIR: one lmdb file that the server's threads and any number of commands read and write at once.
 *
 *   accounts  number → account           names    name → account number, [folded as in search] → the first one's
 *   keys      key id → key               keysOf   [account number, key number] → key id, in order of creation
 *   secrets   SHA-256 → all that a request needs: the secrets in use alone; to regenerate or revoke a key takes its away
 *   usage     requests by day and account, see usage-table.ts      lastUsed  key number → Unix seconds
 *   meta      format, the next free numbers, the generation, when it was backed up, the note of the server that runs, its id
 *             among the servers that share accounts, and what this store is then a copy of
 *   and those of the pages, in people.ts
 *
 * Numbers are given in order and never again: they are places in shared memory.
 */
import { randomBytes } from 'node:crypto'
import { ABORT, type Database, type RootDatabase } from 'lmdb'
import { AccountTables, isAll } from './account-tables.ts'
import { AccountsError } from './accounts-error.ts'
import { type Changed, ChangedRecords, type Numbered } from './changed.ts'
import { People } from './people.ts'
import {
  type Account,
  type CopyOf,
  isCopyOf,
  isLessees,
  isSameServer,
  isServerId,
  isServerNote,
  type Lessees,
  type ServerNote,
} from './records.ts'
import { openRoot, refuseFullDisk } from './root.ts'
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

/** 1 had another table of usage, 2 no folded names. */
const format = 3

export type Counter = 'format' | 'generation' | 'backedUpAt' | Numbered

export interface Contents {
  readonly accounts: number
  /** Revoked and expired ones too. */
  readonly keys: number
}

export interface Tried<T> {
  readonly result: T
  readonly changed: readonly Changed[]
  /** What the store was a copy of when it was tried. */
  readonly at: CopyOf | undefined
}

export class Store extends AccountTables {
  readonly usage: UsageTable
  readonly #meta: Database<
    number | string | ServerNote | CopyOf | Lessees,
    Counter | 'server' | 'serverId' | 'copyOf' | 'lessees'
  >
  readonly #root: RootDatabase
  readonly #dir: string
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
    super(root)
    this.#root = root
    this.#dir = storeDir
    this.usage = openUsageTable(root)
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
      if (this.counter('format') < 2) carryOverUsage(this.#root, this.usage)
      for (const account of this.allAccounts()) this.putName(account)
      this.setCounter('format', format)
    })
  }

  /** Those who use the pages; a store has their tables from the first time on that somebody asks. Not within a write. */
  get people(): People {
    this.#people ??= new People(this.#root)
    return this.#people
  }

  /** All accounts in order of creation. */
  *allAccounts(): Generator<Account> {
    const end = this.counter('nextAccount')
    for (let first = 0; first < end; first += blockAccounts) yield* this.accountsFrom(first, first + blockAccounts)
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

  /** Requests of an account on a day. */
  usedOn(day: number, account: number): number {
    return countAt(this.usageBlock(day, blockOf(account)), account % blockAccounts)
  }

  /** Of the accounts that share a block, undefined if none of them has any on the day. */
  usageBlock(day: number, block: number): UsageBlock | undefined {
    return readSound('usage', () => this.usage.get([day, block]), isUsageBlock)
  }

  /** So many days and blocks of which there is any, in order, from this one on. */
  usageKeys(start: UsageKey, most: number): UsageKey[] {
    const read = () => [...this.usage.getKeys({ start, limit: most })]
    return readSound('usage', read, isAll(Array.isArray))!
  }

  /** Adds to an account's requests on a day, never below 0. Within `write` alone. */
  addUsage(day: number, account: number, added: number): void {
    const before = this.usageBlock(day, blockOf(account))
    const place = account % blockAccounts
    this.usage.putSync([day, blockOf(account)], withCount(before, place, Math.max(countAt(before, place) + added, 0)))
  }

  /** 0 until set. */
  counter(name: Counter): number {
    return readSound('meta', () => this.#meta.get(name) as number | undefined, Number.isSafeInteger) ?? 0
  }

  /** Within `write` or `change` alone. */
  setCounter(name: Counter, value: number): void {
    this.#meta.putSync(name, value)
    if (name === 'nextAccount' || name === 'nextKey') this.tried?.note({ type: 'counter', name, value })
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
    const known = this.knownServerId()
    if (known !== undefined) return known
    return this.write(() => {
      const id = this.knownServerId() ?? randomBytes(6).toString('hex')
      this.#meta.putSync('serverId', id)
      return id
    })
  }

  /** Who took leases for this store. */
  lessees(): Lessees | undefined {
    return readSound('meta', () => this.#meta.get('lessees') as Lessees | undefined, isLessees)
  }

  /** Within `write` alone. */
  setLessees(lessees: Lessees): void {
    this.#meta.putSync('lessees', lessees)
  }

  /** The same, if it was ever asked for. */
  knownServerId(): string | undefined {
    return readSound('meta', () => this.#meta.get('serverId') as string | undefined, isServerId)
  }

  /** Whoever runs on it is not the server that did, and has counted nothing. */
  becomeAnotherServer(): void {
    this.write(() => {
      this.#meta.removeSync('serverId')
      this.usage.clearSync()
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

  /** Its accounts are its own again. Within `write` alone. */
  forgetCopyOf(): void {
    this.#meta.removeSync('copyOf')
  }

  /** The counter's value, which is taken by that. Within `write` or `change` alone. */
  takeNumber(name: Numbered): number {
    const number = this.counter(name)
    this.setCounter(name, number + 1)
    return number
  }

  /** All of it or nothing; on disk when it returns. What `action` throws undoes it and is thrown on. */
  write<T>(action: () => T): T {
    refuseFullDisk(this.#dir)
    try {
      return this.#root.transactionSync(action)
    } catch (error) {
      const { message } = error as Error
      throw message.startsWith('MDB_') ? new AccountsError(`the store can't be written (${message})`) : error
    }
  }

  /** A `write` that servers must learn of: of accounts or keys. Throws AccountsError if the store is a copy of others'. */
  change<T>(action: () => T): T {
    return this.write(() => {
      if (this.tried === undefined) this.#refuseCopy()
      const result = action()
      this.raiseGeneration()
      return result
    })
  }

  /** What a change comes to, and what it would do to the store as it was then, a copy of what: the store stays as it is. */
  try<T>(action: () => T): Tried<T> {
    const tried = new ChangedRecords()
    let result!: T
    let at: CopyOf | undefined
    this.tried = tried
    try {
      this.write(() => {
        // Not before, and not after: this machine's server may bring the copy further at any time.
        at = this.copyOf()
        result = action()
        return ABORT
      })
    } finally {
      this.tried = undefined
    }
    return { result, changed: tried.all, at }
  }

  #refuseCopy(): void {
    if (this.copyOf() === undefined) return
    throw new AccountsError(
      'the accounts here are a copy of those that servers share: set ACCOUNTS_STORE to change them',
    )
  }

  /** Whoever knows accounts and keys looks again. Within `write` alone. */
  raiseGeneration(): void {
    this.setCounter('generation', this.counter('generation') + 1)
  }

  /** Makes the next reads see what other threads and processes have written until now. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  contents(): Contents {
    return { accounts: entriesOf(this.accounts), keys: entriesOf(this.keys) }
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
