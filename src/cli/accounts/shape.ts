/** The types of `accounts` commands. */
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
  /** Whether running servers must confirm it. */
  readonly changed: boolean
  /** For stderr. */
  readonly warning?: string | undefined
}

/** An output that is too long for memory. */
export interface Report {
  readonly parts: AsyncIterable<string>
  readonly warning?: string | undefined
}

export interface CommandRow {
  readonly name: string
  /** In upper case; those in brackets are optional. */
  readonly parameters: readonly string[]
  readonly options: readonly (keyof Options)[]
  /** Whether it creates a missing store. */
  readonly makesStore?: true
  readonly help: string
}

export interface StoreCommand extends CommandRow {
  /** Whether to update the replica first. */
  readonly needsFresh?: true
  run(
    store: Store,
    parameters: readonly string[],
    options: Options,
    now: number,
    replication: Replication,
    all: AllServers,
  ): Result | Report | Promise<Result | Report>
}

/** A command on the store's folder. */
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
