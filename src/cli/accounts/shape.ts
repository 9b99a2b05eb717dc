/** What an `accounts` command is given and gives. */
import type { Replication } from '../../accounts/replication/replication.ts'
import type { Contents, Store } from '../../store/store.ts'
import type { AllServers } from './all-servers.ts'

/** The command was typed wrongly; the message says how. */
export class UsageError extends Error {}

export interface Options {
  readonly plan?: string | undefined
  readonly name?: string | undefined
  readonly expires?: string | undefined
  readonly all?: boolean | undefined
  readonly month?: string | undefined
  readonly csv?: boolean | undefined
  readonly force?: boolean | undefined
  readonly reason?: string | undefined
  readonly since?: string | undefined
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
}

export interface Result {
  /** For `--json`. */
  readonly value: unknown
  readonly text: string
  /** Running servers must learn of it. */
  readonly changed: boolean
  /** What else the operator should know: for standard error. */
  readonly warning?: string | undefined
}

/** What is too long to be held at once, as it is printed. */
export interface Report {
  readonly pieces: AsyncIterable<string>
  readonly warning?: string | undefined
}

export interface CommandRow {
  readonly name: string
  /** In upper case; those in brackets may be left out. */
  readonly parameters: readonly string[]
  readonly options: readonly (keyof Options)[]
  /** Where there is no store it begins one. */
  readonly makesStore?: true
  readonly help: string
}

export interface StoreCommand extends CommandRow {
  /** What it shows is to be of this moment, where servers share accounts. */
  readonly needsFresh?: true
  run(
    store: Store,
    parameters: readonly string[],
    options: Options,
    now: number,
    feed: Replication,
    all: AllServers,
  ): Result | Report | Promise<Result | Report>
}

/** Of the store as a whole. */
export interface FolderCommand extends CommandRow {
  /** Its warning is a failure. */
  runOn(
    storeDir: string,
    parameters: readonly string[],
    options: Options,
    accountsStore: string | undefined,
  ): Promise<Result>
}

export const shown = (value: unknown, text: string, warning?: string): Result => ({
  value,
  text,
  changed: false,
  warning,
})

export const written = ({ accounts, keys }: Contents) => `${accounts} accounts and ${keys} keys`
