/** Runs a service from its start to the signal that ends it. */
import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import { loadLibrary } from '../http/connections/uws.ts'
import { makeLog } from '../log/log.ts'
import { terminal } from '../log/printable.ts'
import { readSettings, type SettingName, type Settings } from '../settings.ts'
import { softwareVersion } from '../version.ts'
import { serviceManager } from './service-manager.ts'
import { type Pages, type Service, startService } from './supervisor.ts'

const signals = ['SIGTERM', 'SIGINT'] as const
/**
 * A second signal within this time counts as the first: a terminal signals all processes, and npm forwards its signal.
 */
const sameSignalMsMax = 500
/** How long a process may take to end by itself. */
const processEndMsMax = 1000
const oldLibrary =
  'this HTTP library answers 505 to requests whose first line arrives in pieces; use glibc 2.38 or later, with which a newer ' +
  'version of it runs, or a proxy in front that sends requests whole'

/**
 * Returns the exit code; the process ends soon after.
 * @param onServing called when requests are answered and pages are served
 * @param usual values for settings that the environment leaves unset. If the WEB_PORT among them is taken, the pages
 * use any free port
 */
export async function serveUntilSignal(
  onServing?: (service: Service, settings: Settings) => Promise<void>,
  usual: Readonly<Partial<Record<SettingName, string>>> = {},
): Promise<number> {
  let service: Service | undefined
  let signalled: Promise<NodeJS.Signals>
  let manager: ReturnType<typeof serviceManager>
  let log: Logger
  let drainMs = 0
  try {
    // Loaded first, so that only one line is printed if the library can't run here.
    const { name: library, failsOnPieces, passedOver } = loadLibrary()
    const unset = Object.entries(usual).filter(([name]) => !process.env[name])
    const settings = readSettings({ ...process.env, ...Object.fromEntries(unset) })
    signalled = firstSignal(() => service?.reload())
    drainMs = settings.DRAIN_SECONDS * 1000
    log = makeLog(settings, { software: softwareVersion })
    manager = serviceManager(log)
    service = await startService(
      settings,
      log,
      unset.some(([name]) => name === 'WEB_PORT'),
    )
    if (failsOnPieces) log.debug({ library, passedOver }, oldLibrary)
    terminal.log(`listening on ${service.address}`)
    if (service.pages !== undefined) await printWhenUp(service.pages)
    if (service.metrics !== undefined) terminal.log(`metrics on ${service.metrics}/metrics`)
    await onServing?.(service, settings)
    service.accounts.warnIfEmpty()
    const { threads: serving } = service
    manager.ready((msMax) => serving.areWell(msMax))
  } catch (error) {
    terminal.error((error as Error).message)
    return ending(1)
  }
  const signal = await signalled
  const from = performance.now()
  log.info({ signal, drainMs }, 'stopping')
  manager.stopping()
  if (drainMs > 0) {
    service.drain()
    await pause(drainMs)
  }
  manager.end()
  const givenUp = await service.stop()
  const ms = Math.round(performance.now() - from)
  if (givenUp === 0) log.info({ ms }, 'stopped; every request was answered')
  else log.warn({ ms, givenUp }, 'stopped; the last requests could not be answered in time')
  return ending(0)
}

/** Prints the pages' address when the pages are up. The start waits for the pages, unless their thread fails. */
function printWhenUp({ address, up, failed }: Pages): Promise<void> {
  return Promise.race([up.then(() => terminal.log(`pages on ${address}`)), failed])
}

/**
 * Resolves at the first signal. A second signal ends the process at once, as it would without a listener. SIGHUP calls
 * `reload`. But if SIGHUP came because the terminal was closed, it counts as the first signal.
 */
function firstSignal(reload: () => void): Promise<NodeJS.Signals> {
  const begunInTerminal = isatty(0) && hasTerminal()
  return new Promise((resolve) => {
    process.on('SIGHUP', () => (begunInTerminal && !hasTerminal() ? resolve('SIGHUP') : reload()))
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAt > sameSignalMsMax) {
        for (const name of signals) process.off(name, onSignal)
        process.kill(process.pid, signal)
      }
    }
    for (const name of signals) process.on(name, onSignal)
  })
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** Returns the exit code, and ends the process a moment later even if something keeps it alive. */
function ending(code: number): number {
  setTimeout(() => process.exit(code), processEndMsMax).unref()
  return code
}
