/** Reads archive days in a thread of its own, as ArchiveReader does, while the main thread writes those before. */
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../../src/platform/start-thread.ts'
import type { DayPrices } from '../source.ts'
import type { ArchiveDay, ArchiveReader, ArchiveTask } from './archive-reader.ts'

export type Order = ArchiveDay | 'end'
export type Answer = DayPrices | undefined | ReturnType<ArchiveReader['end']>

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

export class ArchiveThread {
  readonly #worker: Worker
  /** Orders are answered in their order. */
  readonly #waiting: Waiting[] = []

  constructor(task: ArchiveTask) {
    this.#worker = startThread('./archive-worker', import.meta.url, { workerData: task })
    this.#worker.on('message', (answer: Answer) => this.#waiting.shift()!.resolve(answer))
    this.#worker.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  readDay(day: ArchiveDay): Promise<DayPrices | undefined> {
    return this.#ask(day) as Promise<DayPrices | undefined>
  }

  end(): Promise<ReturnType<ArchiveReader['end']>> {
    return this.#ask('end') as Promise<ReturnType<ArchiveReader['end']>>
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #ask(order: Order): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(order)
    })
  }
}
