/** The thread of archive.ts: it processes one message after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Message, Reply } from './archive.ts'
import { ArchiveReader, type ArchiveTask } from './archive-reader.ts'

const port = parentPort!
const reader = new ArchiveReader(workerData as ArchiveTask)
let previous: Promise<void> = Promise.resolve()

async function reply(message: Message): Promise<void> {
  if (message === 'end') {
    port.postMessage(reader.end() satisfies Reply)
    port.close()
    return
  }
  const day = await reader.readDay(message)
  const columns = day === undefined ? [] : [day.market, day.low!, day.high!]
  port.postMessage(
    day satisfies Reply,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

port.on('message', (message: Message) => {
  previous = previous.then(() => reply(message))
})
