/** The `accounts` commands that back up, restore, move or push a whole store. */
import { backUp, restore } from '../../accounts/backup.ts'
import type { Pushed } from '../../accounts/replication/push.ts'
import { UsageError } from '../../command/command.ts'
import type { Contents } from '../../store/store.ts'
import { type FolderCommand, type Result, shown, written } from './shape.ts'

export const wholeStoreCommands: readonly FolderCommand[] = [
  {
    name: 'backup',
    parameters: ['FILE'],
    help: 'writes the store, with all requests counted until now, to a file; servers may run',
    runOn: async (storeDir, [file]) => {
      const contents = await backUp(storeDir, file!)
      return shown(contents, `${written(contents)} are in ${file}`)
    },
  },
  {
    name: 'restore',
    parameters: ['FILE'],
    options: ['force'],
    makesStore: true,
    help: 'restores a backup into an empty STORE_DIR, and to ACCOUNTS_STORE if that is set, see push',
    runOn: async (storeDir, [file], { force = false }, url) => {
      if (force && url === undefined) throw new UsageError('--force is for restoring to ACCOUNTS_STORE')
      const restored = await restore(file!, storeDir, url, force)
      return pushedResult(restored, `${written(restored)} are restored`)
    },
  },
  {
    name: 'move',
    parameters: ['REDIS_URL'],
    help: 'moves the accounts of STORE_DIR to an empty store for several servers; then set it as ACCOUNTS_STORE',
    runOn: async (storeDir, [url]) => {
      const { moveAccounts } = await import('../../accounts/replication/push.ts')
      const moved = await moveAccounts(storeDir, await redisUrl(url!))
      const text = `${written(moved)} are there; this STORE_DIR is a replica of them. Start the server with ACCOUNTS_STORE now.`
      return pushedResult(moved, text)
    },
  },
  {
    name: 'push',
    parameters: [],
    options: ['force'],
    help: 'uploads this replica to ACCOUNTS_STORE, if that was emptied or is older; --force: in any case',
    runOn: async (storeDir, _parameters, { force = false }, url) => {
      if (url === undefined) throw new UsageError('push needs ACCOUNTS_STORE')
      const { pushAccounts } = await import('../../accounts/replication/push.ts')
      const pushed = await pushAccounts(storeDir, url, force)
      return pushedResult(pushed, `${written(pushed)} are there; all servers load them`)
    },
  },
]

/** With a warning if servers did not confirm it. */
const pushedResult = ({ accounts, keys, ...pushed }: Contents | Pushed, text: string): Result =>
  shown({ accounts, keys }, text, 'unconfirmed' in pushed ? pushed.unconfirmed : undefined)

/** Throws UsageError. */
async function redisUrl(text: string): Promise<string> {
  const { readSetting, SettingError } = await import('../../settings.ts')
  try {
    return readSetting('ACCOUNTS_STORE', { ACCOUNTS_STORE: text })!
  } catch (error) {
    throw error instanceof SettingError ? new UsageError('move takes redis://… or rediss://…') : error
  }
}
