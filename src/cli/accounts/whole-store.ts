/** The `accounts` commands that back up, restore, move or push a whole store. */
import { statSync } from 'node:fs'
import { backUp, backUpInto, type Keep, restore, usualKeep } from '../../accounts/backup.ts'
import type { Pushed } from '../../accounts/replication/upload.ts'
import { optionOf, type ProgramCommand, UsageError } from '../../command/command.ts'
import { readSetting, SettingError } from '../../settings.ts'
import type { Contents } from '../../store/store.ts'
import { type Context, folderAction, type Result, written } from './store-action.ts'

export function addWholeStoreCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('backup')
    .description('Writes the store, with all requests counted until now, to a file. Servers may run.')
    .argument('<FILE>', 'the file; a folder, DIR/, gets another file each time')
    .addOption(
      optionOf(
        '--keep <HOURS,DAYS>',
        'of a folder: so many newest files, and one a day of so many days',
        `${usualKeep.newest},${usualKeep.days}`,
      ),
    )
    .examples('card-prices accounts backup backups/ --keep 48,14')
    .action(
      folderAction(context, {}, async ({ storeDir }, file: string, { keep }: { readonly keep?: string }) => {
        if (file.endsWith('/') || statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
          const made = await backUpInto(storeDir, file, keep === undefined ? usualKeep : keepIn(keep), Date.now())
          return { value: made, text: `${written(made)} are in ${made.file}; ${made.removed} old backups are removed` }
        }
        if (keep !== undefined) throw new UsageError('--keep is for a folder: backup DIR/')
        const contents = await backUp(storeDir, file)
        return { value: contents, text: `${written(contents)} are in ${file}` }
      }),
    )
  accounts
    .command('restore')
    .description(
      'Restores a backup into an empty STORE_DIR, and to DATABASE_URL if that is set, see push. What was revoked, suspended or ' +
        'deleted since is as it was then.',
    )
    .argument('<FILE>', 'a file that backup wrote')
    .option('--force', 'to DATABASE_URL in any case', false)
    .action(
      folderAction(context, { makesStore: true }, async ({ storeDir, url }, file: string, { force }: Forced) => {
        if (force && url === undefined) throw new UsageError('--force is for restoring to DATABASE_URL')
        const restored = await restore(file, storeDir, url, force)
        const text = `${written(restored)} are restored as they were; changes since then are lost, revocations too`
        return pushedResult(restored, text)
      }),
    )
  accounts
    .command('move')
    .description(
      "Moves the accounts of STORE_DIR, their usage, and what they used of today's quotas to an empty database for several servers; then " +
        'set it as DATABASE_URL. A STORE_DIR of a 2.x cluster has all its accounts.',
    )
    .argument('<DATABASE_URL>', 'postgres://…')
    .action(
      folderAction(context, {}, async ({ storeDir }, url: string) => {
        const { moveAccounts } = await import('../../accounts/replication/upload.ts')
        const moved = await moveAccounts(storeDir, databaseUrl(url, context.env))
        const next =
          moved.server === undefined
            ? 'Start the server with DATABASE_URL now.'
            : `The server with process id ${moved.server} counts requests apart until you restart it with DATABASE_URL: do so before you start others.`
        const text = `${written(moved)} are there; this STORE_DIR is a copy of them. ${next}`
        return pushedResult(moved, text)
      }),
    )
  accounts
    .command('push')
    .description('Uploads this copy to DATABASE_URL, if that was emptied or is older.')
    .option('--force', 'in any case', false)
    .action(
      folderAction(context, {}, async ({ storeDir, url }, { force }: Forced) => {
        if (url === undefined) throw new UsageError('push needs DATABASE_URL')
        const { pushAccounts } = await import('../../accounts/replication/upload.ts')
        const pushed = await pushAccounts(storeDir, url, force)
        return pushedResult(pushed, `${written(pushed)} are there; all servers load them`)
      }),
    )
}

interface Forced {
  readonly force: boolean
}

/** Parses the value of --keep. Throws UsageError. */
function keepIn(text: string): Keep {
  const [, newest, days] = /^([1-9]\d{0,3}),(\d{1,3})$/.exec(text) ?? []
  if (days === undefined) throw new UsageError(`--keep takes HOURS,DAYS, such as 48,14, not ${JSON.stringify(text)}`)
  return { newest: Number(newest), days: Number(days) }
}

/** The result of a command that may upload accounts. It has a warning if some servers did not confirm the upload. */
const pushedResult = ({ accounts, keys, ...pushed }: Contents | Pushed, text: string): Result => ({
  value: { accounts, keys },
  text,
  warning: 'unconfirmed' in pushed ? pushed.unconfirmed : undefined,
})

/** Checks the argument of `move`. Throws UsageError. */
function databaseUrl(text: string, env: NodeJS.ProcessEnv): string {
  // This throws if a setting of releases before 3.0 is set.
  readSetting('DATABASE_URL', env)
  try {
    return readSetting('DATABASE_URL', { DATABASE_URL: text })!
  } catch (error) {
    throw error instanceof SettingError ? new UsageError('move takes postgres://… or postgresql://…') : error
  }
}
