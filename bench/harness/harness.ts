/**
 * Measures servers against each other: in each round all are started afresh, warmed up, and loaded one after the other,
 * each round in the reverse order of the one before, so that what drifts in the machine favours none.
 */

import type { Generator, Latency, LoadResult } from '../load/load.ts'
import { ask } from './answers.ts'
import { cpuSeconds, type RunningServer, residentBytes } from './process.ts'

export interface Workload {
  /** @see LoadOptions.file */
  readonly file: string
  /** Required in each answer. */
  readonly status: number
  /** Sent once to each new server. */
  readonly before: readonly string[]
}

export interface Candidate {
  readonly name: string
  readonly workload: Workload
  /** Its own, where it speaks another protocol than HTTP. */
  readonly generator?: Generator
  start(): Promise<RunningServer>
}

/** Of one contestant in one round. */
export interface Figures {
  /** Requests a second. */
  readonly rate: number
  /** µs of CPU in the server for a request, from the operating system: all its threads, in the kernel too. */
  readonly cpuUs: number
  /** The part of a core that the server was busy. */
  readonly serverShare: number
  readonly generatorShare: number
  readonly residentBytes: number
  readonly latencyUs: Latency
}

export interface HarnessOptions {
  readonly generator: Generator
  readonly rounds: number
  readonly seconds: number
  /** How often each is measured in a round, by turns; by itself once. */
  readonly turns?: number
  readonly connections: number
  /** Requests a second for all; without it each is asked as much as it can answer. */
  readonly rate?: number
}

/** A server is warm once its rate stands: in a second it answers hardly more than in the one before. */
const warmRise = 1.03
/** At least so many seconds and requests: a search that nobody has asked before runs through much code to be compiled. */
const warmSecondsMin = 2
const warmRequestsMin = 20_000
/** A server whose rate never stands, such as a slow peer among busy neighbours, is measured then. */
const warmSecondsMax = 10
/** Warming up asks another part of the list than measuring does, so that new queries are new. */
const warmUpStart = 0.7

/** The figures of each turn of each round, by contestant. */
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

/** Sends requests a second at a time until the rate stands. */
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

/** Of two ways to the same ratios, a value a round, the one that others' load has spread less. */
export const steadier = (one: readonly number[], other: readonly number[]): readonly number[] =>
  spreadOf(other) < spreadOf(one) ? other : one

const spreadOf = (values: readonly number[]): number =>
  values.some(Number.isNaN) ? Infinity : (Math.max(...values) - Math.min(...values)) / median(values)

/** How much of a core is all of it, as far as clocks can tell. */
export const wholeCore = 0.9

/** Notes on reading a figure, as docs/performance.md explains. */
export type Doubt = '' | ' *' | ' †'

export function doubtOf(figures: readonly Figures[]): Doubt {
  if (median(figures.map((round) => round.serverShare)) >= wholeCore) return ''
  return median(figures.map((round) => round.generatorShare)) >= wholeCore ? ' *' : ' †'
}
