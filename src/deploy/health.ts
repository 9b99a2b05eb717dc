/** Exits 0 if the server that the settings name answers that it is well, else 1, with the reason on standard error. */
import { get as getPlainly } from 'node:http'
import { get as getSecurely } from 'node:https'
import { readSetting } from '../settings.ts'

const msMax = 2500
/** Of a server that listens everywhere. */
const here: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const listensOn = readSetting('HOST')
const isSecure = readSetting('TLS_CERT') !== undefined
const address = { host: here[listensOn] ?? listensOn, port: readSetting('PORT'), path: '/healthz', agent: false }

const end = (wrong?: string): never => {
  if (wrong !== undefined) console.error(`not well: ${wrong}`)
  process.exit(wrong === undefined ? 0 : 1)
}

// It asks nobody but itself: the certificate is for others.
const request = isSecure ? getSecurely({ ...address, rejectUnauthorized: false }) : getPlainly(address)
request.on('response', ({ statusCode }) => end(statusCode === 200 ? undefined : `${statusCode}`))
request.on('error', ({ message }) => end(message))
setTimeout(() => end(`nothing came for ${msMax} ms`), msMax)
