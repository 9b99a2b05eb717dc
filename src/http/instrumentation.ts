/**
 * Counts answers where they are handed over, with the time since the first byte of their request was handled: on the way of
 * a request there are two readings of a clock and two cells of shared memory, and no call into the library.
 *
 *   around(handler)   a request begins ─┬─ answered before its handler returns ──────────────▶ answered(…)
 *                                       └─ kept, as long as it waits ─ resumed with its wait ─▶ answered(…)
 *                                                  └─ its client leaves: it has no answer, and is not counted
 *
 * The first reading tells the accounts the time, too: what the wall clock is ahead of the steady one is looked at beside, so
 * one that is set is followed within a moment. Where nobody counts there is no meter, and nothing of it is registered.
 */
import type { Authenticator, Principal } from '../accounts/authenticator.ts'
import type { Answer, AnswerCounts } from '../api/answers.ts'
import { problemCodes, problemTable, statusOf } from '../api/problems.ts'
import { wallClockLookMs } from '../limits.ts'
import type { AccessLog } from '../log/access.ts'
import {
  answersAt,
  bucketOf,
  type Cells,
  otherNumber,
  routeLabels,
  routeNumber,
  statuses,
} from '../metrics/counters.ts'
import { planNames } from '../plans.ts'
import type { Handler } from './error-boundary.ts'
import { Replies, type ReplyOptions } from './reply.ts'
import { queryOf } from './request.ts'
import type { Rate } from './response-heads.ts'
import type { HttpResponse } from './uws.ts'

/** A request without an answer. */
export interface Begun {
  readonly route: number
  /** As performance.now() has it. */
  readonly startedAt: number
  readonly method: string
  readonly query: string
}

/** Places in `statuses`. */
const ok = statuses.indexOf(200)
const noContent = statuses.indexOf(204)
const notModified = statuses.indexOf(304)
const tooMany = statuses.indexOf(statusOf('RATE_LIMIT_EXCEEDED'))
/** By a problem's status line. */
const placeOf = new Map<string, number>(
  problemCodes.map((code) => [problemTable[code].status, statuses.indexOf(statusOf(code))]),
)

export class Instrumentation implements AnswerCounts {
  readonly cells: Cells
  readonly #log: AccessLog | undefined
  /** Of the request that is being handled. The method and the query are known only as far as the log tells them. */
  #route = 0
  #startedAt = 0
  #method = ''
  #query = ''
  /** What the wall clock is ahead of the steady one. */
  #aheadMs = 0

  /** @param clock ms since 1970; it may be set */
  constructor(cells: Cells, log: AccessLog | undefined, clock: () => number = Date.now) {
    this.cells = cells
    this.#log = log
    const follow = () => {
      this.#aheadMs = clock() - performance.now()
    }
    follow()
    setInterval(follow, wallClockLookMs).unref()
  }

  /** When the request that is being handled came, in ms since 1970: nobody needs to read the clock for it once more. */
  get cameAt(): number {
    return this.#startedAt + this.#aheadMs
  }

  /** The replies of the answers that it counts. */
  replies(gate: Authenticator): Replies {
    return new InstrumentedReplies(gate, this)
  }

  get pages(): Float64Array {
    return this.cells.pages
  }

  /** A search took so long. */
  searched(ms: number): void {
    this.cells.searches[bucketOf(ms)]!++
    this.cells.searchMs[0]! += ms
  }

  /** @param pattern of the path, undefined if none has it */
  around(handler: Handler, pattern: string | undefined): Handler {
    const route = pattern === undefined ? otherNumber : routeNumber(pattern)
    if (this.#log === undefined) {
      return (res, req) => {
        this.#startedAt = performance.now()
        this.#route = route
        handler(res, req)
      }
    }
    const { tellsQueries } = this.#log
    return (res, req) => {
      this.#startedAt = performance.now()
      this.#route = route
      this.#method = req.getCaseSensitiveMethod()
      if (tellsQueries) this.#query = queryOf(req)
      handler(res, req)
    }
  }

  /** What must be resumed before the request that is being handled is answered later. */
  keep(): Begun {
    return { route: this.#route, startedAt: this.#startedAt, method: this.#method, query: this.#query }
  }

  /** What is answered next is this one. */
  resume({ route, startedAt, method, query }: Begun): void {
    this.#route = route
    this.#startedAt = startedAt
    this.#method = method
    this.#query = query
  }

  /**
   * @param status its place in `statuses`
   * @param bytes of its body
   * @param access undefined where no key was found to be good
   */
  answered(status: number, bytes: number, access: Principal | undefined): void {
    const { cells } = this
    const now = performance.now()
    const ms = now - this.#startedAt
    cells.answers[answersAt(this.#route, status) + bucketOf(ms)]!++
    cells.answerMs[this.#route]! += ms
    if (status === tooMany && access !== undefined) cells.quotaRefusals[planNames.indexOf(access.plan)]!++
    const log = this.#log
    if (log?.takes(statuses[status]!)) {
      log.add(now, {
        route: routeLabels[this.#route]!,
        method: this.#method,
        status: statuses[status]!,
        us: Math.round(ms * 1000),
        bytes,
        account: access?.account ?? null,
        query: this.#query,
      })
    }
  }
}

/** Replies that are counted. */
export class InstrumentedReplies extends Replies {
  readonly #meter: Instrumentation

  constructor(gate: Authenticator, meter: Instrumentation) {
    super(gate)
    this.#meter = meter
  }

  override send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    super.send(res, answer, rate, options)
    const isOk = answer instanceof Uint8Array
    const body = isOk ? answer : answer.body
    const status = isOk ? ok : placeOf.get(answer.status)!
    this.#meter.answered(status, options.head === true ? 0 : body.length, rate?.access)
  }

  override sendUnchanged(res: HttpResponse, rate: Rate): void {
    super.sendUnchanged(res, rate)
    this.#meter.answered(notModified, 0, rate.access)
  }

  override sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    super.sendOptions(res, rate, allow)
    this.#meter.answered(noContent, 0, rate?.access)
  }
}
