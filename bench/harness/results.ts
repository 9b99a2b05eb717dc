/**
 * The figures of a run, as `results.json` has them: the pictures are drawn from it alone. Times are in µs, memory in bytes,
 * rates in requests a second; each figure is the median of the rounds. Parts that did not run are absent.
 */
import type { Latency } from '../load/load.ts'

export interface Results {
  /** The machine, the versions, the snapshot: what a figure means nothing without. */
  conditions: Record<string, string>
  /** @see measureCeiling */
  ceiling?: number
  scenarios?: readonly ScenarioResult[]
  /** Of each scenario that peers can answer: the limit, the service and the peers, measured in the same rounds. */
  peers?: readonly PeerResult[]
  rates?: readonly RateResult[]
  cards?: readonly CardsResult[]
  swap?: SwapResult
  memory?: readonly MemoryResult[]
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

/** Of card details, open loop: at a constant rate, each request's time counted from the moment that the rate gives it. */
export interface RateResult {
  readonly server: string
  /** Of the highest rate of this server. */
  readonly share: number
  readonly rate: number
  readonly latencyUs: Latency
}

export interface CardsResult {
  readonly scenario: string
  readonly times: number
  readonly cards: number
  readonly rate: number
  readonly cpuUs: number
  /** After the start. */
  readonly residentBytes: number
  readonly startMs: number
}

export interface SwapResult {
  /** When each new version was made current, in seconds from the start. */
  readonly swapsAt: readonly number[]
  readonly versionBytes: number
  readonly moments: readonly SwapMoment[]
}

export interface SwapMoment {
  readonly second: number
  readonly rate: number
  readonly p99Us: number
  readonly worstUs: number
  readonly residentBytes: number
}

export interface MemoryResult {
  readonly what: string
  readonly bytesEach: number
  readonly how: string
}

export const resultsName = 'results.json'
