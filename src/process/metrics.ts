/** Collects the metrics of a server and serves them. Loaded only with METRICS_PORT. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountsHost } from '../accounts/host.ts'
import { addressOf } from '../addresses.ts'
import { Problems } from '../api/problems.ts'
import type { RemoteFigures } from '../indexes/origins/remote-pointer.ts'
import { readUpdatesOfServer } from '../last-updates.ts'
import { countersOf } from '../metrics/counters.ts'
import { metricsServer } from '../metrics/listener.ts'
import { Metrics } from '../metrics/registry.ts'
import type { ServerFigures } from '../metrics/server-rows.ts'
import type { BoundedServer } from '../node-http/server.ts'
import type { Settings } from '../settings.ts'
import type { ServedCertificate } from './certificate.ts'
import type { CurrentVersion } from './current.ts'
import { cantListen } from './port.ts'
import type { ServerThreads } from './threads/threads.ts'

/** How long a scrape waits for the threads, and for the count of accounts. */
const lookMsMax = 500

export interface MetricsSources {
  readonly accounts: AccountsHost
  readonly current: CurrentVersion
  readonly threads: ServerThreads
  /** The API's address, as callers see it. */
  readonly api: string
  /** Undefined without TLS. */
  readonly certificate: ServedCertificate | undefined
}

export class MetricsService {
  readonly #server: BoundedServer
  readonly #owners: MetricsSources
  readonly #hasPages: boolean
  readonly #indexDir: string
  /** `http://METRICS_HOST:METRICS_PORT`, with the real port. */
  address = ''
  #draining = false

  private constructor(settings: Settings, owners: MetricsSources, log: Logger) {
    this.#owners = owners
    this.#hasPages = settings.WEB_PORT !== undefined
    this.#indexDir = settings.INDEX_DIR
    const metrics = new Metrics(settings.API_FORM, owners.threads.blocks.map(countersOf), () => this.#collect())
    const unavailable = new Problems(settings.API_FORM).of('SERVICE_UNAVAILABLE')
    const { current, threads } = owners
    const health = () => (this.#draining || threads.figures.up === 0 ? unavailable : (current.health ?? unavailable))
    const { contentType } = metrics
    this.#server = metricsServer({ contentType, render: () => metrics.render(), health }, log)
  }

  /** Throws ListenError. */
  static async serve(settings: Settings, owners: MetricsSources, log: Logger): Promise<MetricsService> {
    const { METRICS_HOST, METRICS_PORT } = settings
    const served = new MetricsService(settings, owners, log)
    try {
      const port = await served.#server.listen(METRICS_HOST, METRICS_PORT!)
      served.address = addressOf(METRICS_HOST, port, { TLS_CERT: undefined })
    } catch (error) {
      throw cantListen(METRICS_HOST, METRICS_PORT!, { host: 'METRICS_HOST', port: 'METRICS_PORT' }, error)
    }
    return served
  }

  /** From now on /healthz answers 503. */
  drain(): void {
    this.#draining = true
  }

  /** Closes all connections at once. A client that was waiting asks again. */
  close(): Promise<void> {
    return this.#server.close(0)
  }

  async #collect(): Promise<ServerFigures> {
    const { accounts, current, threads, api, certificate } = this.#owners
    const timeout = pause(lookMsMax, undefined, { ref: false })
    const [sessions, updates = {}] = await Promise.all([
      this.#hasPages ? accounts.sessions : undefined,
      Promise.race([readUpdatesOfServer(this.#indexDir), timeout]),
      threads.updateCounters(lookMsMax),
    ])
    const { served, taken, refused, isRefusing, published } = current.figures
    const { up, failures } = threads.figures
    return {
      api,
      served,
      versionsTaken: taken,
      versionsRefused: refused,
      isVersionRefused: isRefusing,
      isIndexUrlUp: published?.isUp,
      versionBehindMs: published && behindMs(published, served?.version),
      threadsUp: up,
      threadFailures: failures,
      isQuotaStoreUp: accounts.leases?.isStoreUp,
      accountsStore: accounts.replication,
      flushAgeMs: accounts.flusher.ageMs,
      flushFailures: accounts.flusher.failures,
      byPlan: accounts.byPlan,
      sessions,
      certificateExpiresAt: certificate?.expiresAt,
      backedUpAt: accounts.backedUpAt,
      updates,
    }
  }
}

function behindMs({ version, namedAtMs }: RemoteFigures, served: string | undefined): number {
  return version === undefined || version === served ? 0 : performance.now() - namedAtMs
}
