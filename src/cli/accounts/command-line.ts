/** What `npm run accounts -- COMMAND …` does: a running server knows of a change before this returns. */
import { parseArgs } from 'node:util'
import { carryOver, tellServer } from '../../accounts/control.ts'
import { confirmMsMax } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import { Store } from '../../store/store.ts'
import { AllServers } from './all-servers.ts'
import { commands, helpText, type Options, type Result, UsageError } from './commands.ts'

/** Standard output and standard error. */
interface Output extends Pick<Console, 'log' | 'error'> {
  /** Without a line's end; resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage */
export async function runAccounts(args: readonly string[], storeDir: string, output: Output): Promise<number> {
  try {
    return await runCommand(args, storeDir, output)
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`accounts: ${error.message}\nTry: npm run accounts -- --help`)
      return 2
    }
    output.error(`accounts: ${error instanceof AccountsError ? error.message : `failed (${(error as Error).message})`}`)
    return 1
  }
}

async function runCommand(args: readonly string[], storeDir: string, output: Output): Promise<number> {
  const { words, options, json, help } = parse(args)
  if (help) {
    output.log(helpText)
    return 0
  }
  const [name, ...parameters] = words
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) {
    throw new UsageError(name === undefined ? 'a command is missing' : `there is no command ${name}`)
  }
  const needed = command.parameters.filter((parameter) => !parameter.startsWith('['))
  if (parameters.length < needed.length || parameters.length > command.parameters.length) {
    throw new UsageError(`${command.name} takes ${command.parameters.join(' ') || 'nothing more'}`)
  }
  for (const option of Object.keys(options) as (keyof Options)[]) {
    if (!command.options.includes(option)) throw new UsageError(`${command.name} takes no --${option}`)
  }
  const print = ({ value, text }: Result) => output.log(json ? JSON.stringify(value) : text)
  if ('runOn' in command) {
    print(await command.runOn(storeDir, parameters))
    return 0
  }
  const store = new Store(storeDir)
  const all = new AllServers(store, await accountsStore())
  try {
    await carryOver(store, storeDir)
    const result = await command.run(store, parameters, { ...options, json }, Date.now(), all)
    if ('pieces' in result) for await (const piece of result.pieces) await output.write(piece)
    // Before the servers are told: a new key must not be lost because one of them is stuck.
    else print(result)
    if (result.warning !== undefined) output.error(`accounts: ${result.warning}`)
    return 'pieces' in result || !result.changed ? 0 : await tell(store, storeDir, output)
  } finally {
    all.close()
    await store.close()
  }
}

/** The settings are looked at only where there is one. */
async function accountsStore(): Promise<string | undefined> {
  if ((process.env['ACCOUNTS_STORE'] ?? '') === '') return undefined
  const { readSetting } = await import('../../settings.ts')
  return readSetting('ACCOUNTS_STORE')
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

async function tell(store: Store, storeDir: string, output: Output): Promise<number> {
  const silent = await tellServer(store, storeDir)
  if (silent === undefined) return 0
  const seconds = confirmMsMax / 1000
  output.error(
    `accounts: the change is stored, but the server with process id ${silent} did not confirm it within ${seconds} s`,
  )
  return 1
}
