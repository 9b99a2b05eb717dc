/** Finds ports, and reports addresses on which the server can't listen. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { systemText } from '../platform/system-error.ts'

export class ListenError extends Error {}

/** The settings that make up an address. */
export interface AddressNames {
  readonly host: 'HOST' | 'WEB_HOST' | 'METRICS_HOST'
  readonly port: 'PORT' | 'WEB_PORT' | 'METRICS_PORT'
}

/** Makes the error for an address. Its message names the setting at fault. @param error the system's error */
export function cantListen(host: string, port: number, names: AddressNames, error: unknown): ListenError {
  const { code = '' } = error as NodeJS.ErrnoException
  const name = ['EADDRINUSE', 'EACCES'].includes(code) ? names.port : names.host
  const wrong = `${name}: can't listen on ${host}:${port} (${systemText(error)})`
  if (code !== 'EADDRINUSE') return new ListenError(wrong)
  return new ListenError(
    `${wrong}; ${name}=0 takes any free port, and "ss -ltnp sport = :${port}" shows who has this one`,
  )
}

/** Returns the port if it is free. For port 0, returns any free port. Throws ListenError. */
export async function freePort(
  host: string,
  port: number,
  names: AddressNames = { host: 'HOST', port: 'PORT' },
): Promise<number> {
  const probe = createServer()
  try {
    probe.listen({ host, port, exclusive: true })
    await once(probe, 'listening')
    return (probe.address() as { port: number }).port
  } catch (error) {
    throw cantListen(host, port, names, error)
  } finally {
    probe.close()
  }
}
