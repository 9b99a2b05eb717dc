/** Forms on connections of their own, which wait before all is sent or read. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export const listType = 'multipart/form-data; boundary=x'

/** @param more further headers, each with its line's end */
export const head = (path: string, type: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`

/** The beginning of the body of a form of `listType`. */
export const listStart = '--x\r\nContent-Disposition: form-data; name="list"\r\n\r\n'

/** The body of a form of `listType`. */
export const listBody = (list: string) => `${listStart}${list}\r\n--x--\r\n`

/** A connection that has sent this much of a form, and waits. */
export async function opened(pages: string, text: string, bytes = 0): Promise<Socket> {
  const socket = connect(Number(new URL(pages).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  if (bytes > 0) socket.write(Buffer.alloc(bytes, 97))
  return socket
}
