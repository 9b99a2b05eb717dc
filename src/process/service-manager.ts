/**
 * What systemd is told, if it asked (Type=notify, WatchdogSec): that the server answers, that it stops, and again and
 * again that all threads are well. Node.js has no datagram sockets of Unix; so systemd's own program tells it, which is
 * there wherever systemd is. A package with a binary of its own would be one more to trust, for a message in ten seconds.
 */
import { execFile } from 'node:child_process'
import type { Logger } from 'pino'

const program = 'systemd-notify'

export class ServiceManager {
  readonly #log: Logger
  readonly #env: NodeJS.ProcessEnv
  #timer: NodeJS.Timeout | undefined
  #failed = false

  constructor(log: Logger, env: NodeJS.ProcessEnv = process.env) {
    this.#log = log
    this.#env = env
  }

  /** @param areWell whether all threads answer, within so many ms */
  ready(areWell: (msMax: number) => Promise<boolean>): void {
    this.#tell('READY=1')
    const watchdogMs = Number(this.#env['WATCHDOG_USEC'] ?? 0) / 1000
    const isMeant = [undefined, String(process.pid)].includes(this.#env['WATCHDOG_PID'])
    if (watchdogMs > 0 && isMeant) this.#watch(watchdogMs / 3, areWell)
  }

  /** It goes on telling that threads are well: there may be much to answer still. */
  stopping(): void {
    this.#tell('STOPPING=1')
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #watch(everyMs: number, areWell: (msMax: number) => Promise<boolean>): void {
    const look = async () => {
      const started = performance.now()
      if (await areWell(everyMs)) this.#tell('WATCHDOG=1')
      else this.#log.error('a server thread does not answer; the watchdog is not told that all is well')
      if (this.#timer !== undefined) this.#timer = setTimeout(look, everyMs - (performance.now() - started))
    }
    this.#timer = setTimeout(look, 0)
  }

  #tell(state: string): void {
    if (!this.#env['NOTIFY_SOCKET']) return
    execFile(program, [state], { env: this.#env }, (error) => {
      if (error === null) this.#failed = false
      else if (!this.#failed) {
        this.#failed = true
        this.#log.error(`systemd can't be told ${state}: ${error.message.trim()}`)
      }
    })
  }
}
