/** A thread of the crew: it does one task after the other. */
import { parentPort } from 'node:worker_threads'
import type { Answer, AnyJob, Order } from './crew.ts'
import { type JobName, jobs } from './jobs.ts'

const port = parentPort!
/** Made ready when the first task comes. */
const preparing = new Map<JobName, () => unknown>()

port.on('message', async (order: Order) => {
  const { prepare, run, handsOver } = jobs[order.job] as unknown as AnyJob
  if ('preparation' in order) {
    let made: { readonly prepared: unknown } | undefined
    preparing.set(order.job, () => {
      made ??= { prepared: prepare(order.preparation) }
      return made.prepared
    })
    return
  }
  const report = (report: unknown) => port.postMessage({ report } satisfies Answer)
  const result = await run(preparing.get(order.job)!(), order.task, report)
  port.postMessage({ result } satisfies Answer, handsOver(result))
})
