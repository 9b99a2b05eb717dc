/** Runs `card-prices accounts COMMAND …`. When it returns, running servers have confirmed the change. */
import { openReplication } from '../../accounts/replication/open-replication.ts'
import type { Replication } from '../../accounts/replication/replication.ts'
import { dayOfMs } from '../../calendar.ts'
import { type CommandLine, command, type Output, UsageError } from '../../command/command.ts'
import { readSetting } from '../../settings.ts'
import { AccountsError, StoreError } from '../../store/accounts-error.ts'
import { checkStore } from '../../store/database.ts'
import { Store } from '../../store/store.ts'
import { commands, helpText } from './commands.ts'
import { type Options, optionTypes, type Result } from './shape.ts'

interface ReportOutput extends Output {
  /** Adds no line break. Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** @param env only for ACCOUNTS_STORE @returns the exit code: 0 done, 1 failed, 2 wrong usage */
export function runAccounts(
  args: readonly string[],
  storeDir: string,
  output: ReportOutput,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const to = { ...output, error: (text: string) => output.error(`accounts: ${text}`) }
  // The help is too long to follow each error.
  const hint = 'Try: card-prices accounts --help'
  const taken = { options: optionTypes, positionalsMax: Number.POSITIVE_INFINITY, hint }
  return command(helpText, taken, (given) => runCommand(storeDir, given, { output: to, env }), { args, output: to })
}

async function runCommand(
  storeDir: string,
  { values: options, positionals: [name, ...parameters] }: CommandLine & { readonly values: Options },
  { output, env }: { readonly output: ReportOutput; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const accountsStore = readSetting('ACCOUNTS_STORE', env)
  const row = commands.find((candidate) => candidate.name === name)
  if (row === undefined) {
    throw new UsageError(name === undefined ? 'a command is missing' : `unknown command ${name}`)
  }
  const { parameters: taken, options: takenOptions = [] } = row
  const needed = taken.filter((parameter) => !parameter.startsWith('['))
  if (parameters.length < needed.length || parameters.length > taken.length) {
    throw new UsageError(`${row.name} takes ${taken.join(' ') || 'nothing more'}`)
  }
  for (const option of Object.keys(options) as (keyof typeof options)[]) {
    if (!['json', ...takenOptions].includes(option)) throw new UsageError(`${row.name} takes no --${option}`)
  }
  // With ACCOUNTS_STORE, a machine's first command creates a replica.
  if (row.makesStore === undefined && ('runOn' in row || accountsStore === undefined)) checkStore(storeDir)
  const print = ({ value, text }: Result) => output.log(options.json ? JSON.stringify(value) : text)
  const warn = (text: string | undefined) => text !== undefined && output.error(text)
  if ('runOn' in row) {
    const result = await row.runOn(storeDir, parameters, options, accountsStore)
    print(result)
    warn(result.warning)
    return result.warning === undefined ? 0 : 1
  }
  const store = new Store(storeDir)
  let replication: Replication | undefined
  let usage: Awaited<ReturnType<typeof openUsage>>
  let hasChanged = false
  const change: Replication['change'] = (action) => {
    hasChanged = true
    return replication!.change(action)
  }
  try {
    replication = await openReplication(store, accountsStore)
    if (row.needsFresh === true) warn(await refresh(replication, store))
    if (row.readsOthers === true && accountsStore !== undefined) usage = await openUsage(store, accountsStore, warn)
    const given = { store, now: Date.now(), replication, change, others: usage?.others }
    const result = await row.run(given, parameters, options)
    if ('parts' in result) for await (const part of result.parts) await output.write(part)
    // Before the servers confirm: a new key must not be lost because one of them hangs.
    else print(result)
    if ('parts' in result) return 0
    warn(result.warning)
    const unconfirmed = hasChanged ? await replication.confirm() : undefined
    warn(unconfirmed)
    return unconfirmed === undefined ? 0 : 1
  } finally {
    usage?.close()
    await replication?.close()
    await store.close()
  }
}

/** Returns a warning if the replica may be out of date. Rejects with an AccountsError if there is no replica. */
async function refresh(replication: Replication, store: Store): Promise<string | undefined> {
  try {
    await replication.refresh()
    return undefined
  } catch (error) {
    const known = store.setting('copyOf')?.number ?? -1
    if (!(error instanceof AccountsError) || known < 0) throw error
    return `${error.message}: this may be out of date`
  }
}

/** Reads the usage of the servers that share the accounts. Undefined, after a warning, if their store can't be asked. */
async function openUsage(store: Store, url: string, warn: (text: string) => void) {
  // Their client is loaded only here.
  const { OthersUsage } = await import('../../accounts/fleet/others-usage.ts')
  const { ReplicationConnection } = await import('../../accounts/replication/replication-connection.ts')
  const connection = new ReplicationConnection(url)
  const close = () => connection.close()
  try {
    await connection.connect()
    const others = new OthersUsage(connection, store)
    const today = dayOfMs(Date.now())
    await others.ofBlock(0, today, today)
    return { others, close }
  } catch (error) {
    close()
    if (!(error instanceof StoreError)) throw error
    warn(`${error.message}: requests of other servers are not included`)
    return undefined
  }
}
