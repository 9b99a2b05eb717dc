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

  async #call(caller: number): Promise<void> {
    const { port, keys, pauseMs } = this.#options
    let wire: Wire | undefined
    for (let asked = caller; !this.#done; asked++) {
      if (wire?.ended) wire = undefined
      wire ??= await Wire.open(port).catch(() => undefined)
      if (wire !== undefined && !this.#held) {
        this.#asking++
        const request = requestOf('GET /v1/games', keys[asked % keys.length]!)
        const answer = await within(wire.ask(request), `caller ${caller}`).finally(() => this.#asking--)
        const status = answer?.status ?? 0
        this.heard.set(status, this.count(status) + 1)
        // HAProxy closes after the answers that it makes itself.
        if (answer === undefined || wire.ended || answer.headers['connection'] === 'close') {
          wire.close()
          wire = undefined
        }
      }
      await pause(pauseMs)
    }
    wire?.close()
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
  let wire: Wire | undefined
  for (let asked = 0; asked < requestsMax && refused < refusalsMax; asked++) {
    wire ??= await Wire.open(port).catch(() => undefined)
    const answer = wire && (await within(wire.ask(requestOf('GET /v1/games', key)), 'using up a quota'))
    if (answer?.status === 200) letIn++
    if (answer?.status === 429) {
      refused++
      // The rest of the others comes back.
      await pause(600)
    }
    if (answer === undefined || wire?.ended || answer.headers['connection'] === 'close') {
      wire?.close()
      wire = undefined
      await pause(20)
    }
  }
  wire?.close()
  return letIn
}
