/** A thread that counts as many requests of account 0 as ordered, all at once, and gives back some of them: by one quota after the other. */
import { setTimeout as pause } from 'node:timers/promises'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { dayOfMs } from '../../src/calendar.ts'
import type { SharedCounts } from '../../src/quota/counters.ts'
import { Counts } from '../../src/quota/counts.ts'
import { LeasedCounts } from '../../src/quota/leases/leased-counts.ts'
import { isLeased } from '../../src/quota/leases/shared-state.ts'
import { type Quota, refusal } from '../../src/quota/quota.ts'
import { Store } from '../../src/store/store.ts'

export interface Burst {
  readonly wall: number
  readonly limit: number
  readonly times: number
  /** Of those that get through, each whose number divides by this is given back. */
  readonly givenBack: number
}

export interface Opening {
  readonly shared: SharedCounts
  readonly storeDir: string
}

const port = parentPort as MessagePort
let store: Store
let quota: Quota
let wall = 0
const clock = () => wall

/** Asks again where a loaded machine's database is late: that counts nothing. */
async function request(i: number, { limit, givenBack }: Burst): Promise<number> {
  const allowance = { account: 0, limit }
  for (;;) {
    const taken = quota.take(allowance, wall)
    const left = taken === refusal.pending ? (await quota.resolve(allowance)).left : taken
    if (left >= 0 && i % givenBack === 0) quota.refund(0, dayOfMs(wall))
    if (left !== refusal.unavailable) return left
    await pause(100)
  }
}

async function obey(order: Opening | Burst | 'close'): Promise<unknown> {
  if (order === 'close') {
    quota.close()
    return store.close()
  }
  if ('shared' in order) {
    const { shared } = order
    store = new Store(order.storeDir)
    quota = isLeased(shared) ? new LeasedCounts(shared, store, clock) : new Counts(shared, store, clock)
    return
  }
  wall = order.wall
  return Promise.all(Array.from({ length: order.times }, (_, i) => request(i, order)))
}

port.on('message', async (order) => port.postMessage(await obey(order)))
