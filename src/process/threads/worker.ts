/**
 * A server thread. It answers from the version that it was last switched to. Messages and answers:
 *
 *   begin      started                     once, before all others
 *   prepare    prepared, or the reason     opens a version beside the present one
 *   switch     switched                    answers from the prepared version
 *   drop                                   drops the prepared version
 *   describe                               serves this description of the API
 *   secure     secured, or the reason      uses this certificate for new connections
 *   listen     listening, the port
 *   ping       well
 *   update     updated                     updates counters that are not kept up to date
 *   drain                                  /healthz answers 503
 *   stop       stopped, requests given up  ends
 *
 * The supervisor waits for each answer before its next message. If a thread died with an open connection, the process would end, so
 * every way out closes the server first.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Authenticator } from '../../accounts/authenticator.ts'
import type { SharedAccounts } from '../../accounts/shared.ts'
import { type Dataset, openDataset } from '../../api/dataset.ts'
import type { CertificateFiles } from '../../http/connections/apps.ts'
import { Server } from '../../http/server.ts'
import type { VersionFiles } from '../../indexes/version.ts'
import { makeLog } from '../../log/log.ts'
import { releaseMemory } from '../../platform/memory.ts'
import type { Settings } from '../../settings.ts'

export interface ThreadOptions {
  readonly settings: Settings
  /** Of its slot, for its counters; absent if nothing is counted. */
  readonly block?: SharedArrayBuffer | undefined
}

export type ToThread =
  | { readonly type: 'begin'; readonly accounts: SharedAccounts }
  | { readonly type: 'prepare'; readonly version: VersionFiles }
  | { readonly type: 'switch' }
  | { readonly type: 'drop' }
  /** In shared memory. */
  | { readonly type: 'describe'; readonly description: Uint8Array }
  | { readonly type: 'secure'; readonly certificate: CertificateFiles }
  /** @see Apps.listen */
  | { readonly type: 'listen'; readonly port: number; readonly exclusive: boolean }
  | { readonly type: 'ping' }
  | { readonly type: 'update' }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }

export type FromThread =
  | { readonly type: 'started' }
  | { readonly type: 'prepared'; readonly reason: string | undefined }
  | { readonly type: 'switched' }
  | { readonly type: 'secured'; readonly reason: string | undefined }
  | { readonly type: 'listening'; readonly port: number | undefined }
  | { readonly type: 'well' }
  | { readonly type: 'updated' }
  /** @see Server.stop */
  | { readonly type: 'stopped'; readonly givenUp: number }

const supervisor = parentPort as MessagePort
const { settings, block } = workerData as ThreadOptions
const log = makeLog(settings.LOG_LEVEL)
const counting = block && new (await import('./counting.ts')).RequestCounting(block, settings, log)
/** Set by `begin`. */
let authenticator: Authenticator
let server: Server
const send = (message: FromThread) => supervisor.postMessage(message)

let prepared: Dataset | undefined

function begin(accounts: SharedAccounts): void {
  authenticator = new Authenticator(accounts, Date.now, counting?.cells.keyRefusals)
  server = new Server({ settings, authenticator, log, instrumentation: counting?.instrumentation })
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a server thread failed')
    server.apps.close()
    process.exit(1)
  })
  send({ type: 'started' })
}

/** If the version can't be opened, the present one stays. */
async function prepare(version: VersionFiles): Promise<void> {
  try {
    prepared = await openDataset(version)
    send({ type: 'prepared', reason: undefined })
  } catch (error) {
    send({ type: 'prepared', reason: (error as Error).message })
  }
}

function switchOver(): void {
  server.data = prepared
  prepared = undefined
  releaseMemory()
  send({ type: 'switched' })
}

function drop(): void {
  prepared = undefined
  releaseMemory()
}

function secure(certificate: CertificateFiles): void {
  try {
    server.apps.secure(certificate)
    send({ type: 'secured', reason: undefined })
  } catch (error) {
    send({ type: 'secured', reason: `the HTTP library can't use it (${(error as Error).message})` })
  }
}

function update(): void {
  counting?.update(server)
  send({ type: 'updated' })
}

async function stop(): Promise<void> {
  const hasBegun = server !== undefined
  const givenUp = hasBegun ? await server.stop() : 0
  if (hasBegun) authenticator.close()
  send({ type: 'stopped', givenUp })
  supervisor.close()
}

supervisor.on('message', async (message: ToThread) => {
  if (message.type === 'prepare') await prepare(message.version)
  else if (message.type === 'switch') switchOver()
  else if (message.type === 'drop') drop()
  else if (message.type === 'describe') server.describe(message.description)
  else if (message.type === 'secure') secure(message.certificate)
  else if (message.type === 'ping') send({ type: 'well' })
  else if (message.type === 'update') update()
  else if (message.type === 'drain') server.drain()
  else if (message.type === 'stop') await stop()
  else if (message.type === 'begin') begin(message.accounts)
  else send({ type: 'listening', port: await server.apps.listen(settings.HOST, message.port, message.exclusive) })
})
