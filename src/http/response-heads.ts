/**
 * Response heads: a status line and headers as prepared bytes. One call writes a head as a status "line" that contains
 * the line breaks:
 *
 *   200 OK ⏎ ETag: … ⏎ X-RateLimit-Limit: 200 ⏎ X-RateLimit-Reset: … ⏎ Cache-Control: … ⏎ … X-RateLimit-Remaining: 99
 *   └──────────── the same for a status, a plan, a day and a version ───────────────────────────────────────────┘ └┘
 */

import type { Principal } from '../accounts/authenticator.ts'

/** The quota that response headers report. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** The end of the day (UTC), in seconds since 1970. */
  readonly resetAt: number
  /** Undefined without a valid key. */
  readonly principal?: Principal | undefined
}

/** The status lines of successful responses. */
export const okStatus = '200 OK'
export const noContent = '204 No Content'
export const notModified = '304 Not Modified'

const lineEnd = '\r\n'

/**
 * A shared cache must not give one account's response to another account, and an error must not be cached beyond its
 * cause.
 */
const cachingOf = (status: string): string => `Cache-Control: ${/^(200|304) /.test(status) ? 'private' : 'no-store'}`

/** The heads of all responses with the same media type. */
export class ResponseHeads {
  readonly #headers: readonly string[]
  /** The heads for the day that ends at #resetAt: by status, then by the plan's requests per day. */
  readonly #heads = new Map<string, Map<number, ResponseHead>>()
  /** The heads without quota headers, by status. */
  readonly #bare = new Map<string, Uint8Array>()
  #resetAt = 0

  /** @param type undefined for responses without a body @param encoding undefined if there is none */
  constructor(type: string | undefined, encoding?: string) {
    const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
    this.#headers = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    )
  }

  /** @param status the status line, which may have further header lines after it */
  of(status: string, { limit, resetAt }: Rate): ResponseHead {
    if (resetAt !== this.#resetAt) {
      this.clear()
      this.#resetAt = resetAt
    }
    let byLimit = this.#heads.get(status)
    if (byLimit === undefined) {
      byLimit = new Map()
      this.#heads.set(status, byLimit)
    }
    let head = byLimit.get(limit)
    if (head === undefined) {
      head = new ResponseHead(status, limit, resetAt, this.#headers)
      byLimit.set(limit, head)
    }
    return head
  }

  /** The head without quota headers. */
  bare(status: string): Uint8Array {
    let head = this.#bare.get(status)
    if (head === undefined) {
      head = Buffer.from([status, cachingOf(status), ...this.#headers].join(lineEnd))
      this.#bare.set(status, head)
    }
    return head
  }

  /** Drops all heads, because the maps would otherwise grow with every day and version. */
  clear(): void {
    this.#heads.clear()
    this.#bare.clear()
  }
}

const digitsMax = 10
const digit0 = 0x30

/** The head of all responses with the same status, plan and day. */
class ResponseHead {
  readonly #bytes: Uint8Array
  readonly #digitsAt: number
  /** The whole head, by the number of digits of the remaining requests. */
  readonly #upTo: readonly Uint8Array[]

  constructor(status: string, limit: number, resetAt: number, headers: readonly string[]) {
    const lines = [
      status,
      `X-RateLimit-Limit: ${limit}`,
      `X-RateLimit-Reset: ${resetAt}`,
      cachingOf(status),
      ...headers,
      'X-RateLimit-Remaining: ',
    ]
    const text = lines.join(lineEnd)
    this.#bytes = Buffer.from(text + '0'.repeat(digitsMax))
    this.#digitsAt = text.length
    this.#upTo = Array.from({ length: digitsMax + 1 }, (_, digits) => this.#bytes.subarray(0, text.length + digits))
  }

  /**
   * The head for this number of requests, valid until the next call.
   * @param remaining a whole number of at most ten digits
   */
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
