/** card-prices accounts. When a command returns, running servers have confirmed its change. */
import { constants, setPriority } from 'node:os'
import { ProgramCommand } from '../../command/command.ts'
import { addAccountChangeCommands, addAccountCommands, addExchangeCommands } from './account-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addReportCommands } from './report-commands.ts'
import { addSignInCommands } from './sign-in-commands.ts'
import { type Context, errorPrefix, type ReportOutput } from './store-action.ts'
import { addWholeStoreCommands } from './whole-store.ts'

/** @param given where it runs; by default in this process, with its settings once they are read */
export function accountsCommand(output: ReportOutput, given?: Omit<Context, 'output'>): ProgramCommand {
  const accounts = new ProgramCommand('accounts', output, errorPrefix)
    .description('Manages accounts and keys. All commands work beside a running server.')
    .option('--json', 'prints one JSON value', false)
    .helpCommand('help [COMMAND]', "Shows this, or a command's help.")
    .addHelpText(
      'after',
      `
The store is the folder STORE_DIR (default: store); with ACCOUNTS_STORE it is a
replica of the accounts there. Exit codes: 0 done, 1 failed, 2 wrong usage.`,
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

/** The settings file is read after the commands are made. */
const contextHere = (output: ReportOutput): Context => ({
  output,
  env: process.env,
  get storeDir() {
    return process.env['STORE_DIR'] || 'store'
  },
})

/** Standard output, also for what is too long for memory. */
export function reportOutput(): ReportOutput {
  let isLong = false
  /** Ends silently if the reader stops before the end, as `head` does. */
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      // A long report must not slow down a server on the same processor.
      if (!isLong) setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
      isLong = true
      process.stdout.write(text, (error) => {
        if ((error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE') process.exit()
        else if (error) reject(error)
        else resolve()
      })
    })
  process.stdout.on('error', () => {})
  return { log: console.log, error: console.error, write }
}
