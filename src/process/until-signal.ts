/** A service from its start to the signal that ends it. */
import { processEndMsMax, sameSignalMsMax } from '../limits.ts'
import { readSettings, type Settings } from '../settings.ts'
import type { PagesThread } from './pages-thread.ts'
import { warnOfLibrary } from './platform.ts'
import type { Pages, Service } from './supervisor.ts'
import { ServerThreads } from './threads.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Returns the exit code; the process ends soon after.
 * @param onServing called when requests are answered, and the pages can be opened if there are any
 * @param env of the settings
 */
export async function serveUntilSignal(
  onServing?: (service: Service, settings: Settings) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const signalled = firstSignal()
  let service: Service
  try {
    const settings = readSettings(env)
    const threads = new ServerThreads(settings)
    const pages = settings.WEB_PORT === undefined ? undefined : await startPages(settings)
    // The supervisor's modules are many: what its threads run is loaded beside them.
    const [{ makeLog }, { startService }] = await Promise.all([import('../log/log.ts'), import('./supervisor.ts')])
    const log = makeLog(settings.LOG_LEVEL)
    service = await startService(settings, log, threads, pages)
    warnOfLibrary(log)
    console.log(`listening on ${service.address}`)
    if (service.pages !== undefined) await told(service.pages)
    onServing?.(service, settings)
  } catch (error) {
    console.error((error as Error).message)
    return ending(1)
  }
  await signalled
  await service.stop()
  return ending(0)
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

/** Resolves at the first signal. A second one ends the process at once, as if nobody listened. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const hear = (signal: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        resolve()
      } else if (performance.now() - firstAt > sameSignalMsMax) {
        for (const name of signals) process.off(name, hear)
        process.kill(process.pid, signal)
      }
    }
    for (const name of signals) process.on(name, hear)
  })
}

/** The exit code, with which the process ends even if something is left that would keep it. */
function ending(code: number): number {
  setTimeout(() => process.exit(code), processEndMsMax).unref()
  return code
}
