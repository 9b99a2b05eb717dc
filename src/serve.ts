/**
 * The supervisor: it owns what the server threads share and never answers a request itself.
 *
 *   indexes/current ─load─▶ shared memory ─▶ ┌ thread ┐ ◀─ one port ─ callers
 *   store/ ◀─counts─▶ shared memory ───────▶ └ thread ┘
 */
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import { AccountsHost } from './accounts/host.ts'
import { IndexError } from './indexes/format.ts'
import { loadVersion, type VersionFiles } from './indexes/load.ts'
import { readCurrent } from './indexes/manifest.ts'
import { releaseMemory } from './memory.ts'
import { freePort, ListenError } from './port.ts'
import type { Settings } from './settings.ts'
import { ServerThreads } from './threads.ts'
import { currentStamp, watchCurrent } from './watch.ts'

export interface Service {
  /** `http://HOST:PORT`, with the real port. */
  readonly address: string
  readonly accounts: AccountsHost
  /** Answers what is in flight, saves the counts. */
  stop(): Promise<void>
}

/** Throws IndexError if the current version is broken, ListenError if the address can't be had. */
export async function serve(settings: Settings, log: Logger): Promise<Service> {
  const { INDEX_DIR, STORE_DIR, QUOTA_STORE, QUOTA_FAIL, THREADS } = settings
  const seen = await currentStamp(INDEX_DIR)
  const loading = loadCurrent(INDEX_DIR)
  loading.catch(() => undefined)
  const accounts = await AccountsHost.open({ storeDir: STORE_DIR, quotaStore: QUOTA_STORE, quotaFail: QUOTA_FAIL, log })
  const threads = new ServerThreads(THREADS, { settings, accounts: accounts.shared }, log)
  let unwatch = () => {}
  const stop = async () => {
    unwatch()
    await threads.stop()
    await accounts.close()
  }
  try {
    const version = await loading
    if (version === undefined) log.warn(`no version is published in ${INDEX_DIR} yet`)
    else await open(threads, version, log)
    unwatch = watchCurrent(INDEX_DIR, seen, () => takeUp(INDEX_DIR, threads, log))
    const port = await listen(threads, settings)
    return { address: addressOf(settings, port), accounts, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function loadCurrent(indexDir: string): Promise<VersionFiles | undefined> {
  const version = await readCurrent(indexDir)
  return version === undefined ? undefined : loadVersion(indexDir, version)
}

/** Throws IndexError if the threads refuse it. */
async function open(threads: ServerThreads, version: VersionFiles, log: Logger): Promise<void> {
  const refused = await threads.open(version)
  if (refused !== undefined) throw new IndexError(refused)
  const { version: name, asOf, counts } = version.manifest
  log.info({ version: name, asOf, cards: counts.cards }, 'serving')
}

/** A broken version is refused with one line, and the one that is served goes on. */
async function takeUp(indexDir: string, threads: ServerThreads, log: Logger): Promise<void> {
  try {
    const version = await loadCurrent(indexDir)
    if (version !== undefined) await open(threads, version, log)
    releaseMemory()
  } catch (error) {
    if (error instanceof IndexError) log.error(`the new version is refused: ${error.message}`)
    else log.error({ err: error }, 'the new version could not be taken up')
  }
}

/** Alone, a thread takes the port for itself; several share one, which is tried first, since sharing asks nobody. */
async function listen(threads: ServerThreads, { HOST, PORT, THREADS }: Settings): Promise<number> {
  try {
    return THREADS === 1 ? await threads.listen(PORT, true) : await threads.listen(await freePort(HOST, PORT), false)
  } catch (error) {
    if (error instanceof ListenError)
      throw new ListenError(`${HOST}:${PORT} can't be listened on: it is taken or not this machine's`)
    throw error
  }
}

function addressOf({ HOST, TLS_CERT }: Settings, port: number): string {
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${port}`
}
