/** Writes of servers to the accounts' store, and its contents: signs of life, changes, usage by day, server and block. */

import { blocksAtOnce, usesAtOnce } from '../../src/accounts/fleet/usage-sender.ts'
import { flushMs, replicationPollMs, usageDaysKept } from '../../src/limits.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import * as costs from './costs.ts'
import type { Demand } from './demand.ts'
import type { LeaseFigures, LeasePlan } from './leases.ts'

export interface KeptPlan {
  readonly accounts: number
  readonly keysAnAccount: number
  readonly changesPerSecond: number
}

export interface KeptFigures {
  /** A second: what servers ask for changes, by the clock and after each, and tell of their counts. */
  readonly questions: number
  /** Blocks of usage a second, and their bytes. */
  readonly blocks: number
  readonly blockBytes: number
  /** Of the store's one thread. */
  readonly coreShare: number
  readonly recordBytes: number
  readonly usageBytes: number
  readonly quotaBytes: number
  /** Of the store's time, for a server that comes without a copy. */
  readonly joinMs: number
}

const daySeconds = 86_400

export function keptFor(plan: KeptPlan, fleet: LeasePlan, demand: Demand, leases: LeaseFigures): KeptFigures {
  const { accounts, keysAnAccount, changesPerSecond } = plan
  const busy = leases.requestsPerSecond / (leases.requests / daySeconds)
  const touched = (seconds: number) => touchedBlocks(accounts, demand, fleet, seconds)
  const flushes = 1000 / flushMs
  const blocksAFlush = touched((busy * flushMs) / 1000)
  const blocks = fleet.servers * blocksAFlush * flushes
  const questions = fleet.servers * (1000 / replicationPollMs + changesPerSecond + reportedPerSecond(blocksAFlush))
  const ofDay = touched(daySeconds)
  const blockBytes = blockBytesOf(demand, fleet, accounts)
  const records = accounts * (1 + keysAnAccount)
  const perHash = leases.fields / accounts
  const fieldBytes = perHash > costs.leaseFieldsFew ? costs.leaseFieldBytesMany : costs.leaseFieldBytes
  return {
    questions,
    blocks,
    blockBytes: blocks * blockBytes,
    coreShare: (questions * costs.feedQuestionUs + blocks * costs.blockUs) / 1e6,
    recordBytes: accounts * (costs.accountBytes + keysAnAccount * (costs.keyBytes + costs.lastUseBytes)),
    usageBytes: usageDaysKept * fleet.servers * ofDay * (blockBytes + costs.blockExtraBytes),
    quotaBytes: 2 * (accounts * costs.leaseHashBytes + leases.fields * fieldBytes),
    joinMs: (records * costs.recordUs) / 1000,
  }
}

/**
 * Pieces in which a server tells what it counted and which keys were used, about one in each block that a flush has touched. After
 * each flush, it looks whether the store has what was sent.
 */
export function reportedPerSecond(blocksAFlush: number): number {
  const pieces = (atOnce: number) => Math.max(blocksAFlush / atOnce, Math.min(blocksAFlush, 1))
  return (1000 / flushMs) * (pieces(blocksAtOnce) + pieces(usesAtOnce) + 1)
}

/** An account's chance to have been asked for at one server within the time, in the mean over all accounts. */
function chanceWithin(seconds: number, demand: Demand, { servers, serversAnAccount }: LeasePlan, accounts: number) {
  const share = serversAnAccount / servers
  let sum = 0
  for (const { wished, weight } of demand.accounts) {
    sum += weight * share * (1 - Math.exp((-wished * seconds) / daySeconds / serversAnAccount))
  }
  return sum / accounts
}

/** Of one server. Account numbers say nothing of who asks how much. */
function touchedBlocks(accounts: number, demand: Demand, fleet: LeasePlan, seconds: number): number {
  const chance = chanceWithin(seconds, demand, fleet, accounts)
  return Math.ceil(accounts / blockAccounts) * (1 - (1 - chance) ** blockAccounts)
}

/** A block reaches to its last account that has a count. */
function blockBytesOf(demand: Demand, fleet: LeasePlan, accounts: number): number {
  const counts = blockAccounts * chanceWithin(daySeconds, demand, fleet, accounts)
  return (4 * blockAccounts * Math.max(counts, 1)) / (Math.max(counts, 1) + 1)
}
