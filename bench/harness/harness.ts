/**
 * Measures servers against each other. Each round starts all of them afresh, warms them up, and loads one after the
 * other. Each round reverses the order of the round before, so that a drift of the machine favours none.
 */

import type { Generator, Latency, LoadResult } from '../load/load.ts'
import { ask } from './answers.ts'
import { cpuSeconds, type RunningServer, residentBytes } from './process.ts'

export interface Workload {
  /** @see LoadOptions.file */
  readonly file: string
  /** The status that each response must have. */
  readonly status: number
  /** Requests that are sent once to each new server. */
  readonly before: readonly string[]
}

export interface Candidate {
  readonly name: string
  readonly workload: Workload
  /** The server's own load generator, if it speaks another protocol than HTTP. */
  readonly generator?: Generator
  start(): Promise<RunningServer>
}

/** A contestant's figures of one measurement. */
export interface Figures {
  /** Requests a second. */
  readonly rate: number
  /** The server's CPU time for a request in µs: all threads, user and kernel. */
  readonly cpuUs: number
  /** The server's CPU time, divided by the time of the measurement. Several threads can exceed 1. */
  readonly serverShare: number
  readonly generatorShare: number
  readonly residentBytes: number
  readonly latencyUs: Latency
}

export interface HarnessOptions {
  readonly generator: Generator
  readonly rounds: number
  readonly seconds: number
  /** How often each server is measured in a round, by turns. Default 1. */
  readonly turns?: number
  readonly connections: number
  /** Requests a second to each server. Without it, each gets as many as it can answer. */
  readonly rate?: number
}

/** A server is warm as soon as a second has fewer requests than the best earlier second times this factor. */
const warmRise = 1.03
/** The least seconds and requests of a warm-up: new searches run through much code, which is compiled meanwhile. */
const warmSecondsMin = 2
const warmRequestsMin = 20_000
/** The warm-up ends after this time, even if the rate still rises, as with a slow peer on a busy machine. */
const warmSecondsMax = 10
/** The share of the list at which the warm-up begins. Measurements begin at 0, so their new queries are still new. */
const warmUpStart = 0.7

/** Returns each contestant's figures, in the order of rounds and turns. */
export async function runHarness(
  contestants: readonly Candidate[],
  options: HarnessOptions,
): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const figures = new Map<string, Figures[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < options.rounds; round++) {
    const inTurn = round % 2 === 0 ? contestants : contestants.toReversed()
    const servers = new Map<string, RunningServer>()
    try {
      for (const contestant of inTurn) servers.set(contestant.name, await startReady(contestant))
      for (let turn = 0; turn < (options.turns ?? 1); turn++) {
        for (const contestant of turn % 2 === 0 ? inTurn : inTurn.toReversed()) {
          const server = servers.get(contestant.name)!
          figures.get(contestant.name)!.push(await measure(server, contestant, options, turn === 0))
        }
      }
    } finally {
      await Promise.all([...servers.values()].map((server) => server.stop()))
    }
  }
  return figures
}

export async function startReady({ start, workload }: Candidate): Promise<RunningServer> {
  const server = await start()
  for await (const _reply of ask(server.port, workload.before));
  return server
}

async function measure(
  server: RunningServer,
  contestant: Candidate,
  options: HarnessOptions,
  isCold: boolean,
): Promise<Figures> {
  const { connections, seconds } = options
  const generator = contestant.generator ?? options.generator
  const { file, status } = contestant.workload
  const load = { port: server.port, file, connections, rate: options.rate ?? 0 }
  if (isCold) await warmUp((start) => generator.run({ ...load, seconds: 1, start }))
  const cpuBefore = cpuSeconds(server.pid)
  const result = await generator.run({ ...load, seconds, start: 0 })
  const cpu = cpuSeconds(server.pid) - cpuBefore
  const expected = status >= 400 ? result.requests : 0
  if (result.requests === 0 || result.refusals !== expected) {
    throw new Error(
      `${contestant.name}: ${result.refusals} of ${result.requests} answers were refusals, ${expected} should be`,
    )
  }
  return {
    rate: result.requests / result.seconds,
    cpuUs: (cpu / result.requests) * 1e6,
    serverShare: cpu / result.seconds,
    generatorShare: result.cpuSeconds / result.seconds,
    residentBytes: residentBytes(server.pid),
    latencyUs: result.latencyUs,
  }
}

/** Sends requests for a second at a time, until the rate no longer rises. */
async function warmUp(second: (start: number) => Promise<LoadResult>): Promise<void> {
  let best = 0
  let requests = 0
  for (let seconds = 1; seconds <= warmSecondsMax; seconds++) {
    const result = await second(warmUpStart + (0.3 * (seconds - 1)) / warmSecondsMax)
    const stands = result.requests < best * warmRise
    best = Math.max(best, result.requests)
    requests += result.requests
    if (stands && seconds >= warmSecondsMin && requests >= warmRequestsMin) return
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Of two series of ratios by round, returns the one with the smaller spread: other programs disturbed it less. */
export const steadier = (one: readonly number[], other: readonly number[]): readonly number[] =>
  spreadOf(other) < spreadOf(one) ? other : one

const spreadOf = (values: readonly number[]): number =>
  values.some(Number.isNaN) ? Infinity : (Math.max(...values) - Math.min(...values)) / median(values)

/** From this share on, a core counts as fully used, because CPU clocks are not more exact than that. */
export const wholeCore = 0.9

/** A mark behind a figure. `*`: the generator was the bottleneck. `†`: other processes disturbed the run. */
export type Doubt = '' | ' *' | ' †'

export function doubtOf(figures: readonly Figures[]): Doubt {
  if (median(figures.map((round) => round.serverShare)) >= wholeCore) return ''
  return median(figures.map((round) => round.generatorShare)) >= wholeCore ? ' *' : ' †'
}
