/**
 * One account on one day, and the servers that lease parts of its quota. How large a lease is and how long it lasts are the
 * service's own rules, taken from it; what threads, lease manager and store do with them is done here without threads or a network:
 *
 *   request ─▶ left > 0? ─ yes ─▶ let in; at the low-water mark the store is asked for more
 *                 │
 *                 no ─▶ the store is asked, unless it was a moment ago ─▶ granted: those that wait are let in
 *                                                                     └─▶ nothing left: refused, asked again in half a second
 *
 * Accounts share nothing but the store's time, so each can be looked at alone, and a sample of them tells of all.
 *
 * Every grant is used, left in a live server, or lost with a dead one; no other end exists.
 */
import assert from 'node:assert/strict'
import { type PlanName, plans } from '../../src/plans.ts'
import {
  durationMs,
  fittingSize,
  hasExpired,
  keptSize,
  Lease,
  recallShare,
  recordOthers,
} from '../../src/quota/leases/lease.ts'
import { deniedMs, reviewMs } from '../../src/quota/leases/lease-manager.ts'
import { leaseShare } from '../../src/quota/leases/lease-scripts.ts'
import type { Events } from './events.ts'

/** Grants by the store's script. @param total granted to all servers, as far as the store knows */
export const grantOf = (limit: number, total: number, want: number): number =>
  total < limit && want > 0 ? Math.max(1, Math.min(want, Math.floor((limit - total) / leaseShare))) : 0

/** A server as this account knows it, from one start to its death. */
interface Holder {
  readonly lease: Lease
  /** The server's looks at its leases lie so far off the half seconds. */
  readonly phase: number
  left: number
  lowWater: number
  /** Of the requests that it let in. */
  used: number
  /** Its requests, as far as the store knows. */
  stored: number
  asked: boolean
  asking: boolean
  paced: boolean
  exhausted: boolean
  /** Requests that wait for the store's answer. */
  waiting: number
  /** When the server looks whether its lease is over; Infinity: what it has left stays. */
  reviewAt: number
  dead: boolean
}

export class AccountDay {
  readonly #events: Events
  readonly #plan: PlanName
  readonly #questionMs: number
  readonly #live = new Map<number, Holder>()
  readonly #phase: (server: number) => number
  /** Of all servers, as the store knows it. */
  #granted = 0
  readonly limit: number
  letIn = 0
  /** While there was some quota left, though elsewhere. */
  refusedEarly = 0
  /** While all that was left was lost with dead servers. */
  refusedForLost = 0
  refusedRightly = 0
  /** Requests that waited for the store. */
  waited = 0
  /** Granted to servers that died, and not used. */
  lost = 0
  questions = 0
  /** Fields of the account's hash that the store went through for them. */
  fieldsRead = 0
  /** Of its hash: a server that has asked once has one, until the hash goes. */
  fields = 0
  /** Receives the time of each question. */
  onQuestion: (() => void) | undefined

  /** @param questionMs from a question to its answer */
  constructor(events: Events, plan: PlanName, questionMs: number, phase: (server: number) => number = () => 0) {
    this.#events = events
    this.#plan = plan
    this.#questionMs = questionMs
    this.#phase = phase
    this.limit = plans[plan].requestsPerDay
  }

