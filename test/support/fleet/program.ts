/** A program of the fleet that can be killed, frozen and started again, on the same port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Wire } from '../proxy-wire.ts'
import { until } from '../until.ts'

export class Program {
  readonly #path: string
  readonly #args: readonly string[]
  readonly #onLine: (line: string) => void
  #child: ChildProcess | undefined
  readonly port: number

  /** @param onLine is handed each line that it prints */
  constructor(path: string, args: readonly string[], port: number, onLine: (line: string) => void = () => undefined) {
    this.#path = path
    this.#args = args
    this.#onLine = onLine
    this.port = port
    process.once('exit', () => this.#child?.kill('SIGKILL'))
  }

  /** Returns when it takes connections. */
  async start(): Promise<void> {
    const child = spawn(this.#path, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let printed = ''
    // Each stream on its own: a line that is read in two parts must not be mixed with the next program's.
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        printed = `${printed}${line}\n`.slice(-2000)
        this.#onLine(line)
      })
    }
    await until(`${this.#path} takes connections`, async () => {
      if (child.exitCode !== null) throw new Error(`${this.#path} ended: ${printed}`)
      const wire = await Wire.open(this.port).catch(() => undefined)
      wire?.close()
      return wire !== undefined
    })
  }

  /** Returns when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child!
    this.#child = undefined
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  freeze(): void {
    this.#child!.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child!.kill('SIGCONT')
  }
}
