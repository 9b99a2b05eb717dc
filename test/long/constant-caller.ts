/** A thread that asks one thing again and again, and tells the longest answer: what its process does else is not in it. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Wire } from '../support/proxy-wire.ts'

const pauseMs = 2

export class ConstantCaller {
  readonly #worker: Worker

  /** @param request as it is sent */
  constructor(port: number, request: string) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { port, request } })
  }

  /** Of the answers since the last call (ms). */
  async longest(): Promise<number> {
    this.#worker.postMessage('longest')
    return (await once(this.#worker, 'message'))[0]
  }

  stop(): Promise<unknown> {
    return this.#worker.terminate()
  }
}

if (!isMainThread && workerData?.request !== undefined) {
  const { port, request } = workerData as { port: number; request: string }
  let longest = 0
  parentPort!.on('message', () => {
    parentPort!.postMessage(longest)
    longest = 0
  })
  for (const wire = await Wire.open(port); ; await pause(pauseMs)) {
    const started = performance.now()
    await wire.ask(request)
    longest = Math.max(longest, performance.now() - started)
  }
}
