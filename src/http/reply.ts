/**
 * Writes answers: status, headers, body. Each call into the library costs about as much as a whole look-up, and a string
 * handed to it is converted. So the status and the four headers are written by one call, as a status line that goes on
 * behind its end, from bytes that stand ready:
 *
 *   200 OK ⏎ ETag: … ⏎ X-RateLimit-Limit: 200 ⏎ X-RateLimit-Reset: … ⏎ Content-Type: … ⏎ X-RateLimit-Remaining: 99
 *   └─────────────── the same for a status, a plan, a day and a version ────────────────────────────────────┘ └┘
 *
 * Nothing that a request holds is ever part of it.
 */

import type { Gate } from '../accounts/gate.ts'
import type { Answer } from '../api/answers.ts'
import { retrySoonSeconds } from '../limits.ts'
import { jsonType } from './request.ts'
import type { HttpResponse } from './uws.ts'

/** What a caller is told of the quota. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds of the midnight that ends the day. */
  readonly resetAt: number
}

export interface ReplyOptions {
  /** A HEAD: all of a GET's answer but the body. */
  readonly head?: boolean
  readonly allow?: string
  /** Ends the connection: the rest of a body is not waited for. */
  readonly close?: boolean
  /** A 200 tells the version's tag. */
  readonly tagged?: boolean
}

const okStatus = '200 OK'
const withTag = (status: string, tag: string) => `${status}\r\nETag: ${tag}`

export class Replies {
  /** Each answer ends its connection: the server stops. */
  closing = false
  readonly #gate: Gate
  /** By the status, then by the plan's requests a day; of the version that answers and the day that ends at #resetAt. */
  readonly #starts = new Map<string, Map<number, Start>>()
  #resetAt = 0
  #tag = ''
  /** Statuses that go on with the tag. */
  #taggedOk = ''
  #unchanged = ''

  constructor(gate: Gate) {
    this.#gate = gate
  }

  /** Of the version that answers, as its header has it. An address has one answer in a version, so it names each. */
  get tag(): string {
    return this.#tag
  }

  /** Empty while there is none. */
  set version(version: string) {
    this.#tag = `"${version}"`
    this.#taggedOk = withTag(okStatus, this.#tag)
    this.#unchanged = withTag('304 Not Modified', this.#tag)
    this.#starts.clear()
  }

  /** @param rate undefined where the quota has no part in it */
  send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    const problem = answer instanceof Uint8Array ? undefined : answer
    const body = answer instanceof Uint8Array ? answer : answer.body
    const status = problem !== undefined ? problem.status : options.tagged === true ? this.#taggedOk : okStatus
    if (rate === undefined) res.writeStatus(status).writeHeader('Content-Type', jsonType)
    else res.writeStatus(this.#startOf(status, rate).with(rate.remaining))
    if (problem?.retry !== undefined) {
      res.writeHeader('Retry-After', String(problem.retry === 'soon' ? retrySoonSeconds : this.#gate.retryAfter()))
    }
    if (options.allow !== undefined) res.writeHeader('Allow', options.allow)
    if (options.head === true) res.writeHeader('Content-Length', String(body.length)).endWithoutBody()
    else if (options.close === true || this.closing) res.end(body, true)
    else res.end(body)
  }

  /** A 304, to who has the answer. */
  sendUnchanged(res: HttpResponse, rate: Rate): void {
    res.writeStatus(this.#startOf(this.#unchanged, rate).with(rate.remaining)).endWithoutBody()
  }

  /** A 204: it has no body, and so no type. */
  sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    res.writeStatus('204 No Content').writeHeader('Allow', allow)
    if (rate !== undefined) {
      res.writeHeader('X-RateLimit-Limit', String(rate.limit))
      res.writeHeader('X-RateLimit-Remaining', String(rate.remaining))
      res.writeHeader('X-RateLimit-Reset', String(rate.resetAt))
    }
    res.endWithoutBody()
  }

  #startOf(status: string, { limit, resetAt }: Rate): Start {
    if (resetAt !== this.#resetAt) {
      this.#starts.clear()
      this.#resetAt = resetAt
    }
    let byLimit = this.#starts.get(status)
    if (byLimit === undefined) {
      byLimit = new Map()
      this.#starts.set(status, byLimit)
    }
    let start = byLimit.get(limit)
    if (start === undefined) {
      start = new Start(status, limit, resetAt)
      byLimit.set(limit, start)
    }
    return start
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

  constructor(status: string, limit: number, resetAt: number) {
    const text = [
      status,
      `X-RateLimit-Limit: ${limit}`,
      `X-RateLimit-Reset: ${resetAt}`,
      `Content-Type: ${jsonType}`,
      'X-RateLimit-Remaining: ',
    ].join('\r\n')
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
