/**
 * The load generator wrk. It sends prepared requests from a file over many connections, and prints one line of JSON.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Machine, pinned } from '../harness/machine.ts'
import { runToEnd } from '../harness/process.ts'

export interface LoadOptions {
  readonly port: number
  /** The path of the file with the requests, each ended by a NUL. They are sent in turn, over and over. */
  readonly file: string
  /** The share of the list at which to begin, 0 ≤ x < 1. */
  readonly start: number
  readonly connections: number
  /** A whole number. */
  readonly seconds: number
  /** Requests a second in an open loop. 0: each connection sends its next request as soon as it has a response. */
  readonly rate: number
  /** The length of a reported moment in seconds, for loads at a rate. 0 or absent: no moments are reported. */
  readonly momentSeconds?: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** The size of all responses, with their heads. */
  readonly bytes: number
  /** Responses with a status of 400 or more. */
  readonly refusals: number
  /** Connections that failed, and requests that could not be sent or timed out. */
  readonly socketErrors: number
  readonly latencyUs: Latency
  /** The generator's own CPU seconds, after it has read its requests. At a rate it never sleeps. */
  readonly cpuSeconds: number
  /** @see LoadOptions.momentSeconds */
  readonly moments?: readonly Moment[]
}

/** The number of responses in a stretch of time, and their latencies in µs. */
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
  /** Throws if the generator fails or a connection failed. */
  run(options: LoadOptions): Promise<LoadResult>
}

/** Returns wrk as a generator. Throws if it is not installed. */
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

/** Returns wrk's name and version, or undefined if it is not installed. */
function findWrk(): string | undefined {
  try {
    return execFileSync('wrk', ['--version'], { encoding: 'utf8' }).split(' Copyright')[0]!
  } catch (error) {
    // wrk prints its version and exits with 1.
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
    // The script opens its own connections, and exits before wrk uses the connection and the time given here.
    const more = [port, connections, seconds, momentSeconds].map(String)
    return ['wrk', '-t1', '-c1', '-d1s', ...script('open-loop.lua'), ...common, ...more]
  }
  return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', ...script('list.lua'), ...common]
}
