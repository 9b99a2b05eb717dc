/**
 * Which server runs on a store, and how a command has it look again.
 *
 *   server   holds SQLite's lock on STORE_DIR/server.db: the system takes it away with the process, in a container too
 *   command  raises `asked` in the store ─▶ server writes its counts, has its threads look again, notes it as `answered`
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { answerMs, confirmMsMax } from '../limits.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { makeFile } from '../store/database.ts'
import { inWords, isBusy } from '../store/sqlite-error.ts'
import type { Store } from '../store/store.ts'

/** Those who look whether it is taken keep only the one who takes it waiting, and not for long. */
const lookersMsMax = 300

export type Lock = Pick<DatabaseSync, 'close'>

const lockOf = ({ dir }: Pick<Store, 'dir'>) => join(dir, 'server.db')

/** Makes this process the store's server. Throws an AccountsError that names the one that it has. */
export function claimStore(store: Store): Lock {
  const lock = locked(lockOf(store), 'BEGIN EXCLUSIVE', lookersMsMax)
  if (lock === undefined) {
    const pid = store.setting('server')?.pid
    throw new AccountsError(
      `the store ${store.dir} is served by the process ${pid ?? '(of another machine)'} already: stop that, or set another STORE_DIR`,
    )
  }
  try {
    store.write(() => store.setSetting('server', { pid: process.pid }))
  } catch (error) {
    lock.close()
    throw error
  }
  return lock
}

/** Whether a server runs on the store, one that is frozen too. */
export function isServed(store: Pick<Store, 'dir'>): boolean {
  const path = lockOf(store)
  if (!existsSync(path)) return false
  const reader = locked(path, 'SELECT 1 FROM sqlite_schema', 0)
  reader?.close()
  return reader === undefined
}

/** Undefined if another process has the lock for longer than can be waited for. */
function locked(path: string, sql: string, timeout: number): Lock | undefined {
  let db: DatabaseSync | undefined
  try {
    makeFile(path)
    db = new DatabaseSync(path, { timeout })
    db.exec(sql)
    return db
  } catch (error) {
    db?.close()
    if (isBusy(error)) return undefined
    throw inWords(error, path)
  }
}

/** Answers commands, if it is asked to look every `answerMs`. */
export class Answering {
  readonly #store: Store
  readonly #confirm: () => boolean | undefined
  #answered: number

  /** @param confirm has threads look again: whether the store has all that was counted; undefined if they did not */
  constructor(store: Store, confirm: () => boolean | undefined) {
    this.#store = store
    this.#confirm = confirm
    // A command may have asked since this server took the lock, and waits.
    this.#answered = store.setting('answered')?.asked ?? 0
  }

  look(): void {
    const asked = this.#store.setting('asked') ?? 0
    if (asked === this.#answered) return
    const isWritten = this.#confirm()
    if (isWritten === undefined) return
    this.#store.write(() => this.#store.setSetting('answered', { asked, isWritten }))
    this.#answered = asked
  }
}

/**
 * Tells the store's server, if it has one. Returns its process id if it did not confirm in time.
 * @param mustWrite what it has counted must be in the store then
 * @param msMax how long it is waited for
 */
export async function tellServer(store: Store, mustWrite = false, msMax = confirmMsMax): Promise<number | undefined> {
  if (!isServed(store)) return undefined
  const ask = () =>
    store.write(() => {
      const asked = (store.setting('asked') ?? 0) + 1
      store.setSetting('asked', asked)
      return asked
    })
  let asked = ask()
  for (const until = performance.now() + msMax; ; await pause(answerMs / 2)) {
    const answered = store.setting('answered')
    if (answered !== undefined && answered.asked >= asked) {
      if (answered.isWritten || !mustWrite) return undefined
      asked = ask()
    }
    if (!isServed(store)) return undefined
    if (performance.now() > until) return store.setting('server')?.pid ?? 0
  }
}
