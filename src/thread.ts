/**
 * A server thread. It opens each version that it is handed and answers with the newest one it could open:
 *
 *   supervisor ─ version ─▶ thread        thread ─ opened, or refused and why ─▶ supervisor
 *              ─ listen ──▶                      ─ listening, on which port ───▶
 *              ─ stop ────▶                      (ends)
 *
 * The process ends if a thread dies with a connection open, so every way out closes the server first.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { Gate } from './accounts/gate.ts'
import type { SharedAccounts } from './accounts/host.ts'
import { openDataset } from './dataset.ts'
import { Server } from './http/server.ts'
import { IndexError } from './indexes/format.ts'
import type { VersionFiles } from './indexes/load.ts'
import { releaseMemory } from './memory.ts'
import type { Settings } from './settings.ts'

export interface ThreadOptions {
  readonly settings: Settings
  readonly accounts: SharedAccounts
}

export type ToThread =
  | { readonly type: 'version'; readonly version: VersionFiles }
  /** @see Server.listen */
  | { readonly type: 'listen'; readonly port: number; readonly exclusive: boolean }
  | { readonly type: 'stop' }

export type FromThread =
  | { readonly type: 'opened'; readonly reason: string | undefined }
  | { readonly type: 'listening'; readonly port: number | undefined }

const supervisor = parentPort as MessagePort
const { settings, accounts } = workerData as ThreadOptions
const log = pino({ level: settings.LOG_LEVEL }, pino.destination({ dest: 2, sync: true }))
const gate = new Gate(accounts)
const server = new Server({ settings, gate, log })
const tell = (message: FromThread) => supervisor.postMessage(message)

/** Versions are opened one after the other, in the order in which they came. */
let opening = Promise.resolve()

async function open(version: VersionFiles): Promise<void> {
  try {
    server.data = await openDataset(version)
    releaseMemory()
    tell({ type: 'opened', reason: undefined })
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    tell({ type: 'opened', reason: error.message })
  }
}

async function stop(): Promise<void> {
  await server.stop()
  gate.close()
  supervisor.close()
}

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'a server thread failed')
  server.abort()
  process.exit(1)
})

supervisor.on('message', async (message: ToThread) => {
  if (message.type === 'version') opening = opening.then(() => open(message.version))
  else if (message.type === 'stop') await stop()
  else tell({ type: 'listening', port: await server.listen(settings.HOST, message.port, message.exclusive) })
})
