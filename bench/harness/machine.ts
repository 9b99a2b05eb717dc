/** Where a figure was measured: without that it means nothing. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, release, type as systemName, totalmem } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  /** Whether processes can be kept on cores: two cores and `taskset`. */
  readonly pins: boolean
}

export function thisMachine(): Machine {
  const cores = availableParallelism()
  return { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores, pins: cores >= 2 && has('taskset', '--version') }
}

/** Whether a program is installed; it is asked for its version. */
export function has(program: string, versionOption: string): boolean {
  try {
    execFileSync(program, [versionOption], { stdio: 'ignore' })
    return true
  } catch (error) {
    // Some end with another code than 0, and are there all the same.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** The command that runs `command` on these cores alone, where the machine can. */
export const pinned = (machine: Machine, cores: string, command: readonly string[]): readonly string[] =>
  machine.pins ? ['taskset', '-c', cores, ...command] : command

export function describe(machine: Machine, rows: Readonly<Record<string, string>>): Record<string, string> {
  return {
    date: new Date().toISOString(),
    CPU: `${machine.cpu}, ${machine.cores} core${machine.cores === 1 ? '' : 's'}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    system: `${systemName()} ${release()}`,
    'Node.js': process.version,
    pinning: machine.pins ? 'server on core 0, load generator on core 1' : 'none: one core, or taskset is missing',
    ...rows,
  }
}
