/**
 * A server process without HTTP: an AccountsHost and its threads, obeying messages from the test. Settings come from the
 * environment as for the server.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/host.ts'
import type { Order } from './accounts-thread.ts'

const { STORE_DIR, THREADS = '1' } = process.env
const host = await AccountsHost.open({ storeDir: STORE_DIR!, log: pino(pino.destination(2)) })
const threads = Array.from({ length: Number(THREADS) }, () => {
  const worker = new Worker(new URL('./accounts-thread.ts', import.meta.url), { workerData: { shared: host.shared } })
  worker.on('message', (message) => process.send!(message))
  return { worker, ended: once(worker, 'exit') }
})

process.on('message', ({ thread, id, order }: { thread: number; id: number; order: Order }) => {
  threads[thread]!.worker.postMessage({ id, order })
})
process.once('SIGTERM', async () => {
  for (const { worker } of threads) worker.postMessage({ id: 0, order: { type: 'stop' } })
  await Promise.all(threads.map(({ ended }) => ended))
  await host.close()
  process.disconnect()
  process.exitCode = 0
})
process.send!('ready')
