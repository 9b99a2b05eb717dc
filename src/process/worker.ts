/**
 * A server thread. It answers with the version that it was last switched to:
 *
 *   supervisor ─ begin ───▶ thread ─ started ──────────────────────▶ supervisor       once, before all others
 *              ─ prepare ─▶        ─ prepared, or refused and why ─▶
 *              ─ switch ──▶        ─ switched ─────────────────────▶   or:
 *              ─ drop ────▶        (forgets what it has prepared)
 *              ─ describe ▶        (answers with it where the interface is asked for)
 *              ─ secure ──▶        ─ secured, or refused and why ──▶
 *              ─ listen ──▶        ─ listening, on which port ─────▶
 *              ─ ping ────▶        ─ well ─────────────────────────▶
 *              ─ look ────▶        ─ looked ───────────────────────▶   at what its cells do not have as it happens
 *              ─ drain ───▶        (tells that it will stop)
 *              ─ stop ────▶        ─ stopped, and what it gave up ─▶   and ends
 *
 * The supervisor waits for each answer before its next order. The process ends if a thread dies with a connection open,
 * so every way out closes the server first.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Authenticator } from '../accounts/authenticator.ts'
import type { SharedAccounts } from '../accounts/shared.ts'
import { type Dataset, openDataset } from '../api/dataset.ts'
import type { CertificateFiles } from '../http/connections/apps.ts'
import { Server } from '../http/server.ts'
import type { VersionFiles } from '../indexes/version.ts'
import { makeLog } from '../log/log.ts'
import type { Settings } from '../settings.ts'
import { releaseMemory } from './memory.ts'

export interface ThreadOptions {
  readonly settings: Settings
  /** Of its seat, where it counts; absent if nothing is counted. */
  readonly block?: SharedArrayBuffer | undefined
}

export type ToThread =
  | { readonly type: 'begin'; readonly accounts: SharedAccounts }
  | { readonly type: 'prepare'; readonly version: VersionFiles }
  | { readonly type: 'switch' }
  | { readonly type: 'drop' }
  /** As soon as it is made, and when it becomes another: the bytes are shared. */
  | { readonly type: 'describe'; readonly description: Uint8Array }
  | { readonly type: 'secure'; readonly certificate: CertificateFiles }
  /** @see Apps.listen */
  | { readonly type: 'listen'; readonly port: number; readonly exclusive: boolean }
  | { readonly type: 'ping' }
  | { readonly type: 'look' }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }

export type FromThread =
  | { readonly type: 'started' }
  | { readonly type: 'prepared'; readonly reason: string | undefined }
  | { readonly type: 'switched' }
  | { readonly type: 'secured'; readonly reason: string | undefined }
  | { readonly type: 'listening'; readonly port: number | undefined }
  | { readonly type: 'well' }
  | { readonly type: 'looked' }
  /** @see Server.stop */
  | { readonly type: 'stopped'; readonly givenUp: number }

const supervisor = parentPort as MessagePort
const { settings, block } = workerData as ThreadOptions
const log = makeLog(settings.LOG_LEVEL)
const counting = block && new (await import('./counting.ts')).Counting(block, settings, log)
/** Both are there from `begin` on. */
let gate: Authenticator
let server: Server
const tell = (message: FromThread) => supervisor.postMessage(message)

/** What is opened, but not answered from. */
let prepared: Dataset | undefined

function begin(accounts: SharedAccounts): void {
  gate = new Authenticator(accounts, Date.now, counting?.cells.keyRefusals)
  server = new Server({ settings, authenticator: gate, log, instrumentation: counting?.instrumentation })
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a server thread failed')
    server.apps.close()
    process.exit(1)
  })
  tell({ type: 'started' })
}

/** Whatever opening throws is said of the version: the one that answers goes on. */
async function prepare(version: VersionFiles): Promise<void> {
  try {
    prepared = await openDataset(version)
    tell({ type: 'prepared', reason: undefined })
  } catch (error) {
    tell({ type: 'prepared', reason: (error as Error).message })
  }
}

function switchOver(): void {
  server.data = prepared
  prepared = undefined
  releaseMemory()
  tell({ type: 'switched' })
}

function drop(): void {
  prepared = undefined
  releaseMemory()
}

function secure(certificate: CertificateFiles): void {
  try {
    server.apps.secure(certificate)
    tell({ type: 'secured', reason: undefined })
  } catch (error) {
    tell({ type: 'secured', reason: `the HTTP library can't use it (${(error as Error).message})` })
  }
}

function look(): void {
  counting?.look(server)
  tell({ type: 'looked' })
}

async function stop(): Promise<void> {
  const hasBegun = server !== undefined
  const givenUp = hasBegun ? await server.stop() : 0
  if (hasBegun) gate.close()
  tell({ type: 'stopped', givenUp })
  supervisor.close()
}

supervisor.on('message', async (message: ToThread) => {
  if (message.type === 'prepare') await prepare(message.version)
  else if (message.type === 'switch') switchOver()
  else if (message.type === 'drop') drop()
  else if (message.type === 'describe') server.describe(message.description)
  else if (message.type === 'secure') secure(message.certificate)
  else if (message.type === 'ping') tell({ type: 'well' })
  else if (message.type === 'look') look()
  else if (message.type === 'drain') server.drain()
  else if (message.type === 'stop') await stop()
  else if (message.type === 'begin') begin(message.accounts)
  else tell({ type: 'listening', port: await server.apps.listen(settings.HOST, message.port, message.exclusive) })
})
