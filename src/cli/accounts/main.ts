/** npm run accounts */
import { runAccounts } from './command-line.ts'

/** Whoever reads may have enough before the end, as `head` does: then this ends without a word. */
const write = (text: string) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if ((error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE') process.exit()
      else if (error) reject(error)
      else resolve()
    })
  })
process.stdout.on('error', () => {})

const output = { log: console.log, error: console.error, write }
process.exitCode = await runAccounts(process.argv.slice(2), process.env['STORE_DIR'] || 'store', output)
