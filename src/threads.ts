/**
 * The server threads as the supervisor sees them: it hands each the version to answer with, lets them listen on one
 * port, and replaces one that fails.
 */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { VersionFiles } from './indexes/load.ts'
import { ListenError } from './port.ts'
import type { FromThread, ThreadOptions, ToThread } from './thread.ts'
import { startWorker } from './worker.ts'

/** A failed thread is replaced after this long, doubled with each failure in a row. */
const restartMs = 100
const restartMsMax = 10_000
/** A thread that ran so long is no failure in a row. */
const steadyMs = 60_000

export class ServerThreads {
  readonly #options: ThreadOptions
  readonly #log: Logger
  readonly #workers = new Set<Worker>()
  #version: VersionFiles | undefined
  #port: number | undefined
  #exclusive = false
  #stopping = false
  #failuresInARow = 0

  constructor(count: number, options: ThreadOptions, log: Logger) {
    this.#options = options
    this.#log = log
    for (let i = 0; i < count; i++) this.#start()
  }

  /** Resolves when every thread has taken up the version or refused it; returns the reason of the first refusal. */
  async open(version: VersionFiles): Promise<string | undefined> {
    const reasons = await Promise.all([...this.#workers].map((worker) => openIn(worker, version)))
    const refused = reasons.find((reason) => reason !== undefined)
    if (refused === undefined) this.#version = version
    return refused
  }

  /**
   * @param exclusive the port is one thread's alone, so that a second server is refused
   * @returns the port. Throws ListenError.
   */
  async listen(port: number, exclusive: boolean): Promise<number> {
    this.#exclusive = exclusive
    let listening = port
    for (const worker of this.#workers) listening = await listenIn(worker, listening, exclusive)
    this.#port = listening
    return listening
  }

  /** Resolves when every thread has answered what was in flight and has ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(
      [...this.#workers].map((worker) => {
        const ended = once(worker, 'exit')
        tell(worker, { type: 'stop' })
        return ended
      }),
    )
  }

  #start(): Worker {
    const worker = startWorker(new URL('./thread.ts', import.meta.url), this.#options)
    const started = Date.now()
    this.#workers.add(worker)
    worker.on('error', (error) => this.#log.error({ err: error }, 'a server thread failed'))
    worker.on('exit', () => {
      this.#workers.delete(worker)
      if (!this.#stopping) this.#replace(Date.now() - started)
    })
    return worker
  }

  #replace(ranMs: number): void {
    this.#failuresInARow = ranMs >= steadyMs ? 1 : this.#failuresInARow + 1
    const delay = Math.min(restartMs * 2 ** (this.#failuresInARow - 1), restartMsMax)
    this.#log.warn({ delay }, 'a server thread ended and is replaced')
    setTimeout(() => {
      if (!this.#stopping)
        this.#bringUp(this.#start()).catch((error) => this.#log.error({ err: error }, 'and failed again'))
    }, delay)
  }

  async #bringUp(worker: Worker): Promise<void> {
    if (this.#version !== undefined) await openIn(worker, this.#version)
    if (this.#port !== undefined) await listenIn(worker, this.#port, this.#exclusive)
  }
}

const tell = (worker: Worker, message: ToThread) => worker.postMessage(message)

/** The thread's next message of that type. Rejects if the thread ends before. */
function answerOf<Type extends FromThread['type']>(worker: Worker, type: Type): Promise<FromThread & { type: Type }> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', hear)
      worker.off('exit', fail)
    }
    const hear = (message: FromThread) => {
      if (message.type !== type) return
      settle()
      resolve(message as FromThread & { type: Type })
    }
    const fail = () => {
      settle()
      reject(new Error('a server thread ended'))
    }
    worker.on('message', hear)
    worker.on('exit', fail)
  })
}

async function openIn(worker: Worker, version: VersionFiles): Promise<string | undefined> {
  const answer = answerOf(worker, 'opened')
  tell(worker, { type: 'version', version })
  return (await answer).reason
}

async function listenIn(worker: Worker, port: number, exclusive: boolean): Promise<number> {
  const answer = answerOf(worker, 'listening')
  tell(worker, { type: 'listen', port, exclusive })
  const listening = (await answer).port
  if (listening === undefined) throw new ListenError()
  return listening
}
