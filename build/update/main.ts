/** card-prices update: from public sources to a published version. */
import { updateCommand } from './command-line.ts'

process.exitCode = await updateCommand(process.argv.slice(2), console)
