/** card-prices serve: settings → data and accounts → threads → listen. */
import { type Output, ProgramCommand } from '../command/command.ts'
import { serveUntilSignal } from '../process/until-signal.ts'
import { readSettings } from '../settings.ts'

const defaults = (): string =>
  Object.entries(readSettings({}))
    .map(([name, value]) => `${name}=${value ?? ''}`)
    .join(', ')

export const serveCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('serve', output)
    .description('Serves the current version of INDEX_DIR on HOST:PORT, until a signal ends it.')
    .section('Settings:', () => [
      ['environment variables, or lines of the file of --env-file, with their defaults', defaults()],
    ])
    .examples('WEB_PORT=8081 card-prices serve', 'card-prices serve --env-file /etc/card-prices.env')
    .action(() => serveUntilSignal())
