/**
 * The thread that serves the pages, as the supervisor sees it: it has what the server threads have, is told of each version
 * when they answer with it, and is replaced when it ends. Nobody waits for it but the start, which tells where it is.
 */
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { VersionFiles } from '../indexes/version.ts'
import { pagesHeapMegabytesMax, pagesStopMsMax } from '../limits.ts'
import type { Certificate } from '../node-http/server.ts'
import type { Settings } from '../settings.ts'
import type { FromPages, PagesBegin, PagesOptions, ToPages } from '../web/thread.ts'
import { Restarts } from './restarts.ts'
import { startThread } from './start-thread.ts'

export class PagesThread {
  readonly #settings: Settings
  readonly #restarts = new Restarts()
  #worker: Worker | undefined
  #begin: PagesBegin | undefined
  #log: Logger | undefined
  #shown: Extract<ToPages, { type: 'version' }> | undefined
  #description: Uint8Array | undefined
  #certificate: Certificate | undefined
  #stopping = false
  #up!: () => void
  /** Resolves when the pages can be opened for the first time. */
  readonly up = new Promise<void>((resolve) => {
    this.#up = resolve
  })
  #failed!: () => void
  /** Resolves when the thread has ended unasked for the first time, or could not be started. */
  readonly failed = new Promise<void>((resolve) => {
    this.#failed = resolve
  })

  /** The thread loads what it runs. */
  constructor(settings: Settings) {
    this.#settings = settings
    this.#start()
  }

  /** Only once: what it serves with. */
  begin(begin: PagesBegin, log: Logger): void {
    this.#begin = begin
    this.#log = log
    if (this.#worker === undefined) this.#replace(0)
    else this.#tell({ type: 'begin', ...begin })
  }

  /** Its pages tell of this version from now on. */
  show(version: VersionFiles): void {
    this.#shown = { type: 'version', version, since: Date.now() }
    this.#tell(this.#shown)
  }

  /** Its reference is this one from now on. @param description in shared memory */
  describe(description: Uint8Array): void {
    this.#description = description
    this.#tell({ type: 'describe', description })
  }

  /** New connections have this certificate; before it begins, if at all. */
  secure(certificate: Certificate): void {
    this.#certificate = certificate
    this.#tell({ type: 'secure', certificate })
  }

  /** Resolves when it has answered what was in flight, or has had time to. */
  async stop(): Promise<void> {
    this.#stopping = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    const late = setTimeout(() => worker.terminate(), pagesStopMsMax)
    this.#tell({ type: 'stop' })
    await ended
    clearTimeout(late)
  }

  #tell(message: ToPages): void {
    this.#worker?.postMessage(message)
  }

  #start(): void {
    const started = performance.now()
    let worker: Worker
    try {
      worker = startThread('../web/thread', import.meta.url, {
        workerData: { pages: this.#settings } satisfies PagesOptions,
        resourceLimits: { maxOldGenerationSizeMb: pagesHeapMegabytesMax, maxYoungGenerationSizeMb: 1 },
      })
    } catch (error) {
      this.#log?.error({ err: error }, 'the thread of the pages could not be started')
      this.#replace(0)
      return
    }
    this.#worker = worker
    worker.on('message', (message: FromPages) => {
      if (message.type === 'listening') this.#up()
    })
    worker.on('error', (error) => this.#log?.error({ err: error }, 'the thread of the pages failed'))
    worker.once('exit', () => {
      this.#worker = undefined
      this.#replace(performance.now() - started)
    })
    if (this.#certificate !== undefined) this.#tell({ type: 'secure', certificate: this.#certificate })
    if (this.#begin !== undefined) this.#tell({ type: 'begin', ...this.#begin })
    if (this.#shown !== undefined) this.#tell(this.#shown)
    if (this.#description !== undefined) this.#tell({ type: 'describe', description: this.#description })
  }

  #replace(ranMs: number): void {
    if (this.#stopping) return
    this.#failed()
    // Until it can begin, there is nobody to tell of its failure.
    if (this.#begin === undefined) return
    const delay = this.#restarts.delayAfter(ranMs)
    this.#log?.warn({ delay }, 'the thread of the pages ended and is replaced')
    setTimeout(() => {
      if (!this.#stopping) this.#start()
    }, delay).unref()
  }
}
