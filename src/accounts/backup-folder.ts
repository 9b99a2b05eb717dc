/** A folder of backups, of which the old ones are thinned out. Files with other names stay as they are. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { dayMs } from '../calendar.ts'
import { systemText } from '../platform/system-error.ts'
import { AccountsError } from '../store/accounts-error.ts'
import type { Contents } from '../store/store.ts'
import { backUp } from './backup.ts'

export interface Keep {
  /** How many of the newest. */
  readonly newest: number
  /** And the newest one of each of so many days, UTC, of which the last is today. */
  readonly days: number
}

/** A backup an hour: two days of them. */
export const usualKeep: Keep = { newest: 48, days: 14 }

const nameForm = /^accounts-(\d{8})T\d{6}Z\.db$/

export const backupName = (now: number): string =>
  `accounts-${new Date(now).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace(/[-:]/g, '')}Z.db`

/** Creates the folder if its parent exists, writes a backup into it, and removes those not to be kept. Rejects with an AccountsError. */
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

/** The backups among these names that are not to be kept. Later ones than now are of a clock that was wrong: they stay. */
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
