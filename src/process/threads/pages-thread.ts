/**
 * The pages' thread, for the supervisor. It gets each version after the server threads, and is replaced when it ends. Only the start
 * waits for it, to print its address.
 */
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { pagesStopMsMax } from '../../limits.ts'
import { keepRunning, startThread } from '../../platform/start-thread.ts'
import type { Settings } from '../../settings.ts'
import type { PagesOptions, ToPages } from '../../web/pages-worker.ts'

/** Beyond it, the thread ends and is replaced. */
const heapMegabytesMax = 128

export class PagesThread {
  readonly #settings: Settings
  readonly #log: Logger
  #worker: Worker | undefined
  /** The last of each type, which a replacement gets, too. */
  readonly #messages = new Map<ToPages['type'], ToPages>()
  #stopping = false
  readonly #up = Promise.withResolvers<void>()
  readonly #failed = Promise.withResolvers<void>()
  /** Resolves when the pages are up for the first time. */
  readonly up = this.#up.promise
  /** Resolves when the thread has ended unexpectedly or could not be started for the first time. */
  readonly failed = this.#failed.promise

  /** Starts the thread, which loads its modules. */
  constructor(settings: Settings, log: Logger) {
    this.#settings = settings
    this.#log = log
    keepRunning({ what: 'the thread of the pages', log, start: () => this.#start(), onEnded: () => this.#isReplaced() })
  }

  /** It serves from `begin` on. With TLS, the certificate comes before that. */
  send(message: ToPages): void {
    this.#messages.set(message.type, message)
    this.#worker?.postMessage(message)
  }

  /** Resolves when it has answered the requests in flight, or its time is over. */
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
    // It sends nothing else than that it listens.
    worker.once('message', () => this.#up.resolve())
    worker.on('error', (error) => this.#log.error({ err: error }, 'the thread of the pages failed'))
    for (const message of this.#messages.values()) worker.postMessage(message)
    await new Promise((resolve) => worker.once('exit', resolve))
    this.#worker = undefined
  }

  #isReplaced(): boolean {
    this.#failed.resolve()
    return !this.#stopping
  }
}
