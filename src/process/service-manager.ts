/**
 * Notifies systemd (Type=notify, WatchdogSec) that the server is ready, that it stops, and regularly that all threads
 * answer. Node.js has no Unix datagram sockets, so systemd's own program sends the messages.
 */
import { execFile } from 'node:child_process'
import type { Logger } from 'pino'

const program = 'systemd-notify'

/** Sends nothing if systemd did not start the server. */
export function serviceManager(log: Logger, env: NodeJS.ProcessEnv = process.env) {
  let timer: NodeJS.Timeout | undefined
  let failed = false

  function notify(state: string): void {
    if (!env['NOTIFY_SOCKET']) return
    execFile(program, [state], { env }, (error) => {
      if (error !== null && !failed) log.error(`systemd could not be notified of ${state}: ${error.message.trim()}`)
      failed = error !== null
    })
  }

  return {
    /** @param areWell returns whether all threads answer within `msMax` */
    ready(areWell: (msMax: number) => Promise<boolean>): void {
      notify('READY=1')
      const everyMs = Number(env['WATCHDOG_USEC'] ?? 0) / 3000
      const check = async () => {
        const started = performance.now()
        if (await areWell(everyMs)) notify('WATCHDOG=1')
        else log.error('a server thread does not answer; systemd gets no watchdog message')
        if (timer !== undefined) timer = setTimeout(check, everyMs - (performance.now() - started))
      }
      if (everyMs > 0) timer = setTimeout(check, 0)
    },

    /**
     * Notifies systemd that the server stops. Watchdog messages continue, because requests in flight may take a while.
     */
    stopping: () => notify('STOPPING=1'),

    end(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
