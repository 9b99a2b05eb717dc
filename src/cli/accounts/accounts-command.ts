/** card-prices accounts */
import { constants, setPriority } from 'node:os'
import { runAccounts } from './run-accounts.ts'

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

const output = { log: console.log, error: console.error, write }
process.exitCode = await runAccounts(process.argv.slice(2), process.env['STORE_DIR'] || 'store', output, process.env)
