/**
 * The limits: the least that a response of a given size can cost. A bare uWebSockets.js server checks nothing. In one
 * call, as the service does, it sends a scenario's status and headers, and a body of the scenario's mean size:
 *
 *   hot    from one constant buffer, which stays in the nearest caches
 *   cold   from random places in as much memory as the service's cards take, in as many pieces as a list has items
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
  /** The memory of the cold limit; 0 for the hot limit. */
  readonly memoryBytes: number
  readonly pieces: number
  /** True if the server awaits the request's body before it responds. */
  readonly takesBodies: boolean
  /** The number of server threads. With 1, the main thread serves alone. */
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

/** The library requires an abort handler if a response is sent later. */
function ignored(): void {}

if (isMainThread) {
  // Threads with open sockets can't end in order. The limit has no state to save, so it is killed.
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
