/**
 * How answers begin: the status and the four headers, written by one call, as a status line that goes on behind its end,
 * from bytes that stand ready:
 *
 *   200 OK ⏎ ETag: … ⏎ X-RateLimit-Limit: 200 ⏎ X-RateLimit-Reset: … ⏎ Content-Type: … ⏎ X-RateLimit-Remaining: 99
 *   └─────────────── the same for a status, a plan, a day and a version ────────────────────────────────────┘ └┘
 */

import type { Principal } from '../accounts/authenticator.ts'

/** What a caller is told of the quota. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds of the midnight that ends the day. */
  readonly resetAt: number
  /** Whose it is, where a key was found to be good. */
  readonly access?: Principal | undefined
}

const lineEnd = '\r\n'

/** Those of all answers with the same type. */
export class ResponseHeads {
  readonly #headers: readonly string[]
  /** By the status, then by the plan's requests a day; of the day that ends at #resetAt. */
  readonly #starts = new Map<string, Map<number, Start>>()
  /** By the status, of answers that the quota has no part in. */
  readonly #bare = new Map<string, Uint8Array>()
  #resetAt = 0

  /**
   * @param type undefined of answers without a body
   * @param encoding undefined if there is none
   */
  constructor(type: string | undefined, encoding?: string) {
    const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
    this.#headers = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    )
  }

  /** @param status with the headers that go with it, if there are any */
  of(status: string, { limit, resetAt }: Rate): Start {
    if (resetAt !== this.#resetAt) {
      this.forget()
      this.#resetAt = resetAt
    }
    let byLimit = this.#starts.get(status)
    if (byLimit === undefined) {
      byLimit = new Map()
      this.#starts.set(status, byLimit)
    }
    let start = byLimit.get(limit)
    if (start === undefined) {
      start = new Start(status, limit, resetAt, this.#headers)
      byLimit.set(limit, start)
    }
    return start
  }

  /** The same without a word of the quota. */
  bare(status: string): Uint8Array {
    let start = this.#bare.get(status)
    if (start === undefined) {
      start = Buffer.from([status, ...this.#headers].join(lineEnd))
      this.#bare.set(status, start)
    }
    return start
  }

  /** What is no longer asked for must not be kept. */
  forget(): void {
    this.#starts.clear()
    this.#bare.clear()
  }
}

const digitsMax = 10
const digit0 = 0x30

/** The status and the headers, for one status, plan and day. */
class Start {
  readonly #bytes: Uint8Array
  readonly #digitsAt: number
  /** Up to and with so many digits of what remains. */
  readonly #upTo: readonly Uint8Array[]

  constructor(status: string, limit: number, resetAt: number, headers: readonly string[]) {
    const lines = [
      status,
      `X-RateLimit-Limit: ${limit}`,
      `X-RateLimit-Reset: ${resetAt}`,
      ...headers,
      'X-RateLimit-Remaining: ',
    ]
    const text = lines.join(lineEnd)
    this.#bytes = Buffer.from(text + '0'.repeat(digitsMax))
    this.#digitsAt = text.length
    this.#upTo = Array.from({ length: digitsMax + 1 }, (_, digits) => this.#bytes.subarray(0, text.length + digits))
  }

  /** Good until the next call. @param remaining a whole number of at most ten digits */
  with(remaining: number): Uint8Array {
    let digits = 1
    for (let above = 10; above <= remaining; above *= 10) digits++
    let rest = remaining
    for (let at = this.#digitsAt + digits - 1; at >= this.#digitsAt; at--) {
      this.#bytes[at] = digit0 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    return this.#upTo[digits]!
  }
}
