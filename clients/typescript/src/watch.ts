/** Timeouts and cancellation for fetch and streams. */
import { CardPricesError, networkError } from './errors.ts'

/**
 * Waits for the steps of one request. A wait ends with the step's result, at its timeout, or by the caller's signal.
 */
export class Watch {
  readonly #controller = new AbortController()
  readonly #signal: AbortSignal | undefined
  readonly #timeoutMs: number
  readonly #server: string
  readonly end = (): void => this.#controller.abort()

  constructor(signal: AbortSignal | undefined, timeoutMs: number, server: string) {
    this.#signal = signal
    this.#timeoutMs = timeoutMs
    this.#server = server
  }

  async wait<Result>(start: (ended: AbortSignal) => Promise<Result>): Promise<Result> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.end()
    }, this.#timeoutMs)
    this.#signal?.addEventListener('abort', this.end)
    try {
      this.#signal?.throwIfAborted()
      return await start(this.#controller.signal)
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (error instanceof CardPricesError) throw error
      if (isLate) throw networkError('TIMEOUT', `${this.#server} did not answer within ${this.#timeoutMs} ms`)
      throw networkError('CONNECTION_FAILED', `the connection to ${this.#server} failed${reasonOf(error)}`)
    } finally {
      clearTimeout(timer)
      this.#signal?.removeEventListener('abort', this.end)
    }
  }
}

/** Returns only the error's code, because its message and fields may quote headers. */
function reasonOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } }
  const reason = cause?.code ?? code
  return typeof reason === 'string' ? `: ${reason}` : ''
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
