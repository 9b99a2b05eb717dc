/** Collects the metrics of a server and serves them. Loaded only with METRICS_PORT. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountsHost } from '../accounts/accounts-host.ts'
import { addressOf } from '../addresses.ts'
import { Problems } from '../api/problems.ts'
import { readBuildFailure } from '../build-failure.ts'
import type { RemoteFigures } from '../indexes/origins/remote-pointer.ts'
import { readUpdatesOfServer } from '../last-updates.ts'
import { metricsServer } from '../metrics/listener.ts'
import { Metrics } from '../metrics/metrics-registry.ts'
import type { ServerFigures } from '../metrics/server-rows.ts'
import { countersOf } from '../metrics/thread-counters.ts'
import type { Settings } from '../settings.ts'
import { expiryOf, type ServedCertificate } from './certificate.ts'
import type { CurrentVersion } from './current.ts'
import { cantListen } from './free-port.ts'
import type { PagesThread } from './threads/pages-thread.ts'
import type { ServerThreads } from './threads/threads.ts'

/** How long a scrape waits for the threads' counters, and for the records of the last updates. */
const lookMsMax = 500

export interface MetricsSources {
  readonly accounts: AccountsHost
  readonly current: CurrentVersion
  readonly threads: ServerThreads
  /** Undefined without WEB_PORT. */
  readonly pagesThread: PagesThread | undefined
  /** The API's address, as callers see it. */
  readonly api: string
  /** Undefined without TLS. */
  readonly certificate: ServedCertificate | undefined
}

export interface ServedMetrics {
  /** `http://METRICS_HOST:METRICS_PORT`, with the real port. */
  readonly address: string
  /** Makes /healthz answer 503 from now on. */
  drain(): void
  close(): Promise<void>
}

/** Throws ListenError. */
export async function serveMetrics(settings: Settings, sources: MetricsSources, log: Logger): Promise<ServedMetrics> {
  const { METRICS_HOST, METRICS_PORT, API_FORM } = settings
  const { current, threads } = sources
  const metrics = new Metrics(API_FORM, threads.blocks.map(countersOf), () => figuresOf(settings, sources))
  const unavailable = new Problems(API_FORM).of('SERVICE_UNAVAILABLE')
  let isDraining = false
  const health = () => (isDraining || threads.figures.up === 0 ? unavailable : (current.health ?? unavailable))
  const { contentType } = metrics
  const server = metricsServer({ contentType, render: () => metrics.render(), health }, log)
  const port = await server.listen(METRICS_HOST, METRICS_PORT!).catch((error) => {
    throw cantListen(METRICS_HOST, METRICS_PORT!, { host: 'METRICS_HOST', port: 'METRICS_PORT' }, error)
  })
  return {
    address: addressOf(METRICS_HOST, port, { TLS_CERT: undefined }),
    drain: () => {
      isDraining = true
    },
    // Scrapes in flight get no time to finish, because Prometheus scrapes again.
    close: () => server.close(0),
  }
}

async function figuresOf({ WEB_PORT, INDEX_DIR }: Settings, sources: MetricsSources): Promise<ServerFigures> {
  const { accounts, current, threads, pagesThread, api, certificate } = sources
  const timeout = pause(lookMsMax, undefined, { ref: false })
  const [sessions, updates = {}, buildFailure] = await Promise.all([
    WEB_PORT === undefined ? undefined : accounts.sessions,
    Promise.race([readUpdatesOfServer(INDEX_DIR), timeout]),
    Promise.race([readBuildFailure(INDEX_DIR), timeout]),
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
    hungThreads: accounts.hungThreads,
    pagesThreadFailures: pagesThread?.failures,
    database: accounts.replication,
    flushAgeMs: accounts.flusher.ageMs,
    flushFailures: accounts.flusher.failures,
    byPlan: accounts.byPlan,
    sessions,
    certificateExpiresAt: certificate && expiryOf(certificate.pair),
    backedUpAt: accounts.backedUpAt,
    updates,
    isBuildFailed: buildFailure !== undefined,
  }
}

function behindMs({ version, namedAtMs }: RemoteFigures, served: string | undefined): number {
  return version === undefined || version === served ? 0 : performance.now() - namedAtMs
}
