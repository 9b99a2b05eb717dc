/** Starts accounts-process.ts, and sends orders to its threads. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Calls, Order, Taken } from './accounts-process.ts'
import { afterTests } from './after-tests.ts'
import { collect, projectDir } from './command.ts'

export class AccountsServer {
  readonly #child: ChildProcess
  readonly #output: ReturnType<typeof collect>
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>
  readonly #pending = new Map<number, (result: unknown) => void>()
  #orders = 0
  /** The reports of `hammer`, each with the time at which it was received, in ms since 1970. */
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
    afterTests(() => child.kill('SIGKILL'))
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
    return this.#order(thread, 'take', key, times)
  }

  remaining(key: string, thread = 0): Promise<Taken> {
    return this.#order(thread, 'remaining', key)
  }

  /** Starts endless requests. Does not wait for them. */
  hammer(key: string, thread = 0): void {
    this.#order(thread, 'hammer', key)
  }

  kill(signal: NodeJS.Signals): Promise<unknown> {
    this.#child.kill(signal)
    return signal === 'SIGSTOP' || signal === 'SIGCONT' ? Promise.resolve() : this.ended
  }

  #order<Name extends keyof Calls>(
    thread: number,
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    const id = ++this.#orders
    this.#child.send({ id, name, given, thread } satisfies Order & { thread: number })
    return new Promise((resolve) => this.#pending.set(id, resolve as (result: unknown) => void))
  }
}

export const passed = (taken: readonly Taken[]): number =>
  taken.filter((left) => left !== 'unknown' && left >= 0).length
