/**
 * Claims a store for its server, and lets commands notify that server.
 *
 *   server   holds the lock on STORE_DIR/server.db
 *   command  raises `asked` in the store ─▶ the server writes counts, makes threads forget keys, sets `answered`
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { confirmMsMax } from '../limits.ts'
import { type FileLock, isLocked, tryLock } from '../platform/file-lock.ts'
import { AccountsError, accountsErrorOf } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'

/** How often a server checks for notifications of commands. */
export const notificationPollMs = 40

/** How long a starting server waits for the lock. A process that only checks the lock holds it for a moment. */
const lockMsMax = 300

/** Makes this process the store's server. If the store has a server, throws an AccountsError with its process id. */
export function claimStore(store: Store): FileLock {
  const lock = inLockFile(store.dir, (path) => tryLock(path, lockMsMax))
  if (lock === undefined) {
    const pid = store.setting('server')?.pid
    throw new AccountsError(
      `the store ${store.dir} is in use by the server with process id ${pid ?? '(of another machine)'}: stop it, or set another STORE_DIR`,
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

/** True if the store has a server process, even a frozen one. Throws AccountsError. */
export function isServed({ dir }: Pick<Store, 'dir'>): boolean {
  return inLockFile(dir, isLocked)
}

function inLockFile<Result>(storeDir: string, work: (path: string) => Result): Result {
  const path = join(storeDir, 'server.db')
  try {
    return work(path)
  } catch (error) {
    throw accountsErrorOf(error, path)
  }
}

/**
 * The server's side. Returns a function that answers commands; call that function every `notificationPollMs`.
 * @param onNotified writes counts and makes threads forget keys. It returns whether the store has all counts, or
 *   undefined if threads may still remember old keys: then the command is not answered yet
 */
export function notificationPoll(store: Store, onNotified: () => boolean | undefined): () => void {
  // This starts from the last answer, not from `asked`. A command may have raised `asked` since this server took the
  // lock, and that command waits for an answer.
  let answered = store.setting('answered')?.asked ?? 0
  return () => {
    const asked = store.setting('asked') ?? 0
    if (asked === answered) return
    const isWritten = onNotified()
    if (isWritten === undefined) return
    store.write(() => store.setSetting('answered', { asked, isWritten }))
    answered = asked
  }
}

/**
 * Notifies the store's server, if one runs, and waits for its answer. Returns undefined after the answer or without a
 * server. If the server does not answer in time, returns the server's process id.
 * @param mustWrite also wait until the server has written its counts to the store
 * @param msMax how long to wait
 */
export async function notifyServer(store: Store, mustWrite = false, msMax = confirmMsMax): Promise<number | undefined> {
  if (!isServed(store)) return undefined
  const notify = () =>
    store.write(() => {
      const asked = (store.setting('asked') ?? 0) + 1
      store.setSetting('asked', asked)
      return asked
    })
  let asked = notify()
  for (const until = performance.now() + msMax; ; await pause(notificationPollMs / 2)) {
    const answered = store.setting('answered')
    if (answered !== undefined && answered.asked >= asked) {
      if (answered.isWritten || !mustWrite) return undefined
      asked = notify()
    }
    if (!isServed(store)) return undefined
    if (performance.now() > until) return store.setting('server')?.pid ?? 0
  }
}
