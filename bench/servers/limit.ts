/**
 * The limit: the least that an answer of this size can cost. A bare uWebSockets.js server which looks at nothing and
 * sends the same headers and as many bytes from one constant buffer. Its argument is the answer, as JSON.
 */
import * as uws from 'uWebSockets.js'

export interface ConstantAnswer {
  readonly statusLine: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBytes: number
}

const { statusLine, headers, bodyBytes } = JSON.parse(process.argv[2]!) as ConstantAnswer
const body = new Uint8Array(bodyBytes).fill('x'.charCodeAt(0))
const isOk = statusLine === '200 OK'

const app = uws.App()
app.any('/*', (res) => {
  if (!isOk) res.writeStatus(statusLine)
  for (let i = 0; i < headers.length; i++) res.writeHeader(headers[i]![0], headers[i]![1])
  res.end(body)
})
app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port to listen on')
  console.log(`listening on ${uws.us_socket_local_port(socket)}`)
})
process.on('SIGTERM', () => process.exit(0))
