/** Runs `card-prices accounts COMMAND …`. When it returns, running servers have confirmed the change. */
import { parseArgs } from 'node:util'
import { openReplication, type Replication } from '../../accounts/replication/replication.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import { checkStore, refuseOldStore } from '../../store/database.ts'
import { Store } from '../../store/store.ts'
import { AllServers } from './all-servers.ts'
import { commands, helpText } from './commands.ts'
import { type Options, type Result, UsageError } from './shape.ts'

/** Standard output and standard error. */
interface Output extends Pick<Console, 'log' | 'error'> {
  /** Adds no line break. Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** @param env only for ACCOUNTS_STORE @returns the exit code: 0 done, 1 failed, 2 wrong usage */
export async function runAccounts(
  args: readonly string[],
  storeDir: string,
  output: Output,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  try {
    return await runCommand(args, storeDir, output, await accountsStoreIn(env))
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`accounts: ${error.message}\nTry: card-prices accounts --help`)
      return 2
    }
    output.error(`accounts: ${error instanceof AccountsError ? error.message : `failed (${(error as Error).message})`}`)
    return 1
  }
}

async function accountsStoreIn(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!env['ACCOUNTS_STORE']) return undefined
  const { readSetting, SettingError } = await import('../../settings.ts')
  try {
    return readSetting('ACCOUNTS_STORE', env)
  } catch (error) {
    throw error instanceof SettingError ? new AccountsError(error.message) : error
  }
}

async function runCommand(
  args: readonly string[],
  storeDir: string,
  output: Output,
  accountsStore: string | undefined,
): Promise<number> {
  const { words, options, json, help } = parse(args)
  if (help) {
    output.log(helpText)
    return 0
  }
  const [name, ...parameters] = words
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) {
    throw new UsageError(name === undefined ? 'a command is missing' : `unknown command ${name}`)
  }
  const needed = command.parameters.filter((parameter) => !parameter.startsWith('['))
  if (parameters.length < needed.length || parameters.length > command.parameters.length) {
    throw new UsageError(`${command.name} takes ${command.parameters.join(' ') || 'nothing more'}`)
  }
  for (const option of Object.keys(options) as (keyof Options)[]) {
    if (!command.options.includes(option)) throw new UsageError(`${command.name} takes no --${option}`)
  }
  if (command.name !== 'import') refuseOldStore(storeDir)
  // With ACCOUNTS_STORE, a machine's first command creates a replica.
  if (command.makesStore === undefined && ('runOn' in command || accountsStore === undefined)) checkStore(storeDir)
  const print = ({ value, text }: Result) => output.log(json ? JSON.stringify(value) : text)
  if ('runOn' in command) {
    const result = await command.runOn(storeDir, parameters, { ...options, json }, accountsStore)
    print(result)
    if (result.warning === undefined) return 0
    output.error(`accounts: ${result.warning}`)
    return 1
  }
  const store = new Store(storeDir)
  const all = new AllServers(store, accountsStore)
  let replication: Replication | undefined
  try {
    replication = await openReplication(store, accountsStore)
    const stale = command.needsFresh === true ? await refreshed(replication, store) : undefined
    if (stale !== undefined) output.error(`accounts: ${stale}`)
    const result = await command.run(store, parameters, { ...options, json }, Date.now(), replication, all)
    if ('parts' in result) for await (const part of result.parts) await output.write(part)
    // Before the servers confirm: a new key must not be lost because one of them hangs.
    else print(result)
    if (result.warning !== undefined) output.error(`accounts: ${result.warning}`)
    const unconfirmed = 'changed' in result && result.changed ? await replication.confirm() : undefined
    if (unconfirmed !== undefined) output.error(`accounts: ${unconfirmed}`)
    return unconfirmed === undefined ? 0 : 1
  } finally {
    all.close()
    await replication?.close()
    await store.close()
  }
}

/** Returns a warning if the replica may be out of date. Rejects with an AccountsError if there is no replica. */
async function refreshed(replication: Replication, store: Store): Promise<string | undefined> {
  try {
    await replication.refresh()
    return undefined
  } catch (error) {
    const known = store.setting('copyOf')?.number ?? -1
    if (!(error instanceof AccountsError) || known < 0) throw error
    return `${error.message}: this may be out of date`
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        plan: text,
        name: text,
        expires: text,
        month: text,
        all: { type: 'boolean' },
        csv: { type: 'boolean' },
        force: { type: 'boolean' },
        reason: text,
        since: text,
        yes: { type: 'boolean' },
        json: flag,
        help: { ...flag, short: 'h' },
      },
    })
    const { json, help, ...options } = values
    return { words: positionals, options: options as Options, json, help }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
