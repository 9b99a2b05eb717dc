/** All of a fleet together, and what of it gives way first. */
import { quotaRecoveryMs } from '../../src/limits.ts'
import { coreShareMax, leaseFieldUs, leaseQuestionUs, leaseSentUs, type Machines } from './costs.ts'
import type { Demand } from './demand.ts'
import { type KeptFigures, type KeptPlan, keptFor } from './kept.ts'
import { dayOfLeases, type LeaseFigures, type LeasePlan } from './leases.ts'
import { fetchedByAll, type VersionFigures } from './versions.ts'

export interface FleetPlan {
  readonly leases: LeasePlan
  readonly kept: KeptPlan
  /** Of a version's files that changed. */
  readonly versionBytes: number
}

export interface FleetFigures {
  readonly plan: FleetPlan
  readonly leases: LeaseFigures
  /** Of the quota store's one thread. */
  readonly quotaCoreShare: number
  readonly kept: KeptFigures
  readonly version: VersionFigures
  /** Demand beside capacity, the worst first. */
  readonly strains: readonly Strain[]
}

export interface Strain {
  readonly what: string
  readonly needed: number
  readonly there: number
  readonly unit: string
}

/** Promises of the service, and what a caller would notice. */
const promises = { versionSeconds: 10, joinSeconds: 5, refusedEarlyPercent: 0.1 }

export function fleetOf(plan: FleetPlan, demand: Demand, machines: Machines): FleetFigures {
  const leases = dayOfLeases(plan.leases, demand)
  const quotaCoreShare = (leases.questionsPerSecond * (leaseQuestionUs + leaseFieldUs * leases.fieldsPerQuestion)) / 1e6
  const kept = keptFor(plan.kept, plan.leases, demand, leases)
  const versionPlan = { ...plan.leases, bytes: plan.versionBytes }
  const version = fetchedByAll(versionPlan, machines)
  const strains: Strain[] = [
    {
      what: 'accounts a server may have',
      needed: plan.kept.accounts / 1e6,
      there: machines.accounts / 1e6,
      unit: 'million',
    },
    { what: 'quota store, its thread', needed: quotaCoreShare, there: coreShareMax, unit: 'cores' },
    { what: "accounts' store, its thread", needed: kept.coreShare, there: coreShareMax, unit: 'cores' },
    { what: 'quotas in memory', needed: kept.quotaBytes / 1e9, there: machines.redisBytes / 1e9, unit: 'GB' },
    {
      what: 'accounts and usage in memory',
      needed: (kept.recordBytes + kept.usageBytes) / 1e9,
      there: machines.redisBytes / 1e9,
      unit: 'GB',
    },
    {
      what: "usage on the store's network",
      needed: (kept.blockBytes * 8) / 1e9,
      there: machines.networkBits / 1e9,
      unit: 'Gbit/s',
    },
    { what: 'a version served by all', needed: version.allServe / 1000, there: promises.versionSeconds, unit: 's' },
    { what: 'a new server joins', needed: kept.joinMs / 1000, there: promises.joinSeconds, unit: 's' },
    {
      what: 'reports to a quota store that forgot',
      needed: (leases.fields * leaseSentUs) / 1e6,
      there: quotaRecoveryMs / 1000,
      unit: 's',
    },
    {
      what: 'requests refused too early',
      needed: (100 * leases.refusedEarly) / leases.requests,
      there: promises.refusedEarlyPercent,
      unit: '%',
    },
  ]
  strains.sort((a, b) => b.needed / b.there - a.needed / a.there)
  return { plan, leases, quotaCoreShare, kept, version, strains }
}
