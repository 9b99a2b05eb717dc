/**
 * The pages' thread, as the supervisor sees it. The thread gets each version after the server threads. If it ends,
 * another one replaces it. Only the start waits for the thread, to print the pages' address.
 */
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { pagesStopMsMax } from '../../limits.ts'
import { keepRunning, startThread } from '../../platform/start-thread.ts'
import type { Settings } from '../../settings.ts'
import type { PagesOptions, ToPages } from '../../web/pages-worker.ts'

/** A thread whose heap grows beyond this ends, and is replaced. */
const heapMegabytesMax = 128

export class PagesThread {
  readonly #settings: Settings
  readonly #log: Logger
  #worker: Worker | undefined
  /** The last message of each type. A replacement gets these messages too. */
  readonly #messages = new Map<ToPages['type'], ToPages>()
  #stopping = false
  /** How often the thread ended or could not be started. Each time, another one replaces it. */
  failures = 0
  readonly #up = Promise.withResolvers<void>()
  readonly #failed = Promise.withResolvers<void>()
  /** Resolves when the pages are up for the first time. */
  readonly up = this.#up.promise
  /** Resolves the first time that the thread ends or can't be started. */
  readonly failed = this.#failed.promise

  /** Starts the thread, which loads its modules. */
  constructor(settings: Settings, log: Logger) {
    this.#settings = settings
    this.#log = log
    keepRunning({ what: 'the thread of the pages', log, start: () => this.#start(), onEnded: () => this.#isReplaced() })
  }

  /** Sends a message. The thread serves from `begin` on. With TLS, send the certificate before `begin`. */
  send(message: ToPages): void {
    this.#messages.set(message.type, message)
    this.#worker?.postMessage(message)
  }

  /** Resolves when the thread has ended: after the requests in flight, or after `pagesStopMsMax`. */
  async stop(): Promise<void> {
    this.#stopping = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    const late = setTimeout(() => worker.terminate(), pagesStopMsMax)
    this.send({ type: 'stop' })
    await ended
    clearTimeout(late)
  }

  async #start(): Promise<void> {
    if (this.#stopping) return
    const worker = startThread('../../web/pages-worker', import.meta.url, {
      workerData: { pages: this.#settings } satisfies PagesOptions,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 1 },
    })
    this.#worker = worker
    // The thread sends only one message: that it listens.
    worker.once('message', () => this.#up.resolve())
    worker.on('error', (error) => this.#log.error({ err: error }, 'the thread of the pages failed'))
    for (const message of this.#messages.values()) worker.postMessage(message)
    await new Promise((resolve) => worker.once('exit', resolve))
    this.#worker = undefined
  }

  #isReplaced(): boolean {
    this.#failed.resolve()
    if (!this.#stopping) this.failures++
    return !this.#stopping
  }
}
