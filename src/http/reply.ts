/**
 * Writes answers: status, headers, body. Each call into the library costs about as much as a whole look-up, so the four
 * headers of an answer are written by one call, as one text that names the other three in its value:
 *
 *   X-RateLimit-Remaining: 99 ⏎ X-RateLimit-Limit: 200 ⏎ X-RateLimit-Reset: 1795305600 ⏎ Content-Type: application/json
 *                          └┘ └──────────────── the tail, the same for a plan's whole day ────────────────────────────┘
 *
 * Nothing that a request holds is ever part of it.
 */
import type { HttpResponse } from 'uWebSockets.js'
import type { Gate } from '../accounts/gate.ts'
import type { Problem, Problems } from './problems.ts'
import type { Answer } from './routes.ts'

/** What a caller is told of the quota. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
}

export interface ReplyOptions {
  /** A HEAD: all of a GET's answer but the body. */
  readonly head?: boolean
  readonly allow?: string
  /** Ends the connection: the rest of a body is not waited for. */
  readonly close?: boolean
}

const unavailableRetrySeconds = 1
const jsonType = 'application/json'

export class Replies {
  readonly #gate: Gate
  readonly #unavailable: Problem
  readonly #exhausted: Problem
  /** By the plan's requests a day; of the day that ends at #tailsReset. */
  readonly #tails = new Map<number, string>()
  #tailsReset = 0

  constructor(gate: Gate, problems: Problems) {
    this.#gate = gate
    this.#unavailable = problems.of('SERVICE_UNAVAILABLE')
    this.#exhausted = problems.of('RATE_LIMIT_EXCEEDED')
  }

  /** @param rate undefined where the quota has no part in it */
  send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    const body = answer instanceof Uint8Array ? answer : this.#startProblem(res, answer)
    if (options.allow !== undefined) res.writeHeader('Allow', options.allow)
    if (rate === undefined) res.writeHeader('Content-Type', jsonType)
    else res.writeHeader('X-RateLimit-Remaining', rate.remaining + this.#tail(rate.limit))
    if (options.head === true) res.writeHeader('Content-Length', String(body.length)).endWithoutBody()
    else if (options.close === true) res.end(body, true)
    else res.end(body)
  }

  /** A 204: it has no body, and so no type. */
  sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    res.writeStatus('204 No Content').writeHeader('Allow', allow)
    if (rate !== undefined) {
      res.writeHeader('X-RateLimit-Limit', String(rate.limit))
      res.writeHeader('X-RateLimit-Remaining', String(rate.remaining))
      res.writeHeader('X-RateLimit-Reset', String(this.#gate.resetAt()))
    }
    res.endWithoutBody()
  }

  #startProblem(res: HttpResponse, problem: Problem): Uint8Array {
    res.writeStatus(problem.status)
    if (problem === this.#unavailable) res.writeHeader('Retry-After', String(unavailableRetrySeconds))
    if (problem === this.#exhausted) res.writeHeader('Retry-After', String(this.#gate.retryAfter()))
    return problem.body
  }

  #tail(limit: number): string {
    const reset = this.#gate.resetAt()
    if (reset !== this.#tailsReset) {
      this.#tails.clear()
      this.#tailsReset = reset
    }
    let tail = this.#tails.get(limit)
    if (tail === undefined) {
      tail = `\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Reset: ${reset}\r\nContent-Type: ${jsonType}`
      this.#tails.set(limit, tail)
    }
    return tail
  }
}
