/** Starts and stops the processes that are measured, and reads their CPU time and memory from the operating system. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Machine, pinned } from './machine.ts'

export const projectDir = fileURLToPath(new URL('../..', import.meta.url))

export interface RunningServer {
  readonly pid: number
  readonly port: number
  /**
   * ms from the start of the process until it printed that it listens, or until its known port accepted a connection.
   */
  readonly startMs: number
  stop(): Promise<void>
}

/** Processes that are killed if the benchmark ends or is interrupted. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) killGroup(child)
})

/** Kills the child's process group. A child without a group of its own is killed alone. */
function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Returns the command that runs a TypeScript file of the project with this process's Node.js and options. */
export const nodeCommand = (file: string, ...args: string[]): string[] => [
  process.execPath,
  ...process.execArgv,
  join(projectDir, file),
  ...args,
]

/** Returns the command line for `card-prices NAME` of a source tree, without a settings file. */
export const cardPrices = (tree: string, name: string, ...args: string[]): string[] => [
  join(tree, 'bin/card-prices'),
  name,
  ...args,
  '--env-file',
  '/dev/null',
]

interface ServerOptions {
  readonly env?: NodeJS.ProcessEnv
  /** A list of cores for `taskset -c`. */
  readonly cores?: string
  /** The port of a server that prints none. The start waits until this port accepts a connection. */
  readonly port?: number
}

/** Starts a server and waits for its line `listening on …PORT`. Throws with the end of its stderr if it exits first. */
export async function startServer(
  machine: Machine,
  command: readonly string[],
  { env = {}, cores = '0', port: knownPort }: ServerOptions = {},
): Promise<RunningServer> {
  const [program, ...args] = pinned(machine, cores, command)
  const started = performance.now()
  const child = spawn(program!, args, {
    cwd: projectDir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000)
  })
  const exited = once(child, 'exit').then(() => running.delete(child))
  const port = await new Promise<number>((resolve, reject) => {
    let output = ''
    if (knownPort !== undefined) untilListening(knownPort, child).then(() => resolve(knownPort))
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const match = /^listening on .*?(\d+)$/m.exec(output)
      if (match !== null) resolve(Number(match[1]))
    })
    child.on('error', reject)
    exited.then(() => reject(new Error(`${command.join(' ')} ended: ${said}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  return { pid: child.pid!, port, startMs: performance.now() - started, stop }
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const answers = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (answers) return
    await pause(20)
  }
}

/**
 * Runs a program to its end, and returns its stdout. Throws with its stderr if it exits with another code than 0.
 * @param env variables that are added to this process's
 */
export async function runToEnd(
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = projectDir,
): Promise<string> {
  const [program, ...args] = command
  const child = spawn(program!, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let output = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  running.delete(child)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said || output}`)
  return output
}

const ticksPerSecond = process.platform === 'linux' ? Number(execFileSync('getconf', ['CLK_TCK']).toString()) : 100

/** The CPU seconds of a process with all its threads, and of its running child processes. NaN without /proc. */
export function cpuSeconds(pid: number): number {
  const { user, kernel } = cpuSecondsOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), user + kernel)
}

/** The running processes that the process's main thread has started. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g)?.map(Number) ?? []
  } catch {
    return []
  }
}

/** The CPU seconds of a process without its children, in user mode and in the kernel. NaN without /proc. */
export function cpuSecondsOf(pid: number): { user: number; kernel: number } {
  try {
    // The second field is the program's name in brackets, which may contain blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { user: Number(fields[11]) / ticksPerSecond, kernel: Number(fields[12]) / ticksPerSecond }
  } catch {
    return { user: Number.NaN, kernel: Number.NaN }
  }
}

/** The resident memory of a process in bytes. NaN without /proc. */
export function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) * 1024
  } catch {
    return Number.NaN
  }
}
