/**
 * A program that accepts connections on a port. A test can kill, freeze and restart it. It ends after the tests of the
 * file.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterTests } from './after-tests.ts'
import { type ProgramName, pathOf } from './programs.ts'
import { Wire } from './proxy-wire.ts'
import { until } from './until.ts'

export class Program {
  readonly #name: ProgramName
  readonly #args: readonly string[]
  readonly port: number
  readonly #logFile: string
  readonly #printed: string[] = []
  #child: ChildProcess | undefined

  /** @param logFile the log of a program that can't log to its output */
  constructor(name: ProgramName, args: readonly string[], port: number, logFile = '') {
    this.#name = name
    this.#args = args
    this.port = port
    this.#logFile = logFile
    afterTests(() => this.#child?.kill('SIGKILL'))
  }

  /** All lines that it has printed or logged. */
  get lines(): readonly string[] {
    const logged = existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8').trimEnd().split('\n') : []
    return [...this.#printed, ...logged]
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<this> {
    const child = spawn(pathOf(this.#name)!, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    // Each stream has its own reader, so that a line in two chunks is not mixed with a line of the other stream.
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => this.#printed.push(line))
    }
    await until(`${this.#name} takes connections`, async () => {
      if (child.exitCode !== null) throw new Error(`${this.#name} ended: ${this.lines.slice(-20).join('\n')}`)
      const wire = await Wire.open(this.port).catch(() => undefined)
      wire?.close()
      return wire !== undefined
    })
    // The child process does not keep the test file from ending. It is killed when the file ends.
    for (const each of handlesOf(child)) each.unref()
    return this
  }

  /** Resolves when it has ended, and all its output is read. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child!
    this.#child = undefined
    const closed = once(child, 'close')
    for (const each of handlesOf(child)) each.ref()
    child.kill(signal)
    await closed
  }

  freeze(): void {
    this.#child!.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child!.kill('SIGCONT')
  }
}

/** The handles that keep Node.js running. */
const handlesOf = (child: ChildProcess) => [child, child.stdout as Socket, child.stderr as Socket]
