/**
 * A server thread. It answers from the version that it was last switched to. The supervisor calls the functions of
 * `calls`. The supervisor sends the next version, certificate or port only after the thread has taken the previous one.
 * If a thread ended with an open connection, the whole process would end. So a thread always closes its server before
 * it ends.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Authenticator } from '../../accounts/authenticator.ts'
import type { SharedAccounts } from '../../accounts/shared.ts'
import { type Dataset, openDataset } from '../../api/dataset.ts'
import { idle, opening } from '../../http/activity.ts'
import type { CertificateFiles } from '../../http/connections/apps.ts'
import type { Place } from '../../http/connections/listening-port.ts'
import { Server } from '../../http/server.ts'
import type { VersionFiles } from '../../indexes/load.ts'
import { makeLog } from '../../log/log.ts'
import { releaseMemory } from '../../platform/memory.ts'
import { noteThreadNumber } from '../../platform/thread-time.ts'
import type { Settings } from '../../settings.ts'

export interface ThreadOptions {
  readonly settings: Settings
  readonly accounts: SharedAccounts
  /** The counters of the thread's slot; absent if nothing is counted. */
  readonly block?: SharedArrayBuffer | undefined
  /** See `noteThreadNumber`. */
  readonly number: Int32Array
  /** The thread's current activity: see http/activity.ts. */
  readonly activity: Int32Array
}

export interface Call {
  readonly id: number
  readonly name: keyof Calls
  readonly values: readonly unknown[]
}

export interface Result {
  readonly id: number
  readonly value: unknown
}

const supervisor = parentPort as MessagePort
const { settings, accounts, block, number, activity } = workerData as ThreadOptions
noteThreadNumber(number)
const log = makeLog(settings)
const counting = block && new (await import('./counting.ts')).RequestCounting(block, settings, log)
const authenticator = new Authenticator(accounts, Date.now, counting?.cells.keyRefusals)
const server = new Server({ settings, authenticator, log, activity, instrumentation: counting?.instrumentation })
let prepared: Dataset | undefined

const calls = {
  /** Opens a version beside the current one. Returns the reason if that fails. */
  async prepare(version: VersionFiles): Promise<string | undefined> {
    activity[0] = opening
    try {
      prepared = await openDataset(version)
      return undefined
    } catch (error) {
      return (error as Error).message
    } finally {
      activity[0] = idle
    }
  },

  /** Answers from the prepared version. */
  switch(): void {
    const replaced = server.data
    server.data = prepared
    prepared = undefined
    releaseMemory(replaced?.bytes)
  },

  drop(): void {
    const dropped = prepared
    prepared = undefined
    releaseMemory(dropped?.bytes)
  },

  /** @param description the API's description, in shared memory */
  describe(description: Uint8Array): void {
    server.answers.description = description
  },

  /** Uses this certificate for new connections. Returns the reason if that fails. */
  secure(certificate: CertificateFiles): string | undefined {
    try {
      server.apps.secure(certificate)
      return undefined
    } catch (error) {
      return `the HTTP library can't use it (${(error as Error).message})`
    }
  },

  /** @see Apps.listen */
  listen: (place: Omit<Place, 'host'>): Promise<number | undefined> =>
    server.apps.listen({ host: settings.HOST, ...place }),

  /** Returns when the event loop has a turn for it. */
  ping(): void {},

  /** Updates the counters that requests do not update. */
  update: (): void => counting?.update(server),

  /** From now on /healthz answers 503. */
  drain: (): void => server.drain(),

  /** Answers the requests in flight, then ends. Returns how many requests it gave up. */
  async stop(): Promise<number> {
    const givenUp = await server.stop()
    authenticator.close()
    // The port closes after the result has been sent.
    setImmediate(() => supervisor.close())
    return givenUp
  },
}

export type Calls = typeof calls

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'a server thread failed')
  server.apps.close()
  process.exit(1)
})

supervisor.on('message', async ({ id, name, values }: Call) => {
  const value = await (calls[name] as (...values: readonly unknown[]) => unknown)(...values)
  supervisor.postMessage({ id, value } satisfies Result)
})
