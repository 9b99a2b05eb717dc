/** The types of `accounts` commands, and the texts of their results. */
import type { parseArgs } from 'node:util'
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import type { Replication } from '../../accounts/replication/replication.ts'
import type { Contents, Store } from '../../store/store.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** All options. Every command takes `--json`, and the others that its row lists. */
export const optionTypes = {
  plan: text,
  name: text,
  expires: text,
  month: text,
  all: flag,
  csv: flag,
  force: flag,
  operator: flag,
  reason: text,
  since: text,
  keep: text,
  yes: flag,
  json: flag,
}

export type Options = ReturnType<typeof parseArgs<{ options: typeof optionTypes }>>['values']

export interface Result {
  /** For `--json`. */
  readonly value: unknown
  readonly text: string
  /** For stderr. */
  readonly warning?: string | undefined
}

interface CommandRow {
  readonly name: string
  /** In upper case; those in brackets are optional. */
  readonly parameters: readonly string[]
  readonly options?: readonly (keyof Options)[]
  /** Whether it creates a missing store. */
  readonly makesStore?: true
  readonly help: string
}

/** The parts that a command on the store gets. */
interface Given {
  readonly store: Store
  /** ms since 1970 */
  readonly now: number
  readonly replication: Replication
  /** Makes a change that running servers must confirm. */
  readonly change: Replication['change']
  /** Set for commands that read it, if servers share the accounts and their store can be asked. */
  readonly others: OthersUsage | undefined
}

export interface StoreCommand extends CommandRow {
  /** Whether to update the replica first. */
  readonly needsFresh?: true
  /** Whether it shows the usage of all servers. */
  readonly readsOthers?: true
  /** Returns parts if its output is too long for memory. */
  run(given: Given, parameters: readonly string[], options: Options): Promise<Result | { parts: AsyncIterable<string> }>
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

export const written = ({ accounts, keys }: Contents) => `${accounts} accounts and ${keys} keys`

export function iso(ms: number): string
export function iso(ms: number | null): string | null
export function iso(ms: number | null) {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The date and time of day of what `iso` returns. */
export const minutes = (date: string | null) => (date === null ? '' : `${date.slice(0, 10)} ${date.slice(11, 16)}`)
