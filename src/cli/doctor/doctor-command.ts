/** card-prices doctor: examines everything that the service needs, and changes nothing. */
import { type Output, ProgramCommand } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { examine } from './examine.ts'

export const doctorCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('doctor', output)
    .description(
      'Examines Node.js and its HTTP library, the settings, INDEX_DIR, STORE_DIR, the last fetch, import and build, the server, its ' +
        'pages, metrics and certificate, the database, disk space and descriptors. It prints a line for each: ok, warn or bad, and what to ' +
        'do. It changes nothing, and works with or without a running server.',
    )
    .option('--json', 'prints an array of {"part","state","found","advice"}', false)
    .addHelpText('after', '\nExit codes: 0 nothing is bad, 1 something is, 2 wrong usage.')
    .examples('card-prices doctor')
    .action(async ({ json }: { readonly json: boolean }) => {
      const findings = await examine()
      const rows = findings.map(({ state, part, found, advice }) => [
        state,
        part,
        advice === null ? found : `${found}: ${advice}`,
      ])
      output.log(json ? JSON.stringify(findings) : table(rows))
      return findings.some(({ state }) => state === 'bad') ? 1 : 0
    })
