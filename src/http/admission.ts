/**
 * The first checks of a request. They read only its path, its method and its key:
 *
 *   a key?                     MISSING_API_KEY       ┐
 *   is the replica fresh?      SERVICE_UNAVAILABLE   │  (only with shared accounts)
 *   a valid key?               INVALID_API_KEY       │
 *   the account suspended?     ACCOUNT_SUSPENDED     │  does not count
 *   data, and not stopping?    SERVICE_UNAVAILABLE   │
 *   quota left?                RATE_LIMIT_EXCEEDED   ┘  or pending ─▶ resolve ─┐
 *   in the plan?               PLAN_RESTRICTION      ┐  counts one ◀───────────┘
 *   admitted                                         ┘
 *
 * An admission is pending if the server must ask the shared quota store. `resolve` waits for the store and continues
 * from there. If the store does not answer in time, the problem is SERVICE_UNAVAILABLE.
 */

import type { Authenticator, Principal } from '../accounts/authenticator.ts'
import type { Answerer } from '../api/answers.ts'
import { type Problem, type Problems, planRestriction } from '../api/problems.ts'
import type { ServedRoute } from '../api/route-row.ts'
import { formOf, planOf, rankOf } from '../api/routes.ts'
import { servedRoutes } from '../metrics/thread-counters.ts'
import { plans } from '../plans.ts'
import { refusal } from '../quota/quota.ts'
import type { ApiForm } from '../settings.ts'
import type { HttpRequest } from './connections/uws.ts'
import type { Instrumentation } from './instrumentation.ts'
import { keyOf } from './request.ts'
import type { Rate } from './response-heads.ts'

/** A route, with everything that depends on the API's form, A or B (the setting API_FORM). */
export interface Endpoint {
  readonly route: ServedRoute
  /** The route's index in `servedRoutes`. */
  readonly number: number
  readonly answer: Answerer
  readonly problems: Problems
  /** The rank of the lowest plan that includes the route. */
  readonly rank: number
  /** The response to an account of a lower plan. */
  readonly restriction: Problem
}

/** @param problems the problems in each form of the API */
export const endpointOf = (
  route: ServedRoute,
  served: ApiForm,
  answer: Answerer,
  problems: Readonly<Record<ApiForm, Problems>>,
): Endpoint => {
  const inForm = problems[formOf(route, served)]
  return {
    route,
    number: servedRoutes.indexOf(route),
    answer,
    problems: inForm,
    rank: rankOf(route, served),
    restriction: inForm.saying('PLAN_RESTRICTION', planRestriction(planOf(route, served))),
  }
}

/** The outcome of the checks. */
export interface Admission extends Rate {
  remaining: number
  /** Undefined if the key is missing or invalid. */
  readonly principal: Principal | undefined
  /** Undefined if the request is admitted. */
  readonly problem: Problem | undefined
  /** True if the server must ask the shared quota store before it can admit the request. */
  readonly pending: boolean
}

export class Admissions {
  readonly #authenticator: Authenticator
  readonly #instrumentation: Instrumentation | undefined

  constructor(authenticator: Authenticator, instrumentation: Instrumentation | undefined) {
    this.#authenticator = authenticator
    this.#instrumentation = instrumentation
  }

  /** When the current request arrived, in ms since 1970. */
  get #arrivedAt(): number {
    return this.#instrumentation?.arrivedAt ?? this.#authenticator.now()
  }

  /**
   * Checks a request, and counts it if the quota allows.
   * @param serving true if there is data and the server is not stopping
   */
  admit(endpoint: Endpoint, req: HttpRequest, serving: boolean): Admission {
    const { problems } = endpoint
    const now = this.#arrivedAt
    const key = keyOf(req)
    const principal = key === '' ? undefined : this.#authenticator.identify(key, now)
    if (principal === undefined) {
      if (key !== '' && !this.#authenticator.isFresh) {
        return this.#rejected(problems.of('SERVICE_UNAVAILABLE'), undefined, now)
      }
      this.#authenticator.countRefusal(key === '' ? 'missing' : undefined)
      return this.#rejected(problems.of(key === '' ? 'MISSING_API_KEY' : 'INVALID_API_KEY'), undefined, now)
    }
    if (principal.isSuspended) return this.#rejected(problems.of('ACCOUNT_SUSPENDED'), principal, now)
    if (!serving) return this.#rejected(problems.of('SERVICE_UNAVAILABLE'), principal, now)
    return admitted(endpoint, principal, this.#authenticator.take(principal, now), this.#authenticator.resetAt(now))
  }

  /** Resolves a pending admission. Waits for the quota store, for a bounded time. */
  async resolve(endpoint: Endpoint, principal: Principal): Promise<Admission> {
    const { left, at } = await this.#authenticator.resolve(principal)
    return admitted(endpoint, principal, left, this.#authenticator.resetAt(at))
  }

  /** Refunds a request that ended in a 5xx or without a response, if it was counted. */
  refund(admission: Admission): void {
    const { principal, problem, pending } = admission
    // A problem with Retry-After was not counted.
    if (principal === undefined || principal.isSuspended || pending || problem?.retry !== undefined) return
    this.#authenticator.refund(principal, admission.resetAt)
    admission.remaining++
  }

  /** Rejects a request that still waits when the server stops, and refunds it if it was counted. */
  giveUp({ problems }: Endpoint, admission: Admission): Admission {
    this.refund(admission)
    return this.#rejected(problems.of('SERVICE_UNAVAILABLE'), admission.principal, this.#authenticator.now())
  }

  /** The current quota, for responses that are not counted. */
  rateOf(req: HttpRequest): Rate {
    const now = this.#arrivedAt
    const key = keyOf(req)
    return this.#rate(key === '' ? undefined : this.#authenticator.identify(key, now), now)
  }

  /** The quota that a response shows if the request has no valid key, or if the key can't be looked up. */
  anonymousRate(): Rate {
    return this.#rate(undefined, this.#authenticator.now())
  }

  #rejected(problem: Problem, principal: Principal | undefined, now: number): Admission {
    // Copies field by field: a spread takes two microseconds.
    const { limit, remaining, resetAt } = this.#rate(principal, now)
    return { limit, remaining, resetAt, principal, problem, pending: false }
  }

  #rate(principal: Principal | undefined, now: number): Rate {
    const resetAt = this.#authenticator.resetAt(now)
    return principal === undefined
      ? { limit: 0, remaining: 0, resetAt }
      : { limit: principal.limit, remaining: this.#authenticator.remaining(principal, now), resetAt }
  }
}

/** @param taken the number of requests left, or a `refusal` of the authenticator */
function admitted(
  { problems, rank, restriction }: Endpoint,
  principal: Principal,
  taken: number,
  resetAt: number,
): Admission {
  const problem =
    taken === refusal.exhausted
      ? problems.of('RATE_LIMIT_EXCEEDED')
      : taken === refusal.unavailable
        ? problems.of('SERVICE_UNAVAILABLE')
        : rank > 0 && plans[principal.plan].rank < rank
          ? restriction
          : undefined
  return {
    limit: principal.limit,
    remaining: Math.max(taken, 0),
    resetAt,
    principal,
    problem,
    pending: taken === refusal.pending,
  }
}
