/** npm run accounts */
import { runAccounts } from './command-line.ts'

process.exitCode = await runAccounts(process.argv.slice(2), process.env['STORE_DIR'] || 'store', console)
