/**
 * Notifies systemd (Type=notify, WatchdogSec) that the server is ready, that it stops, and regularly that all threads answer. Node.js
 * has no Unix datagram sockets, so systemd's own program sends the messages.
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

  /** @param areWell returns whether all threads answer within `msMax` */
  ready(areWell: (msMax: number) => Promise<boolean>): void {
    this.#notify('READY=1')
    const watchdogMs = Number(this.#env['WATCHDOG_USEC'] ?? 0) / 1000
    if (watchdogMs > 0) this.#watch(watchdogMs / 3, areWell)
  }

  /** The watchdog continues: many requests may be in flight. */
  stopping(): void {
    this.#notify('STOPPING=1')
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #watch(everyMs: number, areWell: (msMax: number) => Promise<boolean>): void {
    const check = async () => {
      const started = performance.now()
      if (await areWell(everyMs)) this.#notify('WATCHDOG=1')
      else this.#log.error('a server thread does not answer; systemd gets no watchdog message')
      if (this.#timer !== undefined) this.#timer = setTimeout(check, everyMs - (performance.now() - started))
    }
    this.#timer = setTimeout(check, 0)
  }

  #notify(state: string): void {
    if (!this.#env['NOTIFY_SOCKET']) return
    execFile(program, [state], { env: this.#env }, (error) => {
      if (error === null) this.#failed = false
      else if (!this.#failed) {
        this.#failed = true
        this.#log.error(`systemd could not be notified of ${state}: ${error.message.trim()}`)
      }
    })
  }
}
