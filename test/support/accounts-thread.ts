/** A server thread without the server: asks its Authenticator as ordered. */
import { setTimeout as pause } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import type { SharedAccounts } from '../../src/accounts/shared.ts'

export type Order =
  /** Each as a request of its own, all at once: what `take` gave, 'unknown' for a key that is. */
  | { readonly type: 'take'; readonly key: string; readonly times: number }
  | { readonly type: 'remaining'; readonly key: string }
  /** Requests without end, reported in batches. */
  | { readonly type: 'hammer'; readonly key: string }
  | { readonly type: 'stop' }

const { shared, clockMs } = workerData as { shared: SharedAccounts; clockMs: number | undefined }
const authenticator = new Authenticator(shared, clockMs === undefined ? Date.now : () => clockMs)
const port = parentPort as MessagePort
let stopping = false

port.on('message', async ({ id, order }: { id: number; order: Order }) => {
  port.postMessage({ id, result: await obey(order) })
  if (order.type !== 'stop') return
  await authenticator.close()
  port.close()
})

async function obey(order: Order): Promise<unknown> {
  if (order.type === 'take') return Array.from({ length: order.times }, () => request(order.key))
  if (order.type === 'remaining') {
    const access = authenticator.identify(order.key)
    return access === undefined ? 'unknown' : authenticator.remaining(access)
  }
  if (order.type === 'hammer') await hammer(order.key)
  stopping = true
  return 'stopped'
}

function request(key: string): number | 'unknown' {
  const access = authenticator.identify(key)
  return access === undefined ? 'unknown' : authenticator.take(access)
}

/** Each message of the parent is answered: it is counted before the answer leaves. */
async function hammer(key: string): Promise<void> {
  while (!stopping) {
    let answered = 0
    for (let i = 0; i < 20; i++) if (Number(request(key)) >= 0) answered++
    port.postMessage({ answered })
    await pause(1)
  }
}
