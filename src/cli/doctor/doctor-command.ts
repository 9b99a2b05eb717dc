/** card-prices doctor: examines all that the service needs, and changes nothing. */
import { command } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { examine } from './examine.ts'

const usage = `Usage: card-prices doctor [--json]

Examines Node.js and its HTTP library, the settings, INDEX_DIR, STORE_DIR, the last fetch, import and build, the server, its
pages, metrics and certificate, Redis, disk space and descriptors. It prints a line for each: ok, warn or bad, and what to do. It
changes nothing, and works with or without a running server.

  --json    prints an array of {"part","state","found","advice"}
  --help    shows this

Exit codes: 0 nothing is bad, 1 something is, 2 wrong usage.`

process.exitCode = await command(
  usage,
  { options: { json: { type: 'boolean', default: false } } },
  async ({ values }) => {
    const findings = await examine()
    const rows = findings.map(({ state, part, found, advice }) => [
      state,
      part,
      advice === null ? found : `${found}: ${advice}`,
    ])
    console.log(values['json'] === true ? JSON.stringify(findings) : table(rows))
    return findings.some(({ state }) => state === 'bad') ? 1 : 0
  },
)
