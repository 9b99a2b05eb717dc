/** A day of all accounts' leases over a fleet: what the quota store is asked, who is refused too early, what deaths cost. */
import { dayMs } from '../../src/calendar.ts'
import { drawBelow, type Random, randomFrom } from '../../test/support/random.ts'
import { AccountDay } from './account-day.ts'
import type { Demand, Sampled } from './demand.ts'
import { Events } from './events.ts'

export interface LeasePlan {
  readonly seed: number
  readonly servers: number
  /** Over how many of them a balancer spreads one account: all, or fewer if it goes by the key. */
  readonly serversAnAccount: number
  readonly deathsPerServerDay: number
  /** From a question to the quota store to its answer. */
  readonly questionMs: number
}

export interface LeaseFigures {
  /** Of the day. */
  readonly requests: number
  readonly letIn: number
  readonly refusedEarly: number
  readonly refusedForLost: number
  readonly refusedRightly: number
  readonly waited: number
  readonly questions: number
  /** A second, in the busiest hour. */
  readonly questionsPerSecond: number
  readonly requestsPerSecond: number
  /** Of an account's hash that the store goes through at a question, in the mean. */
  readonly fieldsPerQuestion: number
  /** Of all hashes of the day. */
  readonly fields: number
  /** Requests that are lost to their accounts if one server dies, in the mean over the day. */
  readonly heldByServer: number
  /** With those that died. */
  readonly lost: number
}

const hours = 24
/** The busiest hour has 1.6 times the mean, the quietest 0.4. */
const swing = 0.6
const shape = (ms: number): number => 1 - swing * Math.cos((2 * Math.PI * ms) / dayMs)

interface Death {
  readonly at: number
  readonly server: number
}

export function dayOfLeases(plan: LeasePlan, demand: Demand): LeaseFigures {
  const deaths = deathsOf(plan)
  const sums = { requests: 0, letIn: 0, refusedEarly: 0, refusedForLost: 0, refusedRightly: 0, waited: 0 }
  const store = { questions: 0, fieldsRead: 0, fields: 0, held: 0, lost: 0 }
  const asked = { questions: new Float64Array(hours), requests: new Float64Array(hours) }
  demand.accounts.forEach((account, i) => {
    const { day, requests, heldMean } = accountOf(plan, account, deaths, randomFrom(`${plan.seed} account ${i}`), asked)
    const { weight } = account
    sums.requests += weight * requests
    for (const name of ['letIn', 'refusedEarly', 'refusedForLost', 'refusedRightly', 'waited'] as const) {
      sums[name] += weight * day[name]
    }
    for (const name of ['questions', 'fieldsRead', 'fields', 'lost'] as const) store[name] += weight * day[name]
    store.held += weight * heldMean
  })
  const hourSeconds = dayMs / hours / 1000
  return {
    ...sums,
    questions: store.questions,
    questionsPerSecond: Math.max(...asked.questions) / hourSeconds,
    requestsPerSecond: Math.max(...asked.requests) / hourSeconds,
    fieldsPerQuestion: store.fieldsRead / store.questions,
    fields: store.fields,
    heldByServer: store.held / plan.servers,
    lost: store.lost,
  }
}

/** Killed at random; another one is started in its place at once. */
function deathsOf({ seed, servers, deathsPerServerDay }: LeasePlan): Death[] {
  const random = randomFrom(`${seed} deaths`)
  const deaths: Death[] = []
  for (let at = 0; deathsPerServerDay > 0; ) {
    at += (-Math.log(1 - random()) * dayMs) / (servers * deathsPerServerDay)
    if (at >= dayMs) break
    deaths.push({ at, server: drawBelow(random, servers) })
  }
  return deaths
}

function accountOf(
  { servers, serversAnAccount, questionMs }: LeasePlan,
  { plan, wished, weight }: Sampled,
  deaths: readonly Death[],
  random: Random,
  asked: { questions: Float64Array; requests: Float64Array },
) {
  const events = new Events()
  const day = new AccountDay(events, plan, questionMs, (server) => (server * 137) % 500)
  const hour = () => Math.min(Math.floor((events.now / dayMs) * hours), hours - 1)
  day.onQuestion = () => {
    asked.questions[hour()]! += weight
  }
  const first = drawBelow(random, servers)
  let requests = 0
  const meanMs = dayMs / (wished * (1 + swing))
  /** The next one, of those drawn at the busiest rate those that the hour has. */
  const next = () => {
    let at = events.now
    do at += -Math.log(1 - random()) * meanMs
    while (at < dayMs && random() * (1 + swing) > shape(at))
    if (at >= dayMs) return
    events.at(at, () => {
      requests++
      asked.requests[hour()]! += weight
      day.request((first + drawBelow(random, serversAnAccount)) % servers)
      next()
    })
  }
  next()
  for (const { at, server } of deaths) events.at(at, () => day.die(server))
  let held = 0
  for (let i = 1; i <= hours; i++) {
    events.run((i / hours) * dayMs - 1)
    held += day.left
  }
  events.run()
  day.assertConserved()
  return { day, requests, heldMean: held / hours }
}
