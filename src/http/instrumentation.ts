/**
 * Measures requests for metrics and the access log: the time from the call of the handler to the response. Each request
 * costs two readings of the clock and two writes to shared memory, and no call into the library.
 *
 *   around(handler)   a request begins ─┬─ response before the handler returns ────────────▶ answered(…)
 *                                       └─ suspend(), then a wait ─ resume(…) ─────────────▶ answered(…)
 *                                                  └─ the client disconnects: no response, not counted
 *
 * The first reading is also the accounts' clock. A timer measures the offset between the wall clock and the monotonic
 * one, so a change of the wall clock takes effect soon. Without metrics and access log, no request is measured.
 */
import type { Principal } from '../accounts/authenticator.ts'
import type { AnswerCounts } from '../api/answers.ts'
import { problemCodes, problemTable, statusOf } from '../api/problems.ts'
import type { AccessLog } from '../log/access.ts'
import {
  answersAt,
  bucketOf,
  otherNumber,
  routeLabels,
  routeNumber,
  statuses,
  type ThreadCounters,
} from '../metrics/thread-counters.ts'
import { planNames } from '../plans.ts'
import { type Handler, queryOf } from './request.ts'
import { noContent, notModified, okStatus } from './response-heads.ts'

/** How often the wall clock is compared with the monotonic clock. */
const wallClockLookMs = 50
const ok = statuses.indexOf(200)
const tooMany = statusOf('RATE_LIMIT_EXCEEDED')
/** The index in `statuses` of each status line. */
const statusIndexes = new Map(
  [okStatus, noContent, notModified, ...problemCodes.map((code) => problemTable[code].status)].map((line) => [
    line,
    statuses.indexOf(Number.parseInt(line, 10)),
  ]),
)

/** A request that gets its response later. */
export interface SuspendedRequest {
  readonly route: number
  /** When the request began, by performance.now(). */
  readonly startedAt: number
  readonly method: string
  readonly query: string
}

export class Instrumentation implements AnswerCounts {
  readonly cells: ThreadCounters
  readonly #log: AccessLog | undefined
  /** The current request. Its method and query are set only if the access log needs them. */
  #route = 0
  #startedAt = 0
  #method = ''
  #query = ''
  /** The wall clock minus the monotonic clock. */
  #aheadMs = 0

  /** @param clock returns ms since 1970, and may jump */
  constructor(cells: ThreadCounters, log: AccessLog | undefined, clock: () => number = Date.now) {
    this.cells = cells
    this.#log = log
    const follow = () => {
      this.#aheadMs = clock() - performance.now()
    }
    follow()
    setInterval(follow, wallClockLookMs).unref()
  }

  /** When the current request arrived, in ms since 1970, without another reading of the clock. */
  get arrivedAt(): number {
    return this.#startedAt + this.#aheadMs
  }

  get pages(): Float64Array {
    return this.cells.pages
  }

  searched(ms: number): void {
    this.cells.searches[bucketOf(ms)]!++
    this.cells.searchMs[0]! += ms
  }

  /**
   * Wraps a handler: records a request's start and its route. The handler must call `answered` or `suspend`.
   * @param pattern the pattern of the path; undefined for an unknown path
   */
  around(handler: Handler, pattern: string | undefined): Handler {
    const route = pattern === undefined ? otherNumber : routeNumber(pattern)
    const log = this.#log
    return (res, req) => {
      this.#startedAt = performance.now()
      this.#route = route
      if (log !== undefined) {
        this.#method = req.getCaseSensitiveMethod()
        if (log.logsQueries) this.#query = queryOf(req)
      }
      handler(res, req)
    }
  }

  /** Returns the current request. Pass it to `resume` before you send its response later. */
  suspend(): SuspendedRequest {
    return { route: this.#route, startedAt: this.#startedAt, method: this.#method, query: this.#query }
  }

  /** Makes a suspended request the current one. */
  resume({ route, startedAt, method, query }: SuspendedRequest): void {
    this.#route = route
    this.#startedAt = startedAt
    this.#method = method
    this.#query = query
  }

  /**
   * Records that the current request has its response.
   * @param bytes the length of the body
   * @param principal undefined if the request had no valid key
   */
  answered(statusLine: string, bytes: number, principal: Principal | undefined): void {
    const index = statusLine === okStatus ? ok : statusIndexes.get(statusLine)!
    const status = statuses[index]!
    const { cells } = this
    const ms = performance.now() - this.#startedAt
    cells.answers[answersAt(this.#route, index) + bucketOf(ms)]!++
    cells.answerMs[this.#route]! += ms
    if (status === tooMany && principal !== undefined) cells.quotaRefusals[planNames.indexOf(principal.plan)]!++
    const log = this.#log
    if (log?.selects(status)) {
      log.add({
        route: routeLabels[this.#route]!,
        method: this.#method,
        status,
        us: Math.round(ms * 1000),
        bytes,
        account: principal?.account ?? null,
        query: this.#query,
      })
    }
  }
}
