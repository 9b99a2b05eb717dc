/** Requests at set times, for real servers and for the model of them: what either makes of the same ones can be compared. */

import { replicationPollMs } from '../../src/limits.ts'
import { type PlanName, plans } from '../../src/plans.ts'
import { drawBelow, randomFrom } from '../../test/support/random.ts'
import { AccountDay } from './account-day.ts'
import { Events } from './events.ts'
import { reportedPerSecond } from './kept.ts'

export interface Asked {
  /** ms since the schedule's start. */
  readonly at: number
  readonly account: number
  readonly server: number
}

export interface Schedule {
  readonly plans: readonly PlanName[]
  readonly servers: number
  readonly requests: readonly Asked[]
  /** Killed, and not started again: what was meant for it goes to the next one. */
  readonly death: { readonly at: number; readonly server: number } | undefined
}

export interface Outcome {
  readonly letIn: readonly number[]
  readonly refused: readonly number[]
  /** To the quota store. */
  readonly questions: number
  /** To the accounts' store: signs of life, and reported counts. */
  readonly accountsQuestions: number
}

/** Accounts of a kind: how many, and what each asks a second. */
export interface Kind {
  readonly accounts: number
  readonly plan: PlanName
  readonly perSecond: number
}

/** @param deathAt of the last server, in ms; undefined: none dies */
export function scheduleOf(
  seed: number,
  kinds: readonly Kind[],
  servers: number,
  seconds: number,
  deathAt?: number,
): Schedule {
  const random = randomFrom(`${seed} schedule`)
  const each = kinds.flatMap(({ accounts, ...kind }) => Array.from({ length: accounts }, () => kind))
  const death = deathAt === undefined ? undefined : { at: deathAt, server: servers - 1 }
  const requests = each.flatMap(({ perSecond }, account) => {
    const asked: Asked[] = []
    for (let at = 0; ; ) {
      at += (-Math.log(1 - random()) * 1000) / perSecond
      if (at >= seconds * 1000) return asked
      const server = drawBelow(random, servers)
      const isDead = death !== undefined && at >= death.at && server === death.server
      asked.push({ at, account, server: isDead ? (server + 1) % servers : server })
    }
  })
  return { plans: each.map(({ plan }) => plan), servers, requests: requests.sort((a, b) => a.at - b.at), death }
}

/** The model's result, until some time after its end. */
export function modelled(schedule: Schedule, questionMs: number, untilMs: number): Outcome {
  const { plans: accountPlans, requests, death } = schedule
  const events = new Events()
  const days = accountPlans.map((plan) => new AccountDay(events, plan, questionMs, (server) => server * 150))
  for (const { at, account, server } of requests) events.at(at, () => days[account]!.request(server))
  const kill = (server: number) => {
    for (const day of days) day.die(server)
  }
  if (death !== undefined) events.at(death.at, () => kill(death.server))
  events.run(untilMs)
  const questions = days.reduce((sum, day) => sum + day.questions, 0)
  events.run()
  for (const day of days) day.assertConserved()
  return {
    letIn: days.map(({ letIn }) => letIn),
    refused: days.map((day) => day.refusedEarly + day.refusedForLost + day.refusedRightly),
    questions,
    accountsQuestions: accountsQuestionsOf(schedule, untilMs),
  }
}

export const limitsOf = ({ plans: accountPlans }: Schedule): number[] =>
  accountPlans.map((plan) => plans[plan].requestsPerDay)

/** Of few accounts, whose counts are one block: each server tells of it at every flush as long as it is asked. */
function accountsQuestionsOf({ servers, requests, death }: Schedule, untilMs: number): number {
  const askedMs = requests.at(-1)?.at ?? 0
  const perMs = (reportedPerFlush: number) => (1000 / replicationPollMs + reportedPerSecond(reportedPerFlush)) / 1000
  const ofOne = (end: number) => Math.min(askedMs, end) * perMs(1) + Math.max(end - askedMs, 0) * perMs(0)
  return (servers - 1) * ofOne(untilMs) + ofOne(death?.at ?? untilMs)
}
