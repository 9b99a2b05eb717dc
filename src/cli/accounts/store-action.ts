/**
 * The common parts of `accounts` commands: opening the store, printing a result, and waiting until running servers have
 * confirmed a change.
 */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { openReplication } from '../../accounts/replication/open-replication.ts'
import type { Replication } from '../../accounts/replication/replication.ts'
import { dayOfDate, dayOfMs, noDay } from '../../calendar.ts'
import { type Output, UsageError } from '../../command/command.ts'
import { readSetting } from '../../settings.ts'
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import { checkStore } from '../../store/database.ts'
import { type Contents, Store } from '../../store/store.ts'

export interface ReportOutput extends Output {
  /** Writes without adding a line break. Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** The place and the environment in which a command runs. */
export interface Context {
  readonly storeDir: string
  readonly output: ReportOutput
  /** The environment, in which DATABASE_URL may be set. */
  readonly env: NodeJS.ProcessEnv
}

export interface Result {
  /** The value that `--json` prints. */
  readonly value: unknown
  readonly text: string
  /** A line for standard error. */
  readonly warning?: string | undefined
}

/** The open store and its surroundings, passed to a command. */
export interface Given {
  readonly store: Store
  /** ms since 1970 */
  readonly now: number
  readonly replication: Replication
  /** Makes a change that running servers must confirm. */
  readonly change: Replication['change']
  /**
   * The usage of other servers. It is set only if the command has `readsOthers`, servers share accounts, and the
   * database can be read.
   */
  readonly others: OthersUsage | undefined
}

interface Needs {
  /** True if the command creates a missing store. */
  readonly makesStore?: boolean
  /** True if the copy must be updated before the command runs. */
  readonly needsFresh?: boolean
  /** True if the command shows the usage of all servers. */
  readonly readsOthers?: boolean
}

/** Errors and warnings begin with this prefix. */
export const errorPrefix = 'accounts: '

// biome-ignore lint/suspicious/noExplicitAny: arguments and options of commander, which each command names
type Words = any[]

/**
 * The command's arguments, followed by its options. Commander also passes the command itself, which is left out.
 * `--json` is among the options even if it stands before the command's name.
 */
const wordsOf = (words: Words): Words => [...words.slice(0, -2), words.at(-1).optsWithGlobals()]

/** Makes the action of a command on the store. @param run returns parts if the output is too long for memory */
export const storeAction =
  (
    context: Context,
    needs: Needs,
    run: (given: Given, ...words: Words) => Promise<Result | { readonly parts: AsyncIterable<string> }>,
  ) =>
  async (...words: Words): Promise<number> => {
    const { storeDir, output, env } = context
    const url = readSetting('DATABASE_URL', env)
    // With DATABASE_URL, the first command on a machine creates a copy, so a missing store is no error.
    if (needs.makesStore !== true && url === undefined) checkStore(storeDir)
    const warn = warnOn(output)
    const given = wordsOf(words)
    const store = new Store(storeDir)
    let replication: Replication | undefined
    let hasChanged = false
    const change: Replication['change'] = (action) => {
      hasChanged = true
      return replication!.change(action)
    }
    try {
      const opened = await openReplication(store, url)
      replication = opened.replication
      if (needs.needsFresh === true) warn(await refresh(replication, store))
      const others = needs.readsOthers === true ? await readable(opened.others, warn) : undefined
      const parts = { store, now: Date.now(), replication, change, others }
      const result = await run(parts, ...given)
      if ('parts' in result) {
        for await (const part of result.parts) await output.write(part)
        return 0
      }
      // The result is printed before the servers confirm. Otherwise a new key could be lost because a server hangs.
      print(output, result, given.at(-1).json)
      warn(result.warning)
      const unconfirmed = hasChanged ? await replication.confirm() : undefined
      warn(unconfirmed)
      return unconfirmed === undefined ? 0 : 1
    } finally {
      await replication?.close()
      await store.close()
    }
  }

interface Folder {
  readonly storeDir: string
  /** The value of DATABASE_URL. */
  readonly url: string | undefined
}

/** Makes the action of a command on the store's folder. If the result has a warning, the command exits with 1. */
export const folderAction =
  (
    { storeDir, output, env }: Context,
    { makesStore }: Pick<Needs, 'makesStore'>,
    run: (folder: Folder, ...words: Words) => Promise<Result>,
  ) =>
  async (...words: Words): Promise<number> => {
    const url = readSetting('DATABASE_URL', env)
    if (makesStore !== true) checkStore(storeDir)
    const given = wordsOf(words)
    const result = await run({ storeDir, url }, ...given)
    print(output, result, given.at(-1).json)
    warnOn(output)(result.warning)
    return result.warning === undefined ? 0 : 1
  }

const print = (output: Output, { value, text }: Result, json: boolean): void =>
  output.log(json ? JSON.stringify(value) : text)

const warnOn = (output: Output) => (text: string | undefined) => {
  if (text !== undefined) output.error(errorPrefix + text)
}

/**
 * Updates the copy. Returns a warning if the copy may be out of date. Rejects with an AccountsError if there is no
 * copy.
 */
async function refresh(replication: Replication, store: Store): Promise<string | undefined> {
  try {
    await replication.refresh()
    return undefined
  } catch (error) {
    const known = store.setting('copy')?.number ?? -1
    if (!(error instanceof AccountsError) || known < 0) throw error
    return `${error.message}: this may be out of date`
  }
}

/** The usage of the other servers. If the database can't be read, prints a warning and returns undefined. */
async function readable(
  others: OthersUsage | undefined,
  warn: (text: string) => void,
): Promise<OthersUsage | undefined> {
  const today = dayOfMs(Date.now())
  try {
    await others?.ofBlock(0, today, today)
    return others
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    warn(`${error.message}: requests of other servers are not included`)
    return undefined
  }
}

export const written = ({ accounts, keys }: Contents) => `${accounts} accounts and ${keys} keys`

export function iso(ms: number): string
export function iso(ms: number | null): string | null
export function iso(ms: number | null) {
  return ms === null ? null : new Date(ms).toISOString()
}

/** Shortens a text that `iso` made to its date, hours and minutes. */
export const minutes = (date: string | null) => (date === null ? '' : `${date.slice(0, 10)} ${date.slice(11, 16)}`)

/** Returns the moment (ms since 1970) of a date-time, or the first moment of a date in UTC. Throws UsageError. */
export function momentOf(option: string, text: string): number {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text)
  const moment = form === null ? Number.NaN : Date.parse(text)
  if (!Number.isNaN(moment) && dayOfDate(form![1]!) !== noDay) return moment
  throw new UsageError(`${option} takes 2027-01-31 or 2027-01-31T12:00:00Z, not ${JSON.stringify(text)}`)
}
