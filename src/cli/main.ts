/**
 * card-prices COMMAND …: reads the settings file, then imports the command's module, which runs at once with its own words in
 * process.argv, or gives a function that runs it. No other command's module is loaded.
 */
import { UsageError } from '../command/command.ts'
import { useEnvFile } from '../command/command-line.ts'
import { table } from '../command/table.ts'
import { certificatesVariable, loadSettingsFile } from './settings-file.ts'

type Command = readonly [name: string, help: string, load?: () => Promise<unknown>]

/** Commands without a module are in this file. */
const commands: readonly Command[] = [
  [
    'start',
    'builds the folder snapshots if it has changed, and serves it with a demo account',
    () => import('../../build/start.ts'),
  ],
  ['serve', 'serves the current version', () => import('./serve-command.ts')],
  [
    'build',
    'compiles a snapshot folder and makes it the current version',
    () => import('../../build/build-command.ts'),
  ],
  [
    'import',
    'makes a snapshot folder from files of public sources',
    async () => (await import('../../build/import/import-command.ts')).importCommand,
  ],
  [
    'fetch',
    'downloads the files of a public source, for import',
    async () => (await import('../../build/fetch/fetch-command.ts')).fetchCommand,
  ],
  [
    'update',
    'fetches and imports new data of public sources, and builds it',
    () => import('../../build/update/update-main.ts'),
  ],
  ['rollback', 'makes the previous version current', () => import('../../build/rollback.ts')],
  [
    'inspect',
    'shows the current version, or a card',
    async () => (await import('./inspect-command.ts')).inspectCommand,
  ],
  ['push', 'publishes the current version in a folder', () => import('./push-command.ts')],
  ['pull', 'downloads a published version', async () => (await import('./pull-command.ts')).pullCommand],
  ['accounts', 'manages accounts and keys, shows usage, backs up', () => import('./accounts/accounts-command.ts')],
  ['doctor', 'checks the machine, the settings, the data and the server', () => import('./doctor/doctor-command.ts')],
  ['health', 'checks that the server answers, for containers', () => import('./health-command.ts')],
  ['help', "[COMMAND]: shows this, or a command's usage"],
]

const usage = `Usage: card-prices COMMAND … [--env-file FILE]

${table(commands.map(([name, help]) => [`  ${name}`, help]))}

  --env-file FILE  a file of settings (default: CARD_PRICES_ENV, else /etc/card-prices.env)
  --version        shows the version
  --help           shows this, or after a command its usage

Exit codes: 0 done, 1 failed, 2 wrong usage.`

/** Throws UsageError, or the settings file's Error. A command's own failures set the exit code. */
async function run(args: readonly string[]): Promise<void> {
  const { envFile, words } = withoutEnvFile(args)
  useEnvFile(envFile)
  const [name, ...rest] = words
  if (name === undefined) throw new UsageError(usage)
  if (name === '--version') console.log((await import('../version.ts')).softwareVersion)
  else if (name === '--help' || (name === 'help' && rest.length === 0)) console.log(usage)
  else if (name === 'help') await start(rest[0]!, ['--help'])
  else {
    // Help needs no settings, and their file may be what is wrong.
    if (!rest.includes('--help') && loaderOf(name) !== undefined) {
      const certificates = process.env[certificatesVariable]
      const { warnings } = loadSettingsFile(envFile)
      if (process.env[certificatesVariable] !== certificates) startAnew()
      for (const warning of warnings) console.error(`warning: ${warning}`)
    }
    await start(name, rest)
  }
}

/** Node.js reads this variable only when it starts, so this process becomes another one, with the same id, files and arguments. */
function startAnew(): void {
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, '--', ...process.argv.slice(1)],
    process.env,
  )
}

async function start(name: string, args: readonly string[]): Promise<void> {
  const load = loaderOf(name)
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args)
  if (load === undefined) console.log(usage)
  else {
    const command = await load()
    if (typeof command === 'function') process.exitCode = await command(args, console)
  }
}

/** Throws UsageError for an unknown command. */
function loaderOf(name: string): Command[2] {
  const command = commands.find(([each]) => each === name)
  if (command === undefined) throw new UsageError(`unknown command ${name}\n\n${usage}`)
  return command[2]
}

const envFileFlag = '--env-file'

/** The flag may be anywhere before `--`. */
function withoutEnvFile(args: readonly string[]): { envFile: string | undefined; words: readonly string[] } {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const at = args.slice(0, end).findIndex((word) => word === envFileFlag || word.startsWith(`${envFileFlag}=`))
  if (at === -1) return { envFile: undefined, words: args }
  const isApart = args[at] === envFileFlag
  const envFile = isApart ? args[at + 1] : args[at]!.slice(envFileFlag.length + 1)
  if (!envFile) throw new UsageError(`${envFileFlag} takes a file\n\n${usage}`)
  return { envFile, words: args.toSpliced(at, isApart ? 2 : 1) }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