  request(server: number): void {
    const holder = this.#holder(server)
    if (this.#take(holder)) return
    this.#ask(holder)
    if (holder.exhausted) this.#refuse(1)
    else {
      holder.waiting++
      this.waited++
    }
  }

  /** Killed: what it has left is nobody's. The server that is started in its place is another one to the store. */
  die(server: number): void {
    const holder = this.#live.get(server)
    if (holder === undefined) return
    holder.dead = true
    this.lost += holder.stored - holder.used
    this.#live.delete(server)
  }

  /** Leased and not used, on all live servers. */
  get left(): number {
    let left = 0
    for (const holder of this.#live.values()) left += holder.stored - holder.used
    return left
  }

  /** When nothing is under way any more. */
  assertConserved(): void {
    assert.equal(this.#granted, this.letIn + this.left + this.lost, 'granted = used + left + lost')
    assert(this.#granted <= this.limit, `${this.#granted} of ${this.limit} are granted`)
    for (const { lease, stored, used, left, waiting } of this.#live.values()) {
      assert.equal(stored, lease.granted)
      assert.equal(left, lease.granted - used)
      assert.equal(waiting, 0)
    }
  }

  #holder(server: number): Holder {
    const known = this.#live.get(server)
    if (known !== undefined) return known
    const lease = new Lease(0, '', 0, this.#plan)
    const phase = this.#phase(server)
    const none = { left: 0, lowWater: 0, used: 0, stored: 0, waiting: 0, reviewAt: Number.POSITIVE_INFINITY }
    const no = { asked: false, asking: false, paced: false, exhausted: false, dead: false }
    const holder = { lease, phase, ...none, ...no }
    this.#live.set(server, holder)
    return holder
  }

  #take(holder: Holder): boolean {
    if (holder.left === 0) return false
    holder.left--
    holder.used++
    this.letIn++
    if (holder.left <= holder.lowWater) this.#ask(holder)
    return true
  }

  #refuse(requests: number): void {
    const unused = this.limit - this.letIn
    if (unused > this.lost) this.refusedEarly += requests
    else if (unused > 0) this.refusedForLost += requests
    else this.refusedRightly += requests
  }

  #ask(holder: Holder): void {
    if (holder.asked) return
    holder.asked = true
    if (!holder.asking && !holder.paced) this.#askNow(holder)
  }

  #askNow(holder: Holder): void {
    const { lease } = holder
    lease.nextSize = fittingSize(lease, this.#events.now)
    this.#exchange(holder, lease.nextSize, (granted) => {
      holder.exhausted = granted === 0
      if (granted === 0) {
        holder.paced = true
        this.#events.after(deniedMs, () => {
          holder.paced = false
          holder.asked = false
          holder.exhausted = false
        })
      } else {
        lease.grantedAt = this.#events.now
        holder.left += granted
        holder.lowWater = granted >> 1
        holder.asked = false
      }
      this.#reviewLater(holder)
      this.#settle(holder)
    })
  }

  #settle(holder: Holder): void {
    while (holder.waiting > 0 && this.#take(holder)) holder.waiting--
    if (holder.waiting > 0 && !holder.exhausted) this.#ask(holder)
    else if (holder.waiting > 0) {
      this.#refuse(holder.waiting)
      holder.waiting = 0
    }
  }

  #exchange(holder: Holder, want: number, then: (granted: number) => void): void {
    const { lease } = holder
    if (lease.othersGranted === 0 && holder.stored === 0 && lease.granted === 0) this.fields++
    this.#granted += lease.granted - holder.stored
    const granted = grantOf(this.limit, this.#granted, want)
    holder.stored = lease.granted + granted
    this.#granted += granted
    if (want > 0 && this.#granted > this.limit * recallShare) this.#recall(holder)
    const others = { others: this.#granted - holder.stored }
    this.questions++
    this.fieldsRead += this.fields
    this.onQuestion?.()
    holder.asking = true
    this.#events.after(this.#questionMs, () => {
      holder.asking = false
      if (holder.dead) return
      recordOthers(lease, others)
      lease.granted += granted
      then(granted)
    })
  }

  /** The other holders learn of it with their next look. */
  #recall(asking: Holder): void {
    for (const holder of this.#live.values()) {
      if (holder === asking || holder.left === 0) continue
      holder.lease.isRecalled = true
      this.#reviewLater(holder)
    }
  }

  /** At the first of the server's looks at which it can be over: sooner, if a new answer says so. */
  #reviewLater(holder: Holder): void {
    if (holder.lease.grantedAt === undefined) return
    const over = Math.max(holder.lease.grantedAt! + durationMs(holder.lease), this.#events.now)
    const at = (Math.floor((over - holder.phase) / reviewMs) + 1) * reviewMs + holder.phase
    if (at >= holder.reviewAt) return
    holder.reviewAt = at
    this.#events.at(at, () => {
      if (holder.reviewAt === at) this.#review(holder)
    })
  }

  #review(holder: Holder): void {
    holder.reviewAt = Number.POSITIVE_INFINITY
    if (holder.dead || holder.left === 0) return
    if (holder.asking || !hasExpired(holder.lease, this.#events.now)) this.#reviewLater(holder)
    else if (holder.left > keptSize(holder.lease)) this.#giveBack(holder)
  }

  #giveBack(holder: Holder): void {
    const kept = keptSize(holder.lease)
    holder.lease.granted -= holder.left - kept
    holder.left = kept
    this.#exchange(holder, 0, () => {
      if (holder.asked) this.#askNow(holder)
    })
  }
}
