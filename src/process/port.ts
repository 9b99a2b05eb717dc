/** Ports that can be listened on. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The address can't be listened on. */
export class ListenError extends Error {}

/** What is said of an address that can't be listened on. */
export const cantListen = (host: string, port: number): ListenError =>
  new ListenError(`${host}:${port} can't be listened on: it is taken or not this machine's`)

/** The port, or any free one for 0, if nobody listens there. Throws ListenError. */
export async function freePort(host: string, port: number): Promise<number> {
  const probe = createServer()
  try {
    probe.listen({ host, port, exclusive: true })
    await once(probe, 'listening')
    return (probe.address() as { port: number }).port
  } catch {
    throw cantListen(host, port)
  } finally {
    probe.close()
  }
}
