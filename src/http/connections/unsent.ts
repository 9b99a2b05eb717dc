/**
 * Measures how many bytes of responses the library buffers for a connection, beyond the kernel's buffer.
 *
 * The library buffers without bound, and reports the size only for WebSockets. Inside the library, a WebSocket and an
 * HTTP connection are the same kind of socket with the same buffer, so the WebSocket's method also measures a response.
 * Only a WebSocket has that method, so each thread opens a WebSocket to itself over loopback before it listens.
 */
import { connect as connectPlainly } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { type HttpResponse, LibraryError, listenOn, type TemplatedApp, uws } from './uws.ts'

export type UnsentBytes = (res: HttpResponse) => number

/** How long a new thread waits for its WebSocket. */
const learnMsMax = 10_000
const upgrade = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  '\r\n',
].join('\r\n')

/**
 * Finds the method, and returns a function that calls it. Rejects with LibraryError if the library has no such method.
 * @param app an app without routes, with a certificate if the server has one. It is closed afterwards
 * @param secure true if the app has a certificate
 */
export async function learnUnsentBytes(app: TemplatedApp, secure: boolean): Promise<UnsentBytes> {
  let method: (() => number) | undefined
  app.ws('/', {
    open(socket) {
      method = socket.getBufferedAmount
      socket.close()
    },
  })
  const listening = await listenOn(app, '127.0.0.1', 0, true)
  if (listening) await openWebSocket(uws().us_socket_local_port(listening), secure)
  app.close()
  if (method === undefined) throw new LibraryError('The HTTP library does not report the unsent bytes of a connection')
  const bytes = method
  return (res) => bytes.call(res)
}

/** Opens a WebSocket. Resolves when the server has closed it, or after `learnMsMax`. */
function openWebSocket(port: number, secure: boolean): Promise<void> {
  return new Promise((resolve) => {
    const begin = () => socket.write(upgrade)
    // The peer is this process, so the certificate's name does not matter.
    const socket = secure
      ? connectSecurely({ host: '127.0.0.1', port, rejectUnauthorized: false }, begin)
      : connectPlainly({ host: '127.0.0.1', port }, begin)
    socket.setTimeout(learnMsMax, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => resolve())
    socket.resume()
  })
}
