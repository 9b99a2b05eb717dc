/**
 * The thread of the pages. The supervisor sends it messages. The thread replies only to `begin`:
 *
 *   supervisor ─ secure ──▶ thread                                 (new connections use this certificate)
 *              ─ begin ───▶        ─ listening ─▶ supervisor       once
 *              ─ version ─▶        (pages show this version)
 *              ─ describe ▶        (the reference page shows this description)
 *              ─ stop ────▶        (the thread ends)
 *
 * The thread may fail at any time. No other thread waits for it, and the supervisor starts a new one.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openReplication } from '../accounts/replication/open-replication.ts'
import type { Replication } from '../accounts/replication/replication.ts'
import { OperatorSignIns, SignIns } from '../accounts/sign-ins.ts'
import { contactAddress } from '../indexes/about-file.ts'
import type { VersionFiles } from '../indexes/load.ts'
import { bytesOf } from '../indexes/manifest.ts'
import { pagesStopMsMax } from '../limits.ts'
import { makeLog } from '../log/log.ts'
import type { BoundedServer, Certificate } from '../node-http/bounded-server.ts'
import { lowerPriority } from '../platform/lower-priority.ts'
import { releaseMemory } from '../platform/memory.ts'
import { openQuota } from '../quota/open-quota.ts'
import type { Quota } from '../quota/quota.ts'
import type { Settings } from '../settings.ts'
import { Store } from '../store/store.ts'
import { makeApp, pagesServer } from './app.ts'
import { loadAssets } from './assets.ts'
import { Description } from './docs/description.ts'
import { makeLookUps } from './shared/look-ups.ts'
import { CurrentData, type Desk, type Site } from './site.ts'

export interface PagesOptions {
  readonly pages: Settings
}

/** What the supervisor knows of the site, and where the pages' server listens. */
type PagesBegin = Pick<Site, 'accounts' | 'url' | 'api' | 'apiPort'> & {
  readonly host: string
  readonly port: number
  /** Shared memory of the operator's pages: the hours of requests, and the counters of the server threads. */
  readonly desk: { readonly hours: SharedArrayBuffer; readonly counters: readonly SharedArrayBuffer[] } | undefined
}

export type ToPages =
  | ({ readonly type: 'begin' } & PagesBegin)
  | { readonly type: 'version'; readonly version: VersionFiles; readonly since: number }
  /** The bytes are the same as those that the server threads get. */
  | { readonly type: 'describe'; readonly description: Uint8Array }
  /** The supervisor sends this before `begin`, and when the certificate changes. */
  | { readonly type: 'secure'; readonly certificate: Certificate }
  | { readonly type: 'stop' }

const supervisor = parentPort as MessagePort
const { pages: settings } = workerData as PagesOptions
const log = makeLog(settings)
const data = new CurrentData()
const description = new Description()
let certificate: Certificate | undefined
let store: Store | undefined
let quota: Quota | undefined
let server: BoundedServer | undefined

/**
 * The interval at which the counters of requests are read. A request counts for the hour in which its counter is read.
 */
const requestReadingMs = 5000

/** On Linux, each thread has its own niceness. With this one, the system prefers the server threads. */
const niceness = 19

async function begin({ host, port, desk, ...shown }: PagesBegin): Promise<void> {
  store = new Store(shown.accounts.storeDir)
  // The last argument confirms nothing, because the pages notify the threads of this process themselves.
  const { replication, others } = await openReplication(store, settings.DATABASE_URL, async () => undefined)
  quota = openQuota(shown.accounts.quota, store, Date.now)
  const site: Site = {
    ...shown,
    store,
    replication,
    signIns: new SignIns(store, replication),
    others,
    trustsProxy: settings.WEB_TRUST_PROXY === '1',
    data,
    description,
    log,
    assets: loadAssets(),
    lookUps: makeLookUps(),
    quota,
    clock: Date.now,
    desk: desk && (await openDesk(desk, store, replication)),
  }
  server = pagesServer(makeApp(site), certificate)
  await server.listen(host, port)
  supervisor.postMessage('listening')
  // The priority is lowered only now. If this thread replaces a failed one, people wait until it listens.
  giveWay()
  releaseMemory()
}

/** This is called only with OPERATOR_PAGES. Otherwise, the modules of the operator's pages are not loaded. */
async function openDesk(
  { hours, counters }: NonNullable<PagesBegin['desk']>,
  own: Store,
  replication: Replication,
): Promise<Desk> {
  const { addDesk } = await import('./operator/desk.ts')
  const { DoctorRuns } = await import('./operator/doctor-runs.ts')
  const { RequestHours } = await import('./operator/request-hours.ts')
  const requests = new RequestHours(hours, counters)
  setInterval(() => requests.read(Date.now()), requestReadingMs).unref()
  const doctor = new DoctorRuns()
  const signIns = new OperatorSignIns(own, replication)
  const { INDEX_DIR: indexDir, INDEX_URL } = settings
  return { signIns, requests, doctor, indexDir, isDownloading: INDEX_URL !== undefined, addPages: addDesk }
}

/** Lowers the thread's priority. If a seccomp filter forbids this, the priority stays. */
function giveWay(): void {
  const error = process.platform === 'linux' ? lowerPriority(niceness) : undefined
  if (error !== undefined) log.warn({ err: error }, "the pages can't get a lower priority than the API")
}

/** @param since when the version was first served (ms since 1970) */
function show(version: VersionFiles, since: number): void {
  const replaced = data.manifest
  data.show(version, since)
  if (replaced === undefined && contactAddress(data.about) === undefined) log.debug(noContact)
  releaseMemory(replaced && bytesOf(replaced.files))
}

const noContact =
  'about.json has no contact that is a mail or web address, so the first page has no button "Ask for an account"'

async function stop(): Promise<void> {
  await server?.close(pagesStopMsMax / 2)
  quota?.close()
  await store?.close()
  // Without this, an open connection to the database would keep the thread running.
  process.exit()
}

supervisor.on('message', async (message: ToPages) => {
  if (message.type === 'begin') await begin(message)
  else if (message.type === 'stop') await stop()
  else if (message.type === 'describe') description.show(message.description)
  else if (message.type === 'version') show(message.version, message.since)
  else {
    certificate = message.certificate
    server?.secure(certificate)
  }
})
