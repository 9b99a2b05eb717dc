/** A thread of the pool: it runs one task after the other, in the order in which they come. */
import { parentPort } from 'node:worker_threads'
import { releaseMemory } from '../../src/platform/memory.ts'
import type { Job, Message, Reply } from './pool.ts'

const port = parentPort!
const reply = (reply: Reply, transfers: ArrayBuffer[] = []) => port.postMessage(reply, transfers)

type Run = (task: unknown) => Promise<void>

/** Runs a task of the job that was prepared last. */
let run: Run | undefined
let previous: Promise<void> = Promise.resolve()

/** The job is imported and prepared when its first task comes. */
function prepare({ job, preparation }: Extract<Message, { readonly preparation: unknown }>): Run {
  const load = async () => {
    const { [job.name]: loaded } = (await import(job.module)) as Record<string, Job<unknown, unknown, unknown, unknown>>
    return { job: loaded!, prepared: loaded!.prepare(preparation) }
  }
  let ready: ReturnType<typeof load> | undefined
  return async (task) => {
    try {
      ready ??= load()
      const { job, prepared } = await ready
      const result = await job.run(prepared, task, (progress) => reply({ progress }))
      reply({ result }, job.transfers(result))
    } catch (error) {
      const { message, code, errno, syscall } = error as NodeJS.ErrnoException
      // The caller handles system errors. Any other error ends the thread.
      if (syscall === undefined) throw error
      reply({ failed: { message, code, errno, syscall } })
    }
  }
}

port.on('message', (message: Message) => {
  if ('task' in message) {
    const runTask = run!
    previous = previous.then(() => runTask(message.task))
    return
  }
  // The data of the job before is large, and outside the heap.
  if (run !== undefined) {
    run = undefined
    releaseMemory()
  }
  run = prepare(message)
})
