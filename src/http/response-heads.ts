/**
 * The heads of responses: status line and headers as prepared bytes, written by one call as a status "line" that contains
 * the line breaks:
 *
 *   200 OK ⏎ ETag: … ⏎ X-RateLimit-Limit: 200 ⏎ X-RateLimit-Reset: … ⏎ Cache-Control: … ⏎ Content-Type: … ⏎ X-RateLimit-Remaining: 99
 *   └─────────────── the same for a status, a plan, a day and a version ──────────────────────────────────────────────────────┘ └┘
 */

import type { Principal } from '../accounts/authenticator.ts'

/** The quota as response headers report it. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds of the midnight that ends the day. */
  readonly resetAt: number
  /** Undefined without a valid key. */
  readonly principal?: Principal | undefined
}

/** Status lines of responses that are no problem. */
export const okStatus = '200 OK'
export const noContent = '204 No Content'
export const notModified = '304 Not Modified'

const lineEnd = '\r\n'

/** A shared cache must not give one account's answers to another, nor may an error outlive its cause. */
const cachingOf = (status: string): string => `Cache-Control: ${/^(200|304) /.test(status) ? 'private' : 'no-store'}`

/** The heads of all responses with the same media type. */
export class ResponseHeads {
  readonly #headers: readonly string[]
  /** By status, then by the plan's requests a day, for the day that ends at #resetAt. */
  readonly #heads = new Map<string, Map<number, ResponseHead>>()
  /** By status, without quota headers. */
  readonly #bare = new Map<string, Uint8Array>()
  #resetAt = 0

  /**
   * @param type undefined for responses without a body
   * @param encoding undefined if there is none
   */
  constructor(type: string | undefined, encoding?: string) {
    const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
    this.#headers = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    )
  }

  /** @param status the status line, which may be followed by headers */
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

  /** The same without quota headers. */
  bare(status: string): Uint8Array {
    let head = this.#bare.get(status)
    if (head === undefined) {
      head = Buffer.from([status, cachingOf(status), ...this.#headers].join(lineEnd))
      this.#bare.set(status, head)
    }
    return head
  }

  /** Drops all heads. Otherwise the maps would grow with every day and version. */
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
  /** The bytes of the whole head, by how many digits the number of remaining requests has. */
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
