/** A thread of the crew: it does one task after the other, in the order in which they come. */
import { parentPort } from 'node:worker_threads'
import { releaseMemory } from '../../src/platform/memory.ts'
import { jobs } from './jobs.ts'
import type { Answer, AnyJob, Order } from './pool.ts'

const port = parentPort!
/** Made ready when the first task comes. */
let prepared: (() => unknown) | undefined

let before: Promise<void> = Promise.resolve()

port.on('message', (order: Order) => {
  if (order === 'rest') {
    prepared = undefined
    releaseMemory()
    return
  }
  const { prepare, run, handsOver } = jobs[order.job] as unknown as AnyJob
  if ('preparation' in order) {
    // What the job before held is large, and lies outside the heap.
    if (prepared !== undefined) releaseMemory()
    let made: { readonly prepared: unknown } | undefined
    prepared = () => {
      made ??= { prepared: prepare(order.preparation) }
      return made.prepared
    }
    return
  }
  const ready = prepared!
  before = before.then(async () => {
    const report = (report: unknown) => port.postMessage({ report } satisfies Answer)
    try {
      const result = await run(ready(), order.task, report)
      port.postMessage({ result } satisfies Answer, handsOver(result))
    } catch (error) {
      const { message, code, errno, syscall } = error as NodeJS.ErrnoException
      // Whoever wants the task knows what to make of it. Any other error ends the thread.
      if (syscall === undefined) throw error
      port.postMessage({ refused: { message, code, errno, syscall } } satisfies Answer)
    }
  })
})
