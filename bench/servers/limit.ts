/**
 * The limits: the least that an answer of this size can cost. A bare uWebSockets.js server which looks at nothing and
 * sends the same status and headers, in one call as the service does, and as many bytes:
 *
 *   hot    from one constant buffer, which the nearest caches hold
 *   cold   from random places of as much memory as the service has, in as many pieces as a list has items
 *
 * Its argument is LimitOptions, as JSON.
 */

import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type HttpResponse, listenOn, uws } from '../../src/http/connections/uws.ts'
import { freePort } from '../../src/process/free-port.ts'
import { ColdBodies, coldMemory } from './cold-bodies.ts'

export interface LimitOptions {
  readonly statusLine: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBytes: number
  /** Of the cold limit; 0: the hot one. */
  readonly memoryBytes: number
  readonly pieces: number
  /** The body of a request is waited for. */
  readonly takesBodies: boolean
  /** Server threads; 1: the main thread serves, and no other. */
  readonly threads: number
}

type Send = (res: HttpResponse) => void

function sendOf({ statusLine, headers, bodyBytes, pieces }: LimitOptions, memory: SharedArrayBuffer | undefined): Send {
  const start = Buffer.from([statusLine, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n'))
  if (statusLine.startsWith('304')) return (res) => void res.writeStatus(start).endWithoutBody()
  if (memory === undefined) {
    const body = new Uint8Array(bodyBytes).fill('x'.charCodeAt(0))
    return (res) => void res.writeStatus(start).end(body)
  }
  const bodies = new ColdBodies(memory, bodyBytes, pieces)
  return (res) => void res.writeStatus(start).end(bodies.next())
}

async function listen(options: LimitOptions, memory: SharedArrayBuffer | undefined, port: number): Promise<void> {
  const app = uws().App()
  const send = sendOf(options, memory)
  if (options.takesBodies) {
    app.post('/*', (res) => {
      res.onAborted(ignored)
      res.onData((_, isLast) => {
        if (isLast) send(res)
      })
    })
  } else {
    app.any('/*', send)
  }
  if (!(await listenOn(app, '127.0.0.1', port, false))) throw new Error('no port to listen on')
}

/** The library requires it of a handler that answers later. */
function ignored(): void {}

if (isMainThread) {
  // Threads that hold open sockets can't end in order, and need not.
  process.on('SIGTERM', () => process.kill(process.pid, 'SIGKILL'))
  const options = JSON.parse(process.argv[2]!) as LimitOptions
  const memory = options.memoryBytes === 0 ? undefined : coldMemory(options.memoryBytes)
  const port = await freePort('127.0.0.1', 0)
  if (options.threads === 1) await listen(options, memory, port)
  else {
    for (let i = 0; i < options.threads; i++) {
      await once(new Worker(new URL(import.meta.url), { workerData: { options, memory, port } }), 'message')
    }
  }
  console.log(`listening on ${port}`)
} else {
  await listen(workerData.options, workerData.memory, workerData.port)
  parentPort!.postMessage('listening')
}
