/**
 * card-prices accounts. If a command that changes accounts or keys exits with 0, all live servers have confirmed the
 * change. A server that is cut off from the database may lack it (docs/decisions/0024).
 */
import { constants } from 'node:os'
import { ProgramCommand } from '../../command/command.ts'
import { printable, terminal } from '../../log/printable.ts'
import { lowerPriority } from '../../platform/lower-priority.ts'
import { addAccountChangeCommands, addAccountCommands, addExchangeCommands } from './account-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addReportCommands } from './report-commands.ts'
import { addSignInCommands } from './sign-in-commands.ts'
import { type Context, errorPrefix, type ReportOutput } from './store-action.ts'
import { addWholeStoreCommands } from './whole-store.ts'

/** @param given the environment and STORE_DIR; by default, those of this process, which are read when a command runs */
export function accountsCommand(output: ReportOutput, given?: Omit<Context, 'output'>): ProgramCommand {
  const accounts = new ProgramCommand('accounts', output, errorPrefix)
    .description('Manages accounts and keys. All commands work beside a running server.')
    .option('--json', 'prints one JSON value', false)
    .helpCommand('help [COMMAND]', "Shows this, or a command's help.")
    .addHelpText(
      'after',
      `
The store is the folder STORE_DIR (default: store); with DATABASE_URL it is a
copy of the accounts there. Exit codes: 0 done, 1 failed, 2 wrong usage.`,
    )
    .examples('card-prices accounts create "Card Shop" --plan trader', 'card-prices accounts list --json')
  const context: Context = given === undefined ? contextHere(output) : { ...given, output }
  addAccountCommands(accounts, context)
  addKeyCommands(accounts, context)
  addAccountChangeCommands(accounts, context)
  addReportCommands(accounts, context)
  addSignInCommands(accounts, context)
  addExchangeCommands(accounts, context)
  addWholeStoreCommands(accounts, context)
  for (const command of accounts.commands) command.option('--json', 'prints one JSON value', false)
  return accounts
}

/** `storeDir` is a getter, because the settings file is read only after the commands are created. */
const contextHere = (output: ReportOutput): Context => ({
  output,
  env: process.env,
  get storeDir() {
    return process.env['STORE_DIR'] || 'store'
  },
})

/** Prints to stdout and stderr. `write` takes a report in parts, so a report may be larger than memory. */
export function reportOutput(): ReportOutput {
  let isLong = false
  /** Ends the process silently if the reader closes the pipe before the end, as `head` does. */
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      // A long report must not slow down a server on the same processor.
      if (!isLong) lowerPriority(constants.priority.PRIORITY_BELOW_NORMAL)
      isLong = true
      process.stdout.write(printable(text), (error) => {
        if ((error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE') process.exit()
        else if (error) reject(error)
        else resolve()
      })
    })
  process.stdout.on('error', () => {})
  return { ...terminal, write }
}
