/** card-prices fetch: what a public source publishes comes into a mirror that card-prices import reads. */
import { fetchCommand } from './command-line.ts'

process.exitCode = await fetchCommand(process.argv.slice(2), console)
