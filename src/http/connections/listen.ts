/** Listens with host and options together, which the library's types leave out. */
import type { TemplatedApp, us_listen_socket } from './uws.ts'

interface ListensWithOptions {
  listen(host: string, port: number, options: number, onListen: (socket: us_listen_socket | false) => void): void
}

const sharedPort = 0
const exclusivePort = 1

/**
 * @param port 0 for any free one
 * @param exclusive the port is not shared with other threads
 * @returns false if the port is in use
 */
export function listenOn(
  app: TemplatedApp,
  host: string,
  port: number,
  exclusive: boolean,
): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    ;(app as TemplatedApp & ListensWithOptions).listen(host, port, exclusive ? exclusivePort : sharedPort, resolve)
  })
}
