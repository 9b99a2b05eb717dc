/** Examines STORE_DIR. It opens the store read-only: it creates no file and migrates no table. */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isServed } from '../../accounts/control.ts'
import { commandLine } from '../../command/command-line.ts'
import { accountsErrorOf, oneLine } from '../../store/accounts-error.ts'
import { storeFileName } from '../../store/database.ts'
import type { CopyState, ServerRecord, Settings as StoredSettings } from '../../store/store-records.ts'
import { migrations } from '../../store/store-schema.ts'
import { ago, bad, type Found, freshMsMax, type Look, ok, warn } from './finding.ts'

/** The advice is not a command, because the operator must first move the store away and choose a backup. */
const restore = 'restore a backup, as docs/operating.md has it'

export const lookAtStore: Look = async ({ STORE_DIR, DATABASE_URL }) => {
  const folder = resolve(STORE_DIR)
  const path = join(folder, storeFileName)
  if (!existsSync(path)) {
    return warn(`there is no store in ${folder}`, 'the first server or account creates one; is STORE_DIR right?')
  }
  try {
    const found = reading(path, (db) => examineStore(db, folder, path))
    if (
      found.state === 'bad' ||
      DATABASE_URL !== undefined ||
      (copyIn(folder).state ?? copyIn(folder).earlier) === undefined
    )
      return found
    const advice = 'set DATABASE_URL, or another STORE_DIR'
    return bad(`${folder} is a copy of shared accounts, so that no server starts without DATABASE_URL`, advice)
  } catch (error) {
    return bad((error as Error).message, `${restore}, or correct STORE_DIR`)
  }
}

function examineStore(db: DatabaseSync, folder: string, path: string): Found {
  const first = (sql: string) => Object.values(db.prepare(sql).get()!)[0]
  const schema = Number(first('PRAGMA user_version'))
  if (schema === 0) return bad(`${path} is no store`, restore)
  if (schema > migrations.length) return bad(`${path} was written by a newer release`, 'use that release')
  const damage = first('PRAGMA integrity_check(1)')
  if (damage !== 'ok') {
    return bad(`${path} is damaged (${oneLine(String(damage))})`, restore)
  }
  const accounts = first('SELECT COUNT(*) FROM accounts WHERE deleted_at IS NULL')
  if (accounts === 0) {
    const advice = `create one (${toCreateAccount()}), or correct STORE_DIR`
    return warn(`no accounts in ${folder}: every key gets 401`, advice)
  }
  const pid = serverProcess(folder)
  const served = pid === undefined ? 'no server runs on it' : `the server has process id ${pid}`
  return ok(`undamaged, with ${accounts} account${accounts === 1 ? '' : 's'}; ${served}`)
}

export const toCreateAccount = (): string => commandLine('accounts', 'create', 'shop', '--plan', 'free')

export const lookAtBackup: Look = async ({ STORE_DIR }) => {
  const advice = `write one a day (${commandLine('accounts', 'backup', 'backups/')}), and copy it to another disk`
  const at = storedSetting(STORE_DIR, 'backedUpAt')
  if (at === undefined) return warn('no backup of the store is known', advice)
  const to = storedSetting(STORE_DIR, 'backedUpTo')
  const isOnSameDisk = to !== undefined && existsSync(to) && statSync(to).dev === statSync(STORE_DIR).dev
  const found = `the last one ${ago(at)}${isOnSameDisk ? ', on the same disk as the store: copy it to another' : ''}`
  return Date.now() - at > freshMsMax ? warn(found, advice) : ok(found)
}

/** The store's server; undefined if no server runs, or if the store can't be read. */
export function serverOf(storeDir: string): ServerRecord | undefined {
  try {
    return isServed({ dir: storeDir }) ? storedSetting(storeDir, 'server') : undefined
  } catch {
    return undefined
  }
}

/** The process id of the store's server. */
export const serverProcess = (storeDir: string): number | undefined => serverOf(storeDir)?.pid

/** The shared accounts that the store is a copy of, and whether it has accounts of its own. */
export function copyIn(storeDir: string): {
  readonly state: CopyState | undefined
  /** The copy of accounts in Redis that a release before 3.0 made. */
  readonly earlier: CopyState | undefined
  readonly hasOwn: boolean
} {
  const [state, earlier] = [storedSetting(storeDir, 'copy'), storedSetting(storeDir, 'copyOf')]
  try {
    const count = (db: DatabaseSync) => db.prepare('SELECT COUNT(*) AS n FROM accounts').get()!['n']
    const isEmpty = Number(reading(join(storeDir, storeFileName), count)) === 0
    return { state, earlier, hasOwn: (state ?? earlier) === undefined && !isEmpty }
  } catch {
    return { state, earlier, hasOwn: false }
  }
}

/** The value of a stored setting. Undefined also if the store can't be read, which `lookAtStore` reports. */
function storedSetting<Name extends keyof StoredSettings>(
  storeDir: string,
  name: Name,
): StoredSettings[Name] | undefined {
  const path = join(storeDir, storeFileName)
  try {
    const row = reading(path, (db) => db.prepare('SELECT value FROM settings WHERE name = ?').get(name))
    return row === undefined ? undefined : JSON.parse(String(row['value']))
  } catch {
    return undefined
  }
}

/** Reads the store. Throws AccountsError. */
function reading<Result>(path: string, read: (db: DatabaseSync) => Result): Result {
  let db: DatabaseSync | undefined
  try {
    if (!statSync(path).isFile()) throw new Error(`${path} is not a file`)
    const url = pathToFileURL(path)
    // Without a WAL, no process writes to the store. Then `immutable` keeps SQLite from creating a WAL or another file.
    if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
    db = new DatabaseSync(url, { readOnly: true })
    return read(db)
  } catch (error) {
    throw accountsErrorOf(error, path)
  } finally {
    db?.close()
  }
}
