/** A service from its start to the signal that ends it. */
import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import { processEndMsMax, sameSignalMsMax, startStopMsMax } from '../limits.ts'
import { isMetered, readSettings, type Settings } from '../settings.ts'
import { softwareVersion } from '../version.ts'
import { endAtOnce } from './end-at-once.ts'
import type { PagesThread } from './pages-thread.ts'
import { warnOfLibrary } from './platform.ts'
import { ServiceManager } from './service-manager.ts'
import type { Pages, Service } from './supervisor.ts'
import { ServerThreads } from './threads.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Returns the exit code; the process ends soon after.
 * @param onServing called when requests are answered, and the pages can be opened if there are any
 * @param usualWebPort where pages are without a setting; any free port if it is taken
 */
export async function serveUntilSignal(
  onServing?: (service: Service, settings: Settings) => Promise<void>,
  usualWebPort?: number,
): Promise<number> {
  let service: Service | undefined
  let signalled: Promise<NodeJS.Signals>
  let manager: ServiceManager
  let log: Logger
  let drainMs = 0
  try {
    const given = readSettings()
    // Settings are looked at without turns of the event loop. As long as nobody listens, a signal ends the process by itself.
    signalled = firstSignal(() => service?.reload())
    signalled.then(() => setTimeout(() => service ?? endUnserved(), startStopMsMax).unref())
    const settings = { ...given, WEB_PORT: given.WEB_PORT ?? usualWebPort }
    drainMs = settings.DRAIN_SECONDS * 1000
    const threads = new ServerThreads(settings, await reserveBlocks(settings))
    const pages = settings.WEB_PORT === undefined ? undefined : await startPages(settings)
    // The supervisor's modules are many: what its threads run is loaded beside them.
    const [{ makeLog }, { CurrentVersion }] = await Promise.all([import('../log/log.ts'), import('./current.ts')])
    log = makeLog(settings.LOG_LEVEL, { software: softwareVersion })
    // And the version is read beside the rest of them.
    const reading = CurrentVersion.beginReading(settings, log, pages)
    // Who waits for it comes when they are loaded.
    reading.catch(() => undefined)
    const { startService } = await import('./supervisor.ts')
    manager = new ServiceManager(log)
    service = await startService(settings, log, reading, threads, pages, given.WEB_PORT === undefined)
    warnOfLibrary(log)
    console.log(`listening on ${service.address}`)
    if (service.pages !== undefined) await told(service.pages)
    if (service.metrics !== undefined) console.log(`metrics on ${service.metrics}/metrics`)
    await onServing?.(service, settings)
    const { threads: serving } = service
    manager.ready((msMax) => serving.areWell(msMax))
  } catch (error) {
    console.error((error as Error).message)
    return ending(1)
  }
  const signal = await signalled
  const from = performance.now()
  log.info({ signal, drainMs }, 'stopping')
  manager.stopping()
  if (drainMs > 0) {
    service.drain()
    await new Promise((resume) => setTimeout(resume, drainMs))
  }
  manager.end()
  const givenUp = await service.stop()
  const ms = Math.round(performance.now() - from)
  if (givenUp === 0) log.info({ ms }, 'stopped; every request was answered')
  else log.warn({ ms, givenUp }, 'stopped; the last requests could not be answered in time')
  return ending(0)
}

/** Nothing of it is loaded where nothing is counted. */
async function reserveBlocks(settings: Settings): Promise<SharedArrayBuffer[]> {
  if (!isMetered(settings)) return []
  const { reserveBlocks } = await import('../metrics/cells.ts')
  return reserveBlocks(settings.THREADS)
}

/** Nothing of it is loaded where nobody asks for pages. */
async function startPages(settings: Settings): Promise<PagesThread> {
  const { PagesThread } = await import('./pages-thread.ts')
  return new PagesThread(settings)
}

/** Tells where the pages are when they can be opened; a start waits for that, unless a first try fails. */
function told({ address, up, failed }: Pages): Promise<void> {
  return Promise.race([up.then(() => console.log(`pages on ${address}`)), failed])
}

/**
 * Resolves at the first signal. A second one ends the process at once, as if nobody listened. SIGHUP calls `reload`, unless
 * it is a terminal's that was closed: then it is a first signal.
 */
function firstSignal(reload: () => void): Promise<NodeJS.Signals> {
  const begunInTerminal = isatty(0) && hasTerminal()
  return new Promise((resolve) => {
    process.on('SIGHUP', () => (begunInTerminal && !hasTerminal() ? resolve('SIGHUP') : reload()))
    let firstAt: number | undefined
    const hear = (signal: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAt > sameSignalMsMax) {
        for (const name of signals) process.off(name, hear)
        process.kill(process.pid, signal)
      }
    }
    for (const name of signals) process.on(name, hear)
  })
}

/** Whether there is one that this process is part of. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** The exit code, with which the process ends even if something is left that would keep it. */
function ending(code: number): number {
  setTimeout(() => endAtOnce(code), processEndMsMax).unref()
  return code
}

function endUnserved(): never {
  console.error('told to end before it served: what the start waits for is left')
  return endAtOnce(0)
}
