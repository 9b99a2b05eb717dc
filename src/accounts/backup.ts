/**
 * Backs a store up to one file, or into a folder, and restores a backup. The file is the store at one moment; servers
 * and commands continue meanwhile. A backup into a folder then removes old backups there (see `Keep`). Files with other
 * names stay.
 *
 *   server ─ counts ─▶ store ─ pages of one moment ─▶ FILE.RANDOM.tmp ─▶ FILE
 *
 *   FILE ─▶ STORE_DIR/restoring/accounts.db ─▶ STORE_DIR/accounts.db
 *             verified, and without the record of its server
 */
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { dayMs } from '../calendar.ts'
import { confirmMsMax } from '../limits.ts'
import { systemText } from '../platform/system-error.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { storeFileName } from '../store/database.ts'
import { replaceFile, sync } from '../store/replaced-file.ts'
import { type Contents, Store } from '../store/store.ts'
import { notifyServer } from './control.ts'
import type { Pushed } from './replication/upload.ts'

/**
 * Writes the store, with all requests counted until now, into a file that only this user can read. An existing file is
 * replaced at the end. Rejects with an AccountsError.
 */
export async function backUp(storeDir: string, file: string): Promise<Contents> {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw new AccountsError(`${file} can't be written: the folder ${folder} does not exist`)
  const store = new Store(storeDir)
  try {
    await flushServer(store)
    const contents = await replaceFile(file, async (beside) => {
      await store.database.copyTo(beside)
      return store.contents()
    })
    // The server's metrics and the doctor read these.
    store.write(() => {
      store.setSetting('backedUpAt', Date.now())
      store.setSetting('backedUpTo', resolve(file))
    })
    return contents
  } finally {
    await store.close()
  }
}

async function flushServer(store: Store): Promise<void> {
  const silentPid = await notifyServer(store, true)
  if (silentPid === undefined) return
  const seconds = confirmMsMax / 1000
  throw new AccountsError(
    `the server with process id ${silentPid} did not write its counts within ${seconds} s: nothing is backed up`,
  )
}

export interface Keep {
  /** How many of the newest backups stay. */
  readonly newest: number
  /** The newest backup of each day (UTC) also stays, for this many days up to today. */
  readonly days: number
}

/** With a backup every hour, the newest 48 backups are those of two days. */
export const usualKeep: Keep = { newest: 48, days: 14 }

const nameForm = /^accounts-(\d{8})T\d{6}Z\.db$/

export const backupName = (now: number): string =>
  `accounts-${new Date(now).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace(/[-:]/g, '')}Z.db`

/**
 * Creates the folder if its parent exists, writes a backup into it, and removes the backups that `keep` does not
 * select. Rejects with an AccountsError.
 */
export async function backUpInto(
  storeDir: string,
  folder: string,
  keep: Keep,
  now: number,
): Promise<Contents & { readonly file: string; readonly removed: number }> {
  try {
    if (!existsSync(folder) && existsSync(dirname(resolve(folder)))) mkdirSync(folder, { mode: 0o700 })
    const file = join(folder, backupName(now))
    const contents = await backUp(storeDir, file)
    const removed = superfluous(readdirSync(folder), keep, now)
    for (const name of removed) rmSync(join(folder, name))
    return { ...contents, file, removed: removed.length }
  } catch (error) {
    if (error instanceof AccountsError) throw error
    throw new AccountsError(`${folder} can't be used for backups (${systemText(error)})`)
  }
}

/**
 * Returns the names of the backups that `keep` does not select. A backup with a name later than now stays, because a
 * wrong clock may have named it.
 */
export function superfluous(names: readonly string[], { newest, days }: Keep, now: number): string[] {
  const nowName = backupName(now)
  const backups = names
    .filter((name) => nameForm.test(name) && name <= nowName)
    .sort()
    .reverse()
  const dayIn = (name: string) => nameForm.exec(name)![1]!
  const firstDay = dayIn(backupName(now - (days - 1) * dayMs))
  const newestOfDay = [...Map.groupBy(backups, dayIn)].flatMap(([day, [name]]) => (day >= firstDay ? [name] : []))
  return backups.slice(newest).filter((name) => !newestOfDay.includes(name))
}

/**
 * Restores a backup into an empty or missing folder. If that fails, rejects with an AccountsError and leaves nothing in
 * the folder. It fails if the file is no backup, is damaged, or is of a newer version. It also fails if the database
 * rejects the accounts.
 * @param url DATABASE_URL, if servers share accounts
 */
export async function restore(
  file: string,
  storeDir: string,
  url?: string,
  isForced = false,
): Promise<Contents | Pushed> {
  checkEmpty(storeDir)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new AccountsError(`the file ${file} does not exist`)
  const beside = join(storeDir, 'restoring')
  const inside = join(beside, storeFileName)
  try {
    mkdirSync(storeDir, { recursive: true, mode: 0o700 })
    mkdirSync(beside, { mode: 0o700 })
    copyFileSync(file, inside)
    chmodSync(inside, 0o600)
    const contents = await prepare(beside, file, url, isForced)
    sync(inside)
    // A link, unlike a rename, never replaces a file: a server may have started meanwhile and created a store.
    linkSync(inside, join(storeDir, storeFileName))
    rmSync(beside, { recursive: true })
    sync(storeDir)
    return contents
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    if (error instanceof AccountsError) throw error
    throw new AccountsError(`${file} can't be restored (${systemText(error)})`)
  }
}

function checkEmpty(storeDir: string): void {
  const names = existsSync(storeDir) ? readdirSync(storeDir) : []
  if (names.length === 0) return
  throw new AccountsError(
    `${resolve(storeDir)} is not empty (${names.slice(0, 3).join(', ')}): stop its server and move its contents elsewhere`,
  )
}

/** Removes the record of the server that was backed up, and uploads the accounts if servers share them. */
async function prepare(folder: string, file: string, url: string | undefined, isForced: boolean) {
  const store = new Store(folder, file)
  try {
    const damage = store.database.damage('integrity_check')
    if (damage !== undefined) throw new AccountsError(`${file} is a damaged backup: ${damage}`)
    store.write(() => store.setSetting('server', undefined))
    if (url === undefined) {
      store.write(() => store.record({ action: 'store restored' }))
      return store.contents()
    }
    const { pushRestored } = await import('./replication/upload.ts')
    return await pushRestored(store, url, isForced)
  } finally {
    await store.close()
  }
}
