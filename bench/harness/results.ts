/**
 * The figures of a run from which its pictures are drawn, as `results.json` has them. Times are in µs, rates in requests a second; each figure is the median of the rounds. Parts that did not run are absent.
 */
import type { Latency } from '../load/load.ts'
import type { Code } from './code.ts'

export interface Results {
  /** The machine, the versions, the snapshot: what a figure means nothing without. */
  conditions: Record<string, string>
  /** Absent in results of earlier releases. */
  code?: Code
  /** The disturbances of the run; empty on a quiet machine, absent if they are unknown. */
  disturbances?: readonly string[]
  /** @see measureCeiling */
  ceiling?: number
  scenarios?: readonly ScenarioResult[]
  /** Of each scenario that peers can answer: the limit, the service and the peers, measured in the same rounds. */
  peers?: readonly PeerResult[]
  against?: { readonly commit: string; readonly scenarios: readonly AgainstResult[] }
}

/** A scenario's CPU time a request in each turn, of this tree and of another commit. */
export interface AgainstResult {
  readonly name: string
  readonly cpuUs: readonly number[]
  readonly otherCpuUs: readonly number[]
  readonly areBodiesEqual: boolean
}

export interface ScenarioResult {
  readonly name: string
  /** As pictures have it. */
  readonly label: string
  readonly limit: 'hot' | 'cold'
  readonly rate: number
  readonly limitRate: number
  readonly cpuUs: number
  readonly limitCpuUs: number
  /** To the limit, by rate or by CPU time: by that which others disturbed less. */
  readonly ratio: number
  /** Of each round; absent in results of earlier releases. */
  readonly ratios?: readonly number[]
  readonly rates?: readonly number[]
  readonly cpus?: readonly number[]
  readonly aim: number | null
  readonly latencyUs: Latency
}

export interface PeerResult {
  readonly scenario: string
  readonly server: string
  readonly rate: number
  readonly cpuUs: number
  readonly latencyUs: Latency
}

export const resultsName = 'results.json'
