/**
 * Demand: accounts by rank, the r-th asking 1/r as often as the first (Zipf), each no more than a little over the
 * largest quota. Of millions a sample is taken: ranks are cut into doublings, and a few ranks represent each doubling.
 */
import { type PlanName, planNames, plans } from '../../src/plans.ts'

/** Accounts that need up to so many times what a plan has stay on it. */
const overPlanMax = 1.1

export interface Sampled {
  readonly plan: PlanName
  /** The requests that its callers would like to send on a day. */
  readonly wished: number
  /** How many accounts it stands for. */
  readonly weight: number
}

export interface Demand {
  readonly accounts: readonly Sampled[]
  /** Of all accounts together on a day. */
  readonly wished: number
}

/** A piece is represented by so many requests at least: by several accounts, where each asks little. */
const requestsReportedMin = 2000

const largestWish = overPlanMax * plans[planNames.at(-1)!].requestsPerDay

const planFor = (wished: number): PlanName =>
  planNames.find((name) => wished <= overPlanMax * plans[name].requestsPerDay) ?? planNames.at(-1)!

/**
 * @param perDay requests an account and day, in the mean, if none were cut at the largest quota
 * @param samples of each doubling of ranks
 */
export function demandOf(accounts: number, perDay: number, samples: number): Demand {
  let harmonic = 0
  for (const { middle, ranks } of pieces(accounts, samples)) harmonic += ranks / middle
  const first = (perDay * accounts) / harmonic
  const most = { wished: largestWish, ranks: 0 }
  const rest: { wished: number; ranks: number }[] = []
  for (const { middle, ranks } of pieces(accounts, samples)) {
    const wished = first / middle
    if (wished < largestWish) rest.push({ wished, ranks })
    else most.ranks += ranks
  }
  const sampled = [most, ...rest].flatMap(({ wished, ranks }): Sampled[] => {
    const reported = Math.min(Math.max(Math.ceil(requestsReportedMin / wished), 2), ranks)
    return Array.from({ length: reported }, () => ({ plan: planFor(wished), wished, weight: ranks / reported }))
  })
  return { accounts: sampled, wished: sampled.reduce((sum, { wished, weight }) => sum + wished * weight, 0) }
}

/** Ranks 1 … accounts in pieces, each represented by its middle. */
function pieces(accounts: number, samples: number): { middle: number; ranks: number }[] {
  const cuts = new Set<number>([accounts])
  for (let i = 0; 2 ** (i / samples) < accounts; i++) cuts.add(Math.floor(2 ** (i / samples)))
  const ends = [...cuts].sort((a, b) => a - b)
  return ends.map((end, i) => {
    const from = ends[i - 1] ?? 0
    return { middle: (from + 1 + end) / 2, ranks: end - from }
  })
}
