/**
 * A store as one file, and back. The copy is what the store held at one moment; servers and commands go on meanwhile.
 *
 *   server ─ counts ─▶ store ─ pages of that moment ─▶ FILE.PID.tmp ─▶ FILE
 *
 *   FILE ─▶ STORE_DIR/restoring/accounts.db ─▶ STORE_DIR/accounts.db
 *             checked, the note of its server taken out
 */
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { confirmMsMax } from '../limits.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { storeFileName } from '../store/database.ts'
import { type Contents, Store } from '../store/store.ts'
import { systemText } from '../system-error.ts'
import { tellServer } from './control.ts'
import { replaceFile, sync } from './replaced-file.ts'
import type { Pushed } from './replication/push.ts'

/**
 * Writes the store into the file, which is this user's alone, with all that was counted until now. A file that is there
 * is replaced, at the end. Rejects with an AccountsError.
 */
export async function backUp(storeDir: string, file: string): Promise<Contents> {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw new AccountsError(`${file} can't be written: there is no folder ${folder}`)
  const store = new Store(storeDir)
  try {
    await haveAllWritten(store)
    const contents = await replaceFile(file, async (beside) => {
      await store.database.copyTo(beside)
      return store.contents()
    })
    // The server tells how old it is.
    store.write(() => store.setSetting('backedUpAt', Date.now()))
    return contents
  } finally {
    await store.close()
  }
}

async function haveAllWritten(store: Store): Promise<void> {
  const silent = await tellServer(store, true)
  if (silent === undefined) return
  const seconds = confirmMsMax / 1000
  throw new AccountsError(
    `the server with process id ${silent} did not write down its counts within ${seconds} s: nothing is backed up`,
  )
}

/**
 * Makes the file the store of an empty or missing folder. Rejects with an AccountsError, and leaves nothing in the
 * folder, if the file is none of a store, is damaged, is a newer version's, or its accounts are not taken by their store.
 * @param url of the accounts' store, where servers share accounts
 */
export async function restore(
  file: string,
  storeDir: string,
  url?: string,
  isForced = false,
): Promise<Contents | Pushed> {
  checkEmpty(storeDir)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new AccountsError(`there is no file ${file}`)
  const beside = join(storeDir, 'restoring')
  const inside = join(beside, storeFileName)
  try {
    mkdirSync(storeDir, { recursive: true, mode: 0o700 })
    mkdirSync(beside, { mode: 0o700 })
    copyFileSync(file, inside)
    chmodSync(inside, 0o600)
    const contents = await makeOwn(beside, file, url, isForced)
    sync(inside)
    // Not by renaming: a server that has started meanwhile has a store of its own there.
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
    `${resolve(storeDir)} is not empty (${names.slice(0, 3).join(', ')}): stop its server and move what it holds elsewhere`,
  )
}

/** The server that ran on it may live on, with a store of its own. */
async function makeOwn(folder: string, file: string, url: string | undefined, isForced: boolean) {
  const store = new Store(folder, file)
  try {
    const damage = store.database.damage('integrity_check')
    if (damage !== undefined) throw new AccountsError(`${file} is no whole backup of a store: ${damage}`)
    store.write(() => store.setSetting('server', undefined))
    if (url === undefined) {
      store.write(() => store.record({ action: 'store restored' }))
      return store.contents()
    }
    const { pushRestored } = await import('./replication/push.ts')
    return await pushRestored(store, url, isForced)
  } finally {
    await store.close()
  }
}
