/** wrk as a load generator: its requests come from a list that is rendered already, and its report is one line of JSON. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadOptions } from './load.ts'

/** The version, undefined if wrk is not installed. */
export function findWrk(): string | undefined {
  try {
    return execFileSync('wrk', ['--version'], { encoding: 'utf8' }).split(' Copyright')[0]!
  } catch (error) {
    // It prints its version and ends with 1.
    const { stdout } = error as { stdout?: string }
    return stdout?.startsWith('wrk ') ? stdout.split(' Copyright')[0]! : undefined
  }
}

export function wrkCommand({ port, file, start, connections, seconds, rate }: LoadOptions): string[] {
  const script = fileURLToPath(new URL(rate > 0 ? 'at-rate.lua' : 'list.lua', import.meta.url))
  const options = [`-t1`, `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
  return ['wrk', ...options, `http://127.0.0.1:${port}`, '--', file, String(start), String(rate)]
}
