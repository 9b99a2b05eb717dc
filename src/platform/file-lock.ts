/**
 * A lock on a file, for one process or thread at a time. The system releases the lock when the process ends, even by
 * kill -9. The system keeps the lock with the file, so the lock also works between containers that share a volume,
 * where process ids mean nothing.
 *
 * Node.js has no such lock, but SQLite does: the lock is an exclusive transaction on an empty database, which writes
 * nothing. Never open the file with `node:fs`: POSIX locks belong to the process, so closing any descriptor of the file
 * would release them.
 */
import { accessSync, closeSync, constants, existsSync, fchmodSync, fchownSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Keep a reference to this object: if the object is garbage-collected, the lock is released. */
export type FileLock = Pick<DatabaseSync, 'close'>

/** SQLite's primary result code (sqlite.org/rescode.html). */
const sqliteBusy = 5

const isBusy = (error: unknown): boolean => ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === sqliteBusy

/**
 * Takes the lock. Creates the file if it is missing. Returns undefined if another process or thread keeps the lock for
 * longer than `waitMs`. The wait blocks this thread. Throws errors of the system and of SQLite.
 */
export function tryLock(path: string, waitMs = 0): FileLock | undefined {
  makeFile(path)
  // If SQLite can't write the file, it opens the file only for reading, and would lock nothing.
  accessSync(path, constants.W_OK)
  // If the journal were a file, a killed process would leave it behind.
  return locked(path, 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE', { timeout: waitMs })
}

/** True if a living process holds the lock. Creates no file. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const reader = locked(path, 'SELECT 1 FROM sqlite_schema', { timeout: 0, readOnly: true })
  reader?.close()
  return reader === undefined
}

function locked(path: string, sql: string, options: { timeout: number; readOnly?: true }): FileLock | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, options)
    db.exec(sql)
    return db
  } catch (error) {
    db?.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/**
 * Creates the file with the folder's own permissions, so that users who may write to the folder may lock the file. The
 * file has no more permissions than that: any user who may even read the file could keep the lock from the others.
 */
function makeFile(path: string): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  try {
    const { mode, uid, gid } = statSync(dirname(path))
    fchmodSync(file, mode & 0o666)
    // The folder's owner must be able to lock the file even if root was the first to lock it.
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid)
  } finally {
    closeSync(file)
  }
}
