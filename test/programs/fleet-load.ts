/** Callers of the balancer, each on a connection of its own, who ask again and again and keep account of what they hear. */
import { setTimeout as pause } from 'node:timers/promises'
import { Wire } from '../support/proxy-wire.ts'
import { until } from '../support/until.ts'
import { requestOf } from './hostile-requests.ts'
import { within } from './proxy-callers.ts'

/** At full load, before the half of it. */
const measuredMs = 1500

export interface LoadOptions {
  readonly port: number
  /** Used in turn. */
  readonly keys: readonly string[]
  readonly callers: number
  readonly pauseMs: number
}

export class Load {
  readonly #options: LoadOptions
  readonly #calling: Promise<unknown>
  #done = false
  #held = false
  #asking = 0
  /** By status; 0 is an answer that never came. */
  readonly heard = new Map<number, number>()

  constructor(options: LoadOptions) {
    this.#options = options
    this.#calling = Promise.all(Array.from({ length: options.callers }, (_, i) => this.#call(i)))
  }

  count(status: number): number {
    return this.heard.get(status) ?? 0
  }

  /** All that was not answered 200, for a message. */
  get troubles(): string {
    return [...this.heard]
      .flatMap(([status, count]) => (status === 200 ? [] : `${count} × ${status || 'lost'}`))
      .join(', ')
  }

  /** Returns when all have their answers, and nobody asks any more. */
  async hold(): Promise<void> {
    this.#held = true
    await until('callers have their answers', () => this.#asking === 0)
  }

  goOn(): void {
    this.#held = false
  }

  async stop(): Promise<void> {
    this.#done = true
    await this.#calling
  }

  async #call(number: number): Promise<void> {
    const { port, keys, pauseMs } = this.#options
    const caller = new Caller(port)
    for (let asked = number; !this.#done; asked++) {
      if (!this.#held) {
        this.#asking++
        const status = await caller.ask(keys[asked % keys.length]!).finally(() => this.#asking--)
        if (status !== undefined) this.heard.set(status, this.count(status) + 1)
      }
      await pause(pauseMs)
    }
    caller.close()
  }
}

/** On one connection, as long as it lasts. */
class Caller {
  readonly #port: number
  #wire: Wire | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** The status; 0 for an answer that never came, undefined if nobody takes the connection. */
  async ask(key: string): Promise<number | undefined> {
    if (this.#wire?.ended) this.#wire = undefined
    this.#wire ??= await Wire.open(this.#port).catch(() => undefined)
    if (this.#wire === undefined) return undefined
    const answer = await within(this.#wire.ask(requestOf('GET /v1/games', key)), 'a caller')
    // HAProxy closes after the answers that it makes itself.
    if (answer === undefined || answer.headers['connection'] === 'close') this.close()
    return answer?.status ?? 0
  }

  close(): void {
    this.#wire?.close()
    this.#wire = undefined
  }
}

/** A load of about half of what these callers could ask of the fleet at most. */
export async function halfLoad(options: Omit<LoadOptions, 'pauseMs'>): Promise<Load> {
  const full = new Load({ ...options, pauseMs: 0 })
  await pause(measuredMs)
  await full.stop()
  const answerMs = (measuredMs * options.callers) / full.count(200)
  return new Load({ ...options, pauseMs: answerMs })
}

/** Asks with one key until it is refused for good, or so often. Returns how many were let in. */
export async function useUp(port: number, key: string, requestsMax: number, refusalsMax = 3): Promise<number> {
  let [letIn, refused] = [0, 0]
  const caller = new Caller(port)
  for (let asked = 0; asked < requestsMax && refused < refusalsMax; asked++) {
    const status = await caller.ask(key)
    if (status === 200) letIn++
    else if (status === 429) {
      refused++
      // The rest of the others comes back.
      await pause(600)
    } else if (!status) await pause(20)
  }
  caller.close()
  return letIn
}
