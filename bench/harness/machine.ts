/** Describes the machine of a run. A figure means nothing without it. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, release, type as systemName, totalmem } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  /** True if processes can be pinned to cores: that takes two cores and `taskset`. */
  readonly pins: boolean
}

export function thisMachine(): Machine {
  const cores = availableParallelism()
  return { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores, pins: cores >= 2 && has('taskset', '--version') }
}

/** True if the program is installed. Runs it with `versionOption`. */
export function has(program: string, versionOption: string): boolean {
  try {
    execFileSync(program, [versionOption], { stdio: 'ignore' })
    return true
  } catch (error) {
    // Some installed programs exit with another code than 0.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Returns the command that runs `command` on these cores only, if the machine can pin processes. */
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
