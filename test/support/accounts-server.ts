/** Starts and steers accounts-process.ts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Order } from './accounts-thread.ts'
import { collect, projectDir } from './command.ts'

type Taken = number | 'unknown'

export class AccountsServer {
  readonly #child: ChildProcess
  readonly #output: ReturnType<typeof collect>
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>
  readonly #pending = new Map<number, (result: unknown) => void>()
  #orders = 0
  /** The reports of 'hammer', by the time they were received (ms). */
  readonly answered: { readonly at: number; readonly requests: number }[] = []

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#output = collect(child)
    this.ended = once(child, 'close')
    child.on('message', (message: string | { id?: number; result?: unknown; answered?: number }) => {
      if (typeof message === 'string') return
      if (message.answered !== undefined) this.answered.push({ at: Date.now(), requests: message.answered })
      else this.#pending.get(message.id!)?.(message.result)
    })
  }

  static async start(env: NodeJS.ProcessEnv): Promise<AccountsServer> {
    const script = join(projectDir, 'test/support/accounts-process.ts')
    const child = spawn(process.execPath, [script], {
      cwd: projectDir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const server = new AccountsServer(child)
    process.once('exit', () => child.kill('SIGKILL'))
    await Promise.race([once(child, 'message'), server.ended])
    if (child.exitCode !== null) throw new Error(`the process ended: ${server.log}`)
    return server
  }

  get pid(): number {
    return this.#child.pid!
  }

  get log(): string {
    return this.#output.stdout() + this.#output.stderr()
  }

  take(key: string, times: number, thread = 0): Promise<Taken[]> {
    return this.#obey({ type: 'take', key, times }, thread) as Promise<Taken[]>
  }

  remaining(key: string, thread = 0): Promise<Taken> {
    return this.#obey({ type: 'remaining', key }, thread) as Promise<Taken>
  }

  /** Does not wait for its end. */
  hammer(key: string, thread = 0): void {
    this.#obey({ type: 'hammer', key }, thread)
  }

  kill(signal: NodeJS.Signals): Promise<unknown> {
    this.#child.kill(signal)
    return signal === 'SIGSTOP' || signal === 'SIGCONT' ? Promise.resolve() : this.ended
  }

  #obey(order: Order, thread: number): Promise<unknown> {
    const id = ++this.#orders
    this.#child.send({ thread, id, order })
    return new Promise((resolve) => this.#pending.set(id, resolve))
  }
}

export const passed = (taken: readonly Taken[]): number =>
  taken.filter((left) => left !== 'unknown' && left >= 0).length
