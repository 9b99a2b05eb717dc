/**
 * The contents of `results.json`: the figures of a run, from which its pictures are drawn. Times are in µs, and rates
 * in requests a second. Single figures are medians of the rounds. Parts that did not run are absent.
 */
import type { Latency } from '../load/load.ts'
import type { Code } from './code.ts'

export interface Results {
  /** The machine, the versions and the snapshot. A figure means nothing without them. */
  conditions: Record<string, string>
  /** The code that was measured. Absent in results of earlier releases. */
  code?: Code
  /** A text for each disturbance of the run. Empty on a quiet machine; absent if unknown. */
  disturbances?: readonly string[]
  /** @see measureCeiling */
  ceiling?: number
  scenarios?: readonly ScenarioResult[]
  /** For each scenario that peers can answer: the limit, the service and the peers, measured in the same rounds. */
  peers?: readonly PeerResult[]
  against?: { readonly commit: string; readonly scenarios: readonly AgainstResult[] }
}

/** A scenario's CPU time for a request in each turn, in this source tree and in another commit. */
export interface AgainstResult {
  readonly name: string
  readonly cpuUs: readonly number[]
  readonly otherCpuUs: readonly number[]
  readonly areBodiesEqual: boolean
}

export interface ScenarioResult {
  readonly name: string
  /** The scenario's name in pictures. */
  readonly label: string
  readonly limit: 'hot' | 'cold'
  readonly rate: number
  readonly limitRate: number
  readonly cpuUs: number
  readonly limitCpuUs: number
  /** The share of the limit, by rate or by CPU time: by the one that varied less between rounds. */
  readonly ratio: number
  /** Each round's ratio. Like `rates` and `cpus`, it is absent in results of earlier releases. */
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
