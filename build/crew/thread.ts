/** A thread of the crew: it does one task after the other, in the order in which they come. */
import { parentPort } from 'node:worker_threads'
import type { Answer, AnyJob, Order } from './crew.ts'
import { type JobName, jobs } from './jobs.ts'

const port = parentPort!
/** Made ready when the first task comes. */
const preparing = new Map<JobName, () => unknown>()

let before: Promise<void> = Promise.resolve()

port.on('message', (order: Order) => {
  const { prepare, run, handsOver } = jobs[order.job] as unknown as AnyJob
  if ('preparation' in order) {
    let made: { readonly prepared: unknown } | undefined
    preparing.set(order.job, () => {
      made ??= { prepared: prepare(order.preparation) }
      return made.prepared
    })
    return
  }
  const prepared = preparing.get(order.job)!
  before = before.then(async () => {
    const report = (report: unknown) => port.postMessage({ report } satisfies Answer)
    const result = await run(prepared(), order.task, report)
    port.postMessage({ result } satisfies Answer, handsOver(result))
  })
})
