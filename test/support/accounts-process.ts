/**
 * A server process without HTTP, and each of its threads: an AccountsHost whose threads ask their Authenticators as
 * accounts-server.ts orders. Settings come from the environment as for the server.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import pino from 'pino'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { AccountsHost } from '../../src/accounts/host.ts'

export type Taken = number | 'unknown'

/** The orders of a thread. */
export type Calls = ReturnType<typeof callsOf>

export interface Order {
  readonly id: number
  readonly name: keyof Calls
  readonly given: readonly unknown[]
}

function callsOf(authenticator: Authenticator, port: MessagePort) {
  let stopping = false
  const request = (key: string): Taken | Promise<number> => {
    const access = authenticator.identify(key)
    if (access === undefined) return 'unknown'
    const left = authenticator.take(access)
    return left === -3 ? authenticator.resolve(access).then((settled) => settled.left) : left
  }
  return {
    /** Requests at once: what each got. */
    take: (key: string, times: number): Promise<Taken[]> =>
      Promise.all(Array.from({ length: times }, () => request(key))),
    /** One request for each key: how many got through, and ms a request. */
    takeEach(keys: readonly string[]) {
      const start = performance.now()
      const through = keys.filter((key) => Number(request(key)) >= 0).length
      return { through, ms: (performance.now() - start) / keys.length }
    },
    remaining(key: string): Taken {
      const access = authenticator.identify(key)
      return access === undefined ? 'unknown' : authenticator.remaining(access)
    },
    /** Requests without end, reported in batches: each is counted before the answer leaves. */
    async hammer(key: string): Promise<void> {
      while (!stopping) {
        let answered = 0
        for (let i = 0; i < 20; i++) if (Number(await request(key)) >= 0) answered++
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
  const { shared, clockMs } = workerData
  const calls = callsOf(new Authenticator(shared, clockMs === undefined ? Date.now : () => clockMs), port)
  port.on('message', async ({ id, name, given }: Order) => {
    port.postMessage({ id, result: await (calls[name] as (...given: readonly unknown[]) => unknown)(...given) })
  })
}

async function serve(): Promise<void> {
  const { STORE_DIR, ACCOUNTS_STORE, QUOTA_STORE, QUOTA_FAIL, THREADS = '1', CLOCK_MS } = process.env
  const host = await AccountsHost.open({
    storeDir: STORE_DIR!,
    accountsStore: ACCOUNTS_STORE,
    quotaStore: QUOTA_STORE,
    quotaFail: QUOTA_FAIL as 'open' | 'closed' | undefined,
    log: pino(pino.destination(2)),
  })
  const threads = Array.from({ length: Number(THREADS) }, () => {
    const clockMs = CLOCK_MS === undefined ? undefined : Number(CLOCK_MS)
    const worker = new Worker(new URL(import.meta.url), { workerData: { shared: host.shared, clockMs } })
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
