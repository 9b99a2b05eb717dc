/** A service from its start to the signal that ends it. */
import { once } from 'node:events'
import pino from 'pino'
import { type Service, serve } from './serve.ts'
import { readSettings, type Settings } from './settings.ts'

/** @param onServing called when requests are answered. Returns the exit code. */
export async function runUntilSignal(onServing?: (service: Service, settings: Settings) => void): Promise<number> {
  const stopped = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort())
  let service: Service
  try {
    const settings = readSettings()
    const log = pino({ level: settings.LOG_LEVEL }, pino.destination({ dest: 2, sync: true }))
    service = await serve(settings, log)
    console.log(`listening on ${service.address}`)
    onServing?.(service, settings)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
  if (!stopped.signal.aborted) await once(stopped.signal, 'abort')
  await service.stop()
  return 0
}
