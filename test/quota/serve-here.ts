/** A server over the fixture, with HTTP, in the test's own process. */
import pino from 'pino'
import { AccountsHost, type AccountsOptions } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { fixtureIndex } from '../support/sample.ts'
import { currentOf, listenHere } from '../support/servers-here.ts'

export async function serveHere(options: Omit<AccountsOptions, 'log'>) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const host = await AccountsHost.open({ ...options, log })
  const authenticator = new Authenticator(host.shared, options.clocks?.wall)
  const data = await currentOf(await fixtureIndex())
  const { server, port, address } = await listenHere('A', authenticator, log, data)
  let stopped: Promise<number> | undefined
  /** Returns how many requests were not answered. It may be called again. */
  const stop = (): Promise<number> => {
    stopped ??= server
      .stop()
      .finally(() => authenticator.close())
      .finally(() => host.close())
    return stopped
  }
  return { host, data, port, address, log: () => lines.join(''), stop }
}
