/** card-prices health: whether the server that the settings name answers that it is well. */
import { addressOf, hostHere } from '../addresses.ts'
import { command } from '../command/command.ts'
import { readSetting } from '../settings.ts'
import { ask } from './ask.ts'

const msMax = 2500

const usage = `Usage: card-prices health

Exits 0 if the server at HOST:PORT answers that it is well, else 1, with the reason on standard error.`

process.exitCode = await command(usage, {}, 0, async () => {
  const tls = { TLS_CERT: readSetting('TLS_CERT') }
  const address = addressOf(hostHere(readSetting('HOST')), readSetting('PORT'), tls)
  const wrong = await ask(`${address}/healthz`, msMax, `nothing came for ${msMax} ms`).then(
    ({ status }) => (status === 200 ? undefined : `${status}`),
    ({ message }: Error) => message,
  )
  if (wrong !== undefined) throw new Error(`not well: ${wrong}`)
  return 0
})
