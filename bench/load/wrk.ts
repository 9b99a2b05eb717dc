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
