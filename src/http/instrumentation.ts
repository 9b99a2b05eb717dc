/**
 * Replies that measure requests, for metrics and the access log: the time from the call of the handler to the response. It costs a
 * request two readings of the clock and two writes to shared memory, and no call into the library.
 *
 *   around(handler)   a request begins ─┬─ response before the handler returns ────────────▶ #answered(…)
 *                                       └─ suspend(), then a wait ─ resume(…) ─────────────▶ #answered(…)
 *                                                  └─ the client disconnects: no response, not counted
 *
 * The first reading is also the accounts' clock. A timer measures the offset between the wall clock and the monotonic one,
 * so a wall clock that is set takes effect soon. Without metrics and access log there is no instrumentation at all.
 */
import type { Authenticator, Principal } from '../accounts/authenticator.ts'
import { type Answer, type AnswerCounts, isBody } from '../api/answers.ts'
import { problemCodes, problemTable, statusOf } from '../api/problems.ts'
import { wallClockLookMs } from '../limits.ts'
import type { AccessLog } from '../log/access.ts'
import {
  answersAt,
  bucketOf,
  otherNumber,
  routeLabels,
  routeNumber,
  statuses,
  type ThreadCounters,
} from '../metrics/counters.ts'
import { planNames } from '../plans.ts'
import type { HttpResponse } from './connections/uws.ts'
import { Replies, type ReplyOptions, type SuspendedRequest } from './reply.ts'
import { type Handler, queryOf } from './request.ts'
import type { Rate } from './response-heads.ts'

/** Indexes in `statuses`. */
const ok = statuses.indexOf(200)
const noContent = statuses.indexOf(204)
const notModified = statuses.indexOf(304)
const tooMany = statuses.indexOf(statusOf('RATE_LIMIT_EXCEEDED'))
/** Index in `statuses` by a problem's status line. */
const statusIndexes = new Map<string, number>(
  problemCodes.map((code) => [problemTable[code].status, statuses.indexOf(statusOf(code))]),
)

export class Instrumentation extends Replies implements AnswerCounts {
  readonly cells: ThreadCounters
  readonly #log: AccessLog | undefined
  /** The current request. Its method and query are set only if the access log needs them. */
  #route = 0
  #startedAt = 0
  #method = ''
  #query = ''
  /** Wall clock minus monotonic clock. */
  #aheadMs = 0

  /** @param clock ms since 1970; may jump */
  constructor(
    authenticator: Authenticator,
    cells: ThreadCounters,
    log: AccessLog | undefined,
    clock: () => number = Date.now,
  ) {
    super(authenticator)
    this.cells = cells
    this.#log = log
    const follow = () => {
      this.#aheadMs = clock() - performance.now()
    }
    follow()
    setInterval(follow, wallClockLookMs).unref()
  }

  /** Without another reading of the clock. */
  override get arrivedAt(): number {
    return this.#startedAt + this.#aheadMs
  }

  get pages(): Float64Array {
    return this.cells.pages
  }

  searched(ms: number): void {
    this.cells.searches[bucketOf(ms)]!++
    this.cells.searchMs[0]! += ms
  }

  override around(handler: Handler, pattern: string | undefined): Handler {
    const route = pattern === undefined ? otherNumber : routeNumber(pattern)
    if (this.#log === undefined) {
      return (res, req) => {
        this.#startedAt = performance.now()
        this.#route = route
        handler(res, req)
      }
    }
    const { logsQueries } = this.#log
    return (res, req) => {
      this.#startedAt = performance.now()
      this.#route = route
      this.#method = req.getCaseSensitiveMethod()
      if (logsQueries) this.#query = queryOf(req)
      handler(res, req)
    }
  }

  override suspend(): SuspendedRequest {
    return { route: this.#route, startedAt: this.#startedAt, method: this.#method, query: this.#query }
  }

  override resume({ route, startedAt, method, query }: SuspendedRequest): void {
    this.#route = route
    this.#startedAt = startedAt
    this.#method = method
    this.#query = query
  }

  override send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    super.send(res, answer, rate, options)
    const body = answer instanceof Uint8Array ? answer : answer.body
    const status = isBody(answer) ? ok : statusIndexes.get(answer.status)!
    this.#answered(status, options.head === true ? 0 : body.length, rate?.principal)
  }

  override sendNotModified(res: HttpResponse, rate: Rate): void {
    super.sendNotModified(res, rate)
    this.#answered(notModified, 0, rate.principal)
  }

  override sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    super.sendOptions(res, rate, allow)
    this.#answered(noContent, 0, rate?.principal)
  }

  /**
   * @param status its index in `statuses`
   * @param bytes length of the body
   * @param principal undefined without a valid key
   */
  #answered(status: number, bytes: number, principal: Principal | undefined): void {
    const { cells } = this
    const now = performance.now()
    const ms = now - this.#startedAt
    cells.answers[answersAt(this.#route, status) + bucketOf(ms)]!++
    cells.answerMs[this.#route]! += ms
    if (status === tooMany && principal !== undefined) cells.quotaRefusals[planNames.indexOf(principal.plan)]!++
    const log = this.#log
    if (log?.selects(statuses[status]!)) {
      log.add(now, {
        route: routeLabels[this.#route]!,
        method: this.#method,
        status: statuses[status]!,
        us: Math.round(ms * 1000),
        bytes,
        account: principal?.account ?? null,
        query: this.#query,
      })
    }
  }
}
