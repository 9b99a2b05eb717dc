/** The load generator, wrk: it sends the requests of a file, which are rendered before, over many connections, and prints a line of JSON. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Machine, pinned } from '../harness/machine.ts'
import { runToEnd } from '../harness/process.ts'

export interface LoadOptions {
  readonly port: number
  /** Holds the requests, each ended by a NUL. They are sent in turn, over and over. */
  readonly file: string
  /** Where in the list to begin, 0 ≤ x < 1. */
  readonly start: number
  readonly connections: number
  /** A whole number. */
  readonly seconds: number
  /** Requests a second, open loop; 0: each connection sends its next request as soon as it has its answer. */
  readonly rate: number
  /** Length of the stretches to report, in seconds; only at a rate; 0 or absent: none is reported. */
  readonly momentSeconds?: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Of all answers with their heads. */
  readonly bytes: number
  /** Answers with a status of 400 or more. */
  readonly refusals: number
  /** Connections that failed, and answers that did not come. */
  readonly socketErrors: number
  readonly latencyUs: Latency
  /** CPU time of the generator itself, once it had read its requests; at a rate it never sleeps. */
  readonly cpuSeconds: number
  /** @see LoadOptions.momentSeconds */
  readonly moments?: readonly Moment[]
}

/** Of the answers that came in a stretch of time: µs. */
export interface Moment {
  readonly requests: number
  readonly p99: number
  readonly max: number
}

export interface Latency {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

export interface Generator {
  readonly name: string
  /** Throws if the generator ends badly or a connection failed. */
  run(options: LoadOptions): Promise<LoadResult>
}

/** Throws if wrk is not installed. */
export function generatorFor(machine: Machine): Generator {
  const version = findWrk()
  if (version === undefined) throw new Error('wrk is not installed: apt-get install wrk')
  return {
    name: version,
    run: async (options) => {
      const output = await runToEnd(pinned(machine, '1', wrkCommand(options)))
      const result = JSON.parse(output.trim().split('\n').at(-1)!) as LoadResult
      if (result.socketErrors > 0) throw new Error(`${result.socketErrors} connections or answers failed`)
      return result
    },
  }
}

/** The version, undefined if wrk is not installed. */
function findWrk(): string | undefined {
  try {
    return execFileSync('wrk', ['--version'], { encoding: 'utf8' }).split(' Copyright')[0]!
  } catch (error) {
    // It prints its version and ends with 1.
    const { stdout } = error as { stdout?: string }
    return stdout?.startsWith('wrk ') ? stdout.split(' Copyright')[0]! : undefined
  }
}

export function wrkCommand(options: LoadOptions): string[] {
  const { port, file, start, connections, seconds, rate, momentSeconds = 0 } = options
  const script = (name: string) => [
    '-s',
    fileURLToPath(new URL(name, import.meta.url)),
    `http://127.0.0.1:${port}`,
    '--',
  ]
  const common = [file, start, rate].map(String)
  if (rate > 0) {
    // The script opens connections of its own; it ends before wrk's threads and time matter.
    const more = [port, connections, seconds, momentSeconds].map(String)
    return ['wrk', '-t1', '-c1', '-d1s', ...script('open-loop.lua'), ...common, ...more]
  }
  return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', ...script('list.lua'), ...common]
}
