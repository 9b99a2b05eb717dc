/**
 * The checks that come before anything of a request but its path and method is looked at, in their order:
 *
 *   a key?                     MISSING_API_KEY       ┐
 *   are accounts known?        SERVICE_UNAVAILABLE   │  (always, but where servers share them)
 *   a good one?                INVALID_API_KEY       │
 *   its account suspended?     ACCOUNT_SUSPENDED     │  counts nothing
 *   data, and not stopping?    SERVICE_UNAVAILABLE   │
 *   quota left?                RATE_LIMIT_EXCEEDED   ┘  or unsettled ─▶ settle ─┐
 *   in the plan?               PLAN_RESTRICTION      ┐  counts one ◀────────────┘
 *   admitted                                         ┘
 *
 * An admission is unsettled where the shared quota store must be asked what is left: `settle` waits for it, within a bound
 * (then it is SERVICE_UNAVAILABLE), and goes on from there.
 */

import type { Authenticator, Principal } from '../accounts/authenticator.ts'
import type { Problem } from '../api/problems.ts'
import { plans } from '../plans.ts'
import { refusal } from '../quota/quota.ts'
import type { Endpoint } from './endpoint.ts'
import { keyOf } from './request.ts'
import type { Rate } from './response-heads.ts'
import type { HttpRequest } from './uws.ts'

/** The outcome of the checks. */
export interface Admission extends Rate {
  remaining: number
  /** Undefined where the key is wrong. */
  readonly access: Principal | undefined
  /** Set where the request is refused. */
  readonly problem: Problem | undefined
  /** The shared quota store is being asked: whether the request is refused is known a moment later. */
  readonly unsettled: boolean
}

export class Admissions {
  readonly #gate: Authenticator
  readonly #clock: () => number

  /** @param clock ms since 1970, when the request that is being handled came */
  constructor(gate: Authenticator, clock: () => number = () => gate.now()) {
    this.#gate = gate
    this.#clock = clock
  }

  /**
   * A request that passes the quota is counted.
   * @param serving there is data, and the server is not stopping
   */
  admit(endpoint: Endpoint, req: HttpRequest, serving: boolean): Admission {
    const { problems } = endpoint
    const now = this.#clock()
    const key = keyOf(req)
    const access = key === '' ? undefined : this.#gate.identify(key, now)
    if (access === undefined) {
      if (key !== '' && !this.#gate.isTrusted) {
        return refused(problems.of('SERVICE_UNAVAILABLE'), access, this.#rate(access, now))
      }
      this.#gate.countRefusal(key === '' ? 'missing' : undefined)
      return refused(problems.of(key === '' ? 'MISSING_API_KEY' : 'INVALID_API_KEY'), access, this.#rate(access, now))
    }
    if (access.isSuspended) return refused(problems.of('ACCOUNT_SUSPENDED'), access, this.#rate(access, now))
    if (!serving) return refused(problems.of('SERVICE_UNAVAILABLE'), access, this.#rate(access, now))
    return admitted(endpoint, access, this.#gate.take(access, now), this.#gate.resetAt(now))
  }

  /** What becomes of an unsettled one. The quota store is waited for, within a bound. */
  async resolve(endpoint: Endpoint, access: Principal): Promise<Admission> {
    const { left, at } = await this.#gate.resolve(access)
    return admitted(endpoint, access, left, this.#gate.resetAt(at))
  }

  /** What an answer of 5xx, or none, must not cost; the admission tells so. */
  refund(admission: Admission): void {
    const { access, problem, unsettled } = admission
    // Those that tell when to try again are the ones that were not counted.
    if (access === undefined || access.isSuspended || unsettled || problem?.retry !== undefined) return
    this.#gate.refund(access, admission.resetAt)
    admission.remaining++
  }

  /** The refusal of an admitted request that can't be waited for any longer. */
  giveUp({ problems }: Endpoint, admission: Admission): Admission {
    this.refund(admission)
    const { access } = admission
    return refused(problems.of('SERVICE_UNAVAILABLE'), access, this.#rate(access, this.#gate.now()))
  }

  /** The quota as it stands, for answers that do not count. */
  rateOf(req: HttpRequest): Rate {
    const now = this.#clock()
    const key = keyOf(req)
    return this.#rate(key === '' ? undefined : this.#gate.identify(key, now), now)
  }

  /** For whoever asks without a valid key, or where it can't be looked up. */
  rateOfNobody(): Rate {
    return this.#rate(undefined, this.#gate.now())
  }

  #rate(access: Principal | undefined, now: number): Rate {
    const resetAt = this.#gate.resetAt(now)
    return access === undefined
      ? { limit: 0, remaining: 0, resetAt }
      : { limit: access.limit, remaining: this.#gate.remaining(access, now), resetAt }
  }
}

/** Field by field: spreading the rate takes two microseconds. */
function refused(problem: Problem, access: Principal | undefined, { limit, remaining, resetAt }: Rate): Admission {
  return { limit, remaining, resetAt, access, problem, unsettled: false }
}

/** @param taken what the gate gave: what is left of the quota, or its refusal */
function admitted(
  { problems, rank, restriction }: Endpoint,
  access: Principal,
  taken: number,
  resetAt: number,
): Admission {
  const problem =
    taken === refusal.exhausted
      ? problems.of('RATE_LIMIT_EXCEEDED')
      : taken === refusal.unavailable
        ? problems.of('SERVICE_UNAVAILABLE')
        : rank > 0 && plans[access.plan].rank < rank
          ? restriction
          : undefined
  return {
    limit: access.limit,
    remaining: Math.max(taken, 0),
    resetAt,
    access,
    problem,
    unsettled: taken === refusal.unsettled,
  }
}
