/**
 * The limit: the least that an answer of this size can cost. A bare uWebSockets.js server which looks at nothing and
 * sends the same headers and as many bytes from one constant buffer. Its argument is LimitOptions, as JSON.
 */

import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { listenOn } from '../../src/http/listen.ts'
import { uws } from '../../src/http/uws.ts'
import { freePort } from '../../src/process/port.ts'

export interface LimitOptions {
  readonly statusLine: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBytes: number
  /** Server threads; 1: the main thread serves, and no other. */
  readonly threads: number
}

async function listen({ statusLine, headers, bodyBytes }: LimitOptions, port: number): Promise<void> {
  const body = new Uint8Array(bodyBytes).fill('x'.charCodeAt(0))
  const isOk = statusLine === '200 OK'
  const app = uws().App()
  app.any('/*', (res) => {
    if (!isOk) res.writeStatus(statusLine)
    for (let i = 0; i < headers.length; i++) res.writeHeader(headers[i]![0], headers[i]![1])
    res.end(body)
  })
  if (!(await listenOn(app, '127.0.0.1', port, false))) throw new Error('no port to listen on')
}

async function listenInThread(options: LimitOptions, port: number): Promise<void> {
  await once(new Worker(new URL(import.meta.url), { workerData: { options, port } }), 'message')
}

if (isMainThread) {
  // Threads that hold open sockets can't end in order, and need not.
  process.on('SIGTERM', () => process.kill(process.pid, 'SIGKILL'))
  const options = JSON.parse(process.argv[2]!) as LimitOptions
  const port = await freePort('127.0.0.1', 0)
  if (options.threads === 1) await listen(options, port)
  else for (let i = 0; i < options.threads; i++) await listenInThread(options, port)
  console.log(`listening on ${port}`)
} else {
  await listen(workerData.options, workerData.port)
  parentPort!.postMessage('listening')
}
