/**
 * The lmdb root: the file in STORE_DIR that holds all tables. It is this user's alone, and is opened only where it is
 * whole: lmdb follows a damaged file to the process's end.
 */
import { chmodSync, existsSync, mkdirSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { open, type RootDatabase } from 'lmdb'
import { storeBytesMax, storeReadersMax, storeSpareBytesMin } from '../limits.ts'
import { AccountsError } from './accounts-error.ts'
import { damageOf } from './file.ts'

export const storeFileName = 'accounts.mdb'
const tablesMax = 16

/** Throws AccountsError where there is no store: to open one would make it, and show it empty. */
export function checkStore(storeDir: string): void {
  if (existsSync(join(storeDir, storeFileName))) return
  throw new AccountsError(`there is no store in ${resolve(storeDir)}: is STORE_DIR right?`)
}

/** Makes the folder and the file if there are none. Throws AccountsError. */
export function openRoot(storeDir: string): RootDatabase {
  try {
    mkdirSync(storeDir, { recursive: true, mode: 0o700 })
    const path = join(storeDir, storeFileName)
    // A thread never opens a store before the main thread has, and can't set the umask.
    return isMainThread ? openFirst(path) : openFile(path)
  } catch (error) {
    if (error instanceof AccountsError) throw error
    throw new AccountsError(`the store ${storeDir} can't be opened (${(error as Error).message})`)
  }
}

function openFirst(path: string): RootDatabase {
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

/**
 * Throws AccountsError if the disk is nearly full. Not for lmdb to find out: after writes that failed it can overwrite
 * memory, and the process ends by a signal (seen with 3.5.6, once in fifty such writes).
 */
export function refuseFullDisk(storeDir: string): void {
  const { bavail, blocks, bsize } = statfsSync(storeDir)
  // Some file systems don't tell.
  if (blocks === 0 || bavail * bsize >= storeSpareBytesMin) return
  throw new AccountsError(
    `the store ${storeDir} can't be written: its disk has less than ${storeSpareBytesMin / 2 ** 20} MB left`,
  )
}
