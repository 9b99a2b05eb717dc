/**
 * A server process without HTTP: an AccountsHost, and threads with an Authenticator each. The threads do what
 * accounts-server.ts orders. Settings come from the environment, as for the server.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'

export type Taken = number | 'unknown'

/** The orders that a thread accepts. */
export type Calls = ReturnType<typeof callsOf>

export interface Order {
  readonly id: number
  readonly name: keyof Calls
  readonly given: readonly unknown[]
}

function callsOf(authenticator: Authenticator, port: MessagePort) {
  let stopping = false
  const request = (key: string): Taken => {
    const access = authenticator.identify(key)
    return access === undefined ? 'unknown' : authenticator.take(access)
  }
  return {
    /** Makes `times` requests in one turn of the event loop. Returns the result of each. */
    take: (key: string, times: number): Taken[] => Array.from({ length: times }, () => request(key)),
    remaining(key: string): Taken {
      const access = authenticator.identify(key)
      return access === undefined ? 'unknown' : authenticator.remaining(access)
    },
    /**
     * Makes requests until `stop`. Reports in batches how many were admitted; each request is counted before its batch
     * is reported.
     */
    async hammer(key: string): Promise<void> {
      while (!stopping) {
        let answered = 0
        for (let i = 0; i < 20; i++) if (Number(request(key)) >= 0) answered++
        port.postMessage({ answered })
        await pause(1)
      }
    },
    async stop(): Promise<void> {
      stopping = true
      await authenticator.close()
      setImmediate(() => port.close())
    },
  }
}

function obey(port: MessagePort): void {
  const { shared, clock } = workerData
  const calls = callsOf(new Authenticator(shared, clock === undefined ? Date.now : () => clock[0]), port)
  port.on('message', async ({ id, name, given }: Order) => {
    port.postMessage({ id, result: await (calls[name] as (...given: readonly unknown[]) => unknown)(...given) })
  })
}

async function serve(): Promise<void> {
  const { STORE_DIR, THREADS = '1' } = process.env
  const host = await AccountsHost.open({ storeDir: STORE_DIR!, log: pino(pino.destination(2)) })
  const threads = Array.from({ length: Number(THREADS) }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { shared: host.shared } })
    worker.on('message', (message) => process.send!(message))
    return { worker, ended: once(worker, 'exit') }
  })
  process.on('message', ({ thread, ...order }: Order & { thread: number }) => {
    threads[thread]!.worker.postMessage(order)
  })
  process.once('SIGTERM', async () => {
    for (const { worker } of threads) worker.postMessage({ id: 0, name: 'stop', given: [] } satisfies Order)
    await Promise.all(threads.map(({ ended }) => ended))
    await host.close()
    process.disconnect()
    process.exitCode = 0
  })
  process.send!('ready')
}

if (isMainThread) await serve()
else obey(parentPort!)
