/** The table of commands. The module of a command is loaded only when the command is called. */
import { exitCodeOf, type Output, optionOf, ProgramCommand } from '../command/command.ts'
import { useEnvFile } from '../command/command-line.ts'
import { softwareVersion } from '../version.ts'
import { certificatesVariable, loadSettingsFile } from './settings-file.ts'

interface CommandRow {
  readonly name: string
  readonly summary: string
  readonly load: (output: Output) => Promise<ProgramCommand>
}

export const commandRows: readonly CommandRow[] = [
  {
    name: 'start',
    summary: 'Builds the folder snapshots if it has changed, and serves it with a demo account.',
    load: async (output) => (await import('../../build/start.ts')).startCommand(output),
  },
  {
    name: 'serve',
    summary: 'Serves the current version.',
    load: async (output) => (await import('./serve-command.ts')).serveCommand(output),
  },
  {
    name: 'build',
    summary: 'Compiles a snapshot folder and makes it the current version.',
    load: async (output) => (await import('../../build/build-command.ts')).buildCommand(output),
  },
  {
    name: 'import',
    summary: 'Makes a snapshot folder from files of public sources.',
    load: async (output) => (await import('../../build/import/import-command.ts')).importCommand(output),
  },
  {
    name: 'fetch',
    summary: 'Downloads the files of a public source, for import.',
    load: async (output) => (await import('../../build/fetch/fetch-command.ts')).fetchCommand(output),
  },
  {
    name: 'update',
    summary: 'Fetches and imports new data of public sources, and builds it.',
    load: async (output) => {
      const { lowerPriority, updateCommand } = await import('../../build/update/update-command.ts')
      return updateCommand(output).hook('preAction', lowerPriority)
    },
  },
  {
    name: 'games',
    summary: 'Shows, adds and removes the games of a snapshot folder.',
    load: async (output) => (await import('../../build/games-command.ts')).gamesCommand(output),
  },
  {
    name: 'rollback',
    summary: 'Makes the previous version current.',
    load: async (output) => (await import('../../build/rollback-command.ts')).rollbackCommand(output),
  },
  {
    name: 'inspect',
    summary: 'Shows the current version, or a card.',
    load: async (output) => (await import('./inspect-command.ts')).inspectCommand(output),
  },
  {
    name: 'push',
    summary: 'Publishes the current version in a folder.',
    load: async (output) => (await import('./push-command.ts')).pushCommand(output),
  },
  {
    name: 'pull',
    summary: 'Downloads a published version.',
    load: async (output) => (await import('./pull-command.ts')).pullCommand(output),
  },
  {
    name: 'accounts',
    summary: 'Manages accounts and keys, shows usage, backs up.',
    load: async () => {
      const { accountsCommand, reportOutput } = await import('./accounts/accounts-command.ts')
      return accountsCommand(reportOutput())
    },
  },
  {
    name: 'doctor',
    summary: 'Checks the machine, the settings, the data and the server.',
    load: async (output) => (await import('./doctor/doctor-command.ts')).doctorCommand(output),
  },
  {
    name: 'health',
    summary: 'Checks that the server answers, for containers.',
    load: async (output) => (await import('./health-command.ts')).healthCommand(output),
  },
]

/** Runs `card-prices WORDS`. Returns the exit code. */
export const runCardPrices = (words: readonly string[], output: Output): Promise<number> =>
  exitCodeOf(async () => {
    const program = new ProgramCommand('card-prices', output)
      .description('Serves trading-card prices from memory, and keeps them up to date.')
      .addOption(optionOf('--env-file <FILE>', 'a file of settings', 'CARD_PRICES_ENV, else /etc/card-prices.env'))
      .helpCommand('help [COMMAND]', "Shows this, or a command's help.")
      .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage.')
    const [first, second] = program.parseOptions([...words]).operands
    const called = first === 'help' ? second : first
    for (const { name, summary, load } of commandRows) {
      program.addCommand((name === called ? await load(output) : new ProgramCommand(name, output)).summary(summary))
    }
    program.version(softwareVersion, '--version', 'shows the version')
    // The settings file is read only before a command runs, because help must work even if that file is wrong.
    program.hook('preAction', () => {
      const { envFile } = program.opts<{ readonly envFile?: string }>()
      useEnvFile(envFile)
      const certificates = process.env[certificatesVariable]
      const { warnings } = loadSettingsFile(envFile)
      if (process.env[certificatesVariable] !== certificates) startAnew()
      for (const warning of warnings) output.error(`warning: ${warning}`)
    })
    const isHelp = first === 'help' && called !== undefined
    await program.parseAsync(isHelp ? helpWords(words, called) : words, { from: 'user' })
  }, output)

/**
 * Node.js reads NODE_EXTRA_CA_CERTS only when it starts. So a new run of the program replaces this one, with the same
 * process id, open files and arguments.
 */
function startAnew(): void {
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, '--', ...process.argv.slice(1)],
    process.env,
  )
}

/** `help accounts create` means `accounts create --help`. */
function helpWords(words: readonly string[], called: string): string[] {
  const others = words.toSpliced(words.indexOf('help'), 1)
  return commandRows.some(({ name }) => name === called) ? [...others, '--help'] : others
}
