/** A server over the fixture, with HTTP, in the test's own process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { AccountsHost, type AccountsOptions } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { fixtureIndex } from '../support/sample.ts'

export async function serveHere(options: Omit<AccountsOptions, 'log'>) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const host = await AccountsHost.open({ ...options, log })
  const authenticator = new Authenticator(host.shared, options.clocks?.wall)
  const server = new Server({ settings: { API_FORM: 'A', TLS_CERT: undefined }, authenticator, log })
  const indexDir = await fixtureIndex()
  const data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
  server.data = data
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  /** Returns how many requests were not answered. */
  const stop = async (): Promise<number> => {
    const givenUp = await server.stop()
    await authenticator.close()
    await host.close()
    return givenUp
  }
  return { host, data, port, address: `http://127.0.0.1:${port}`, log: () => lines.join(''), stop }
}
