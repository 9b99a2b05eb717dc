/** The thread of archive-thread.ts: it answers each order when those before are answered. */
import { parentPort, workerData } from 'node:worker_threads'
import { ArchiveReader, type ArchiveTask } from './archive-reader.ts'
import type { Answer, Order } from './archive-thread.ts'

const port = parentPort!
const reader = new ArchiveReader(workerData as ArchiveTask)
let answered: Promise<void> = Promise.resolve()

async function answer(order: Order): Promise<void> {
  if (order === 'end') {
    port.postMessage(reader.end() satisfies Answer)
    port.close()
    return
  }
  const day = await reader.readDay(order)
  const columns = day === undefined ? [] : [day.market, day.low!, day.high!]
  port.postMessage(
    day satisfies Answer,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

port.on('message', (order: Order) => {
  answered = answered.then(() => answer(order))
})
