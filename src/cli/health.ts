/** card-prices health: whether the server that the settings name answers that it is well. */
import { get as getPlainly } from 'node:http'
import { get as getSecurely } from 'node:https'
import { addressOf, hostHere } from '../addresses.ts'
import { readSetting } from '../settings.ts'
import { command } from './command.ts'

const msMax = 2500

const usage = `Usage: card-prices health

Exits 0 if the server at HOST:PORT answers that it is well, else 1, with the reason on standard error.`

process.exitCode = await command(usage, {}, 0, async () => {
  const tls = { TLS_CERT: readSetting('TLS_CERT') }
  const wrong = await wrongAt(`${addressOf(hostHere(readSetting('HOST')), readSetting('PORT'), tls)}/healthz`)
  if (wrong !== undefined) throw new Error(`not well: ${wrong}`)
  return 0
})

function wrongAt(address: string): Promise<string | undefined> {
  // It asks nobody but itself: the certificate is for others.
  const options = { agent: false, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const request = (address.startsWith('https:') ? getSecurely : getPlainly)(address, options)
    const end = (wrong?: string) => {
      clearTimeout(timer)
      request.destroy()
      resolve(wrong)
    }
    const timer = setTimeout(() => end(`nothing came for ${msMax} ms`), msMax)
    request.on('response', ({ statusCode }) => end(statusCode === 200 ? undefined : `${statusCode}`))
    request.on('error', ({ message }) => end(message))
  })
}
