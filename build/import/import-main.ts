/** card-prices import: writes files of public sources into a snapshot folder. It never uses the network. */
import { importCommand } from './import-command.ts'

process.exitCode = await importCommand(process.argv.slice(2), console)
