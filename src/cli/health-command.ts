/** card-prices health: requests the server's /healthz. */
import { addressOf, hostHere } from '../addresses.ts'
import { type Output, ProgramCommand } from '../command/command.ts'
import { readSetting } from '../settings.ts'
import { ask } from './ask.ts'

const msMax = 2500

export const healthCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('health', output)
    .description('Exits with 0 if the server at HOST:PORT is healthy, else with 1 and the reason on standard error.')
    .examples('PORT=8443 card-prices health')
    .action(async () => {
      const tls = { TLS_CERT: readSetting('TLS_CERT') }
      const address = addressOf(hostHere(readSetting('HOST')), readSetting('PORT'), tls)
      const wrong = await ask(`${address}/healthz`, msMax, `no answer for ${msMax} ms`).then(
        ({ status }) => (status === 200 ? undefined : `${status}`),
        ({ message }: Error) => message,
      )
      if (wrong !== undefined) throw new Error(`not healthy: ${wrong}`)
    })
