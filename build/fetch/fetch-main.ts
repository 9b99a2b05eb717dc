/** card-prices fetch: downloads a public source into a mirror, which card-prices import reads. */
import { fetchCommand } from './fetch-command.ts'

process.exitCode = await fetchCommand(process.argv.slice(2), console)
