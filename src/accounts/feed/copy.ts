/**
 * A store as the copy of the accounts that servers share. It is changed only by what the shared store tells: change after
 * change, each with the next number, or everything anew. Whichever process of its machine comes first does it.
 *
 *   number 7 ── changes 8, 9 ──▶ number 9            one transaction: records, what follows from them, the number
 *   number 7 ── everything ····· part ··· part ▶ 412   the mark of who copies, in the place of the chain, until it is whole
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { AccountsError } from '../../store/accounts-error.ts'
import { type Changed, placeOf } from '../../store/changed.ts'
import type { Account, CopyOf, KeyRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { bytesOf, entryIn } from './entry.ts'

/** Of records looked at in a row: some milliseconds. */
const stepRecords = 1000

export class Copy {
  readonly store: Store

  /** @param store whose accounts are no others' */
  constructor(store: Store) {
    this.store = store
  }

  /** As of now, whoever brought it there. */
  get at(): CopyOf | undefined {
    this.store.refresh()
    return this.store.copyOf()
  }

  get next(): { readonly nextAccount: number; readonly nextKey: number } {
    return { nextAccount: this.store.counter('nextAccount'), nextKey: this.store.counter('nextKey') }
  }

  /** Whether it was whole at some time: its accounts are those of some moment, or on the way from one to another. */
  get isThere(): boolean {
    const at = this.at
    return at !== undefined && at.number >= 0
  }

  /** Makes the changes that come after `from`; if the copy is no longer there, another process was first. Throws AccountsError. */
  apply(from: CopyOf, entries: readonly Buffer[]): void {
    const read = entries.map(entryIn)
    this.store.write(() => {
      if (!isSame(this.store.copyOf(), from)) return
      for (const { changed } of read) for (const each of changed) this.#put(each)
      const { chain } = read.at(-1)!
      this.store.setCopyOf({ ...from, number: from.number + entries.length, chain })
      this.store.raiseGeneration()
    })
  }

  /**
   * Makes it anew from all records of the store. Returns false if another process has begun to, and nothing more is done.
   * @param to the store's number and chain before the first of its records was read
   */
  async replace(to: Omit<CopyOf, 'whole'>, pages: AsyncIterable<readonly Changed[]>): Promise<boolean> {
    const { store } = this
    const mark = randomUUID()
    const isMine = () => store.copyOf()?.chain === mark
    let isEmpty = false
    store.write(() => {
      const before = store.copyOf()
      isEmpty = store.counter('nextAccount') === 0
      store.setCopyOf({ id: to.id, number: before?.id === to.id ? before.number : -1, chain: mark, whole: false })
    })
    const isDone = isEmpty ? await this.#fill(pages, isMine) : await this.#overwrite(pages, isMine)
    if (!isDone) return false
    return store.write(() => {
      if (!isMine()) return false
      store.setCopyOf({ id: to.id, number: to.number, chain: to.chain, whole: true })
      store.raiseGeneration()
      return true
    })
  }

  /** A first copy, in one transaction: nobody is let in meanwhile. */
  async #fill(pages: AsyncIterable<readonly Changed[]>, isMine: () => boolean): Promise<boolean> {
    const accounts = new Map<number, Account>()
    const keys = new Map<string, KeyRecord>()
    const counters: Changed[] = []
    for await (const page of pages) {
      for (const changed of page) {
        if (changed.type === 'counter') counters.push(changed)
        else if (changed.type === 'account') accounts.set(changed.number, changed.record!)
        else keys.set(changed.keyId, changed.record!)
      }
    }
    return this.store.write(() => {
      if (!isMine()) return false
      for (const counter of counters) this.#put(counter)
      this.store.fill(accounts.values(), keys)
      return true
    })
  }

  /** A copy that is in use: page by page, and only what differs is written. */
  async #overwrite(pages: AsyncIterable<readonly Changed[]>, isMine: () => boolean): Promise<boolean> {
    const places = new Set<string>()
    for await (const page of pages) {
      for (const changed of page) places.add(placeOf(changed))
      const others = page.filter((changed) => this.#differs(changed))
      const isDone = this.store.write(() => {
        if (isMine()) for (const changed of others) this.#put(changed)
        return isMine()
      })
      if (!isDone) return false
    }
    await this.#removeOthers(places, isMine)
    return true
  }

  #differs(changed: Changed): boolean {
    const { store } = this
    if (changed.type === 'counter') return store.counter(changed.name) !== changed.value
    const known = changed.type === 'account' ? store.accounts.get(changed.number) : store.key(changed.keyId)
    return !isDeepStrictEqual(known, changed.record)
  }

  /** What is no longer among all. */
  async #removeOthers(places: ReadonlySet<string>, isMine: () => boolean): Promise<void> {
    const { store } = this
    for (let from = ''; ; ) {
      const keyIds = store.keyIdsFrom(from, stepRecords + 1)
      const gone = keyIds.slice(0, stepRecords).filter((keyId) => !places.has(`k:${keyId}`))
      store.write(() => {
        if (isMine()) for (const keyId of gone) store.removeKey(keyId)
      })
      if (keyIds.length <= stepRecords) break
      from = keyIds[stepRecords]!
      await pause()
    }
    for (let first = 0; first < store.counter('nextAccount'); first += stepRecords) {
      const gone = store.accountsFrom(first, first + stepRecords).filter(({ number }) => !places.has(`a:${number}`))
      store.write(() => {
        if (isMine()) for (const { number } of gone) store.removeAccount(number)
      })
      await pause()
    }
  }

  /** All records of a store, as the shared one has them, in pages. */
  static *records(store: Store): Generator<[place: string, record: Buffer][]> {
    const paired = (changed: Changed): [string, Buffer] => [placeOf(changed), bytesOf(changed)]
    const counters = (['nextAccount', 'nextKey'] as const).map(
      (name): Changed => ({ type: 'counter', name, value: store.counter(name) }),
    )
    yield counters.map(paired)
    for (let first = 0; first < store.counter('nextAccount'); first += stepRecords) {
      const accounts = store.accountsFrom(first, first + stepRecords)
      yield accounts.map((record) => paired({ type: 'account', number: record.number, record }))
    }
    for (let from = ''; ; ) {
      const keyIds = store.keyIdsFrom(from, stepRecords + 1)
      yield keyIds.slice(0, stepRecords).map((keyId) => paired({ type: 'key', keyId, record: store.knownKey(keyId) }))
      if (keyIds.length <= stepRecords) return
      from = keyIds[stepRecords]!
    }
  }

  #put(changed: Changed): void {
    const { store } = this
    if (changed.type === 'counter') store.setCounter(changed.name, changed.value)
    else if (changed.type === 'account') {
      if (changed.record === undefined) store.removeAccount(changed.number)
      else store.putAccount(changed.record)
    } else if (changed.record === undefined) store.removeKey(changed.keyId)
    else store.putKey(changed.keyId, changed.record)
  }
}

const isSame = (a: CopyOf | undefined, b: CopyOf): boolean =>
  a?.id === b.id && a.number === b.number && a.chain === b.chain && a.whole === b.whole

/** Throws AccountsError if the store's accounts are its own, and there are any: they would be lost. */
export function refuseOwnAccounts(store: Store, storeDir: string): void {
  store.refresh()
  if (store.copyOf() !== undefined || store.counter('nextAccount') === 0) return
  throw new AccountsError(
    `the store ${storeDir} has accounts of its own, which are not those of ACCOUNTS_STORE: take them there by ` +
      'accounts -- move, or set another STORE_DIR',
  )
}
