/** Requests that are sent before those ahead of them are answered, and what they are answered with. */
import { connect } from 'node:net'

/**
 * @param request sent so many times
 * @param expected so many answers
 * @returns how many answers had each status. Rejects if the connection ends before all are there.
 */
export function pipelined(
  address: string,
  request: string,
  times: number,
  expected = times,
): Promise<Map<number, number>> {
  const { hostname, port } = new URL(address)
  const statuses = new Map<number, number>()
  let answers = 0
  let tail = ''
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request.repeat(times)))
    socket.setEncoding('latin1').on('data', (piece: string) => {
      const heard = tail + piece
      let read = 0
      for (const { 0: line, 1: status, index } of heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1)
        answers++
        read = index + line.length
      }
      // A status line may come in two pieces.
      tail = heard.slice(Math.max(read, heard.length - 'HTTP/1.1 200'.length))
      if (answers === expected) socket.end()
    })
    socket.on('error', reject).on('close', () => {
      if (answers === expected) resolve(statuses)
      else reject(new Error(`${answers} of ${expected} were answered`))
    })
  })
}

export const requestText = (path: string, key?: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}${more}\r\n`
