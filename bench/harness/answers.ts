/** Sends a sample of a scenario's requests to a server, checks the statuses, and measures and hashes the bodies. */
import { createHash } from 'node:crypto'
import { connect } from 'node:net'

export interface Sample {
  /** The mean size of a body in bytes. */
  readonly bodyBytes: number
  /** The mean number of items in a list; 1 if the body is no list. */
  readonly items: number
  /** The first response's status, such as `200 OK`. */
  readonly statusLine: string
  /** The first response's headers, without those that HTTP libraries add. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A hash of all statuses and bodies, in order. */
  readonly hash: string
}

interface Reply {
  readonly head: string
  readonly body: Buffer
}

const addedByLibraries = new Set(['date', 'content-length', 'uwebsockets', 'connection', 'keep-alive', 'server'])

/** Sends the requests in order, on one connection. Throws if a response has another status than `status`. */
export async function sampleAnswers(port: number, requests: readonly string[], status: number): Promise<Sample> {
  const hash = createHash('sha256')
  let bytes = 0
  let items = 0
  let first: Reply | undefined
  for await (const reply of ask(port, requests)) {
    const got = Number(reply.head.slice('HTTP/1.1 '.length, 'HTTP/1.1 000'.length))
    if (got !== status) throw new Error(`an answer has the status ${got}, not ${status}: ${reply.body.toString()}`)
    hash.update(`${got} `).update(reply.body)
    bytes += reply.body.length
    items += itemsOf(reply.body)
    first ??= reply
  }
  const [statusLine, ...lines] = first!.head.split('\r\n')
  const headers = lines
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
    .filter(([name]) => !addedByLibraries.has(name.toLowerCase()))
  return {
    bodyBytes: Math.round(bytes / requests.length),
    items: Math.max(1, Math.round(items / requests.length)),
    statusLine: statusLine!.slice('HTTP/1.1 '.length),
    headers,
    hash: hash.digest('hex').slice(0, 16),
  }
}

const brace = '{'.charCodeAt(0)

function itemsOf(body: Buffer): number {
  if (body[0] !== brace) return 1
  const { data } = JSON.parse(body.toString()) as { data?: unknown }
  return Array.isArray(data) ? data.length : 1
}

/** Sends the requests one after the other, on one connection, and yields each response. */
export async function* ask(port: number, requests: readonly string[]): AsyncGenerator<Reply> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  let received = Buffer.alloc(0)
  const chunks = socket[Symbol.asyncIterator]()
  try {
    for (const request of requests) {
      socket.write(request)
      let reply: Reply | undefined
      for (;;) {
        reply = replyIn(received)
        if (reply !== undefined) break
        const { value, done } = await chunks.next()
        if (done) throw new Error('the server closed the connection')
        received = Buffer.concat([received, value as Buffer])
      }
      received = received.subarray(reply.head.length + '\r\n\r\n'.length + reply.body.length)
      yield reply
    }
  } finally {
    socket.destroy()
  }
}

function replyIn(received: Buffer): Reply | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const bodyStart = headEnd + '\r\n\r\n'.length
  const bodyEnd = bodyStart + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
  return received.length < bodyEnd ? undefined : { head, body: received.subarray(bodyStart, bodyEnd) }
}
