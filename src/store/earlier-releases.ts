/** Stores and backups of releases before SQLite, which kept accounts in lmdb. Each function throws an AccountsError with the way out. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { AccountsError } from './accounts-error.ts'
import { storeFileName } from './database.ts'

const oldFileName = 'accounts.mdb'
const wayOut =
  'export its accounts with that release (npm run accounts -- export FILE), and import the file with this one ' +
  '(card-prices accounts import FILE)'

/** Throws if the folder has only accounts of such a release: a new store would accept none of their keys. */
export function refuseOldStore(storeDir: string): void {
  if (existsSync(join(storeDir, storeFileName)) || !existsSync(join(storeDir, oldFileName))) return
  throw new AccountsError(`${join(storeDir, oldFileName)} is the store of an earlier release: ${wayOut}`)
}

/** Where lmdb's files have their magic number: behind a page header, whose length depends on lmdb's version. */
const magicAt = [16, 24]
const magic = 0xbeefc0de

export function refuseOldBackup(path: string): void {
  const head = Buffer.alloc(32)
  const file = openSync(path, 'r')
  try {
    readSync(file, head)
  } finally {
    closeSync(file)
  }
  if (!magicAt.some((at) => head.readUInt32LE(at) === magic)) return
  throw new AccountsError(`${path} is a backup of an earlier release: restore it with that release, ${wayOut}`)
}
