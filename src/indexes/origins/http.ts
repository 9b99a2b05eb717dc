/**
 * The origin with INDEX_URL. It downloads the version that the remote `current` names to INDEX_DIR, from where it is loaded.
 * So the network never delays requests.
 *
 *   INDEX_URL/current ── every 5 s ── differs from INDEX_DIR/current ─▶ download ─▶ INDEX_DIR/current ─▶ load
 *                                     or the local one is damaged        └─ fails: again after 1, 2, 4 … 60 s
 *
 * The remote version is right, whether older or newer than the local one.
 */
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { indexUrlAskMs } from '../../limits.ts'
import { type Following, follow } from '../../platform/follow.ts'
import type { Settings } from '../../settings.ts'
import { IndexError, unlessDamaged } from '../format.ts'
import { readCurrent } from '../manifest.ts'
import type { VersionFiles } from '../version.ts'
import { downloadInThread } from './download-thread.ts'
import { emptyMessageOf, FolderOrigin } from './folder.ts'
import type { RemoteFigures, VersionOrigin } from './origin.ts'
import { RemotePointer } from './remote-pointer.ts'
import { WebFolder } from './web-folder.ts'

type HttpSettings = Pick<Settings, 'INDEX_DIR' | 'INDEX_URL' | 'INDEX_URL_HEADER'>

export class HttpOrigin implements VersionOrigin {
  readonly #indexDir: string
  readonly #folder: FolderOrigin
  readonly #remote: RemotePointer
  readonly #task: Parameters<typeof downloadInThread>[0]
  /** Without user info. */
  readonly #address: string
  readonly #log: Logger
  readonly #ending = new AbortController()
  #following: Following | undefined
  #downloading: Promise<unknown> = Promise.resolve()
  /** The version in INDEX_DIR could not be loaded. */
  #isDamaged = false
  #downloads = 0

  constructor({ INDEX_DIR, INDEX_URL, INDEX_URL_HEADER }: HttpSettings, log: Logger) {
    this.#indexDir = INDEX_DIR
    this.#folder = new FolderOrigin(INDEX_DIR, log)
    const web = new WebFolder(INDEX_URL!, INDEX_URL_HEADER)
    this.#remote = new RemotePointer(web)
    this.#task = { indexUrl: INDEX_URL!, header: INDEX_URL_HEADER, indexDir: INDEX_DIR }
    this.#address = web.addressOf('')
    this.#log = log
  }

  stamp(): Promise<string> {
    return this.#folder.stamp()
  }

  /** At the start, a damaged version is no error, because it is downloaded again. */
  async load(): Promise<VersionFiles | undefined> {
    try {
      return await this.#folder.load()
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
      this.#isDamaged = true
      if (this.#following !== undefined) throw error
      this.#log.error(`the version that current names is rejected; retrying: ${error.message}`)
      return undefined
    }
  }

  emptyMessage(): string {
    const path = resolve(this.#indexDir)
    return `${emptyMessageOf(path)}: it is fetched from ${this.#address}; until then all is answered 503`
  }

  begin(): void {
    this.#following = follow(() => this.#remoteStamp(), '', {
      pollMs: indexUrlAskMs,
      apply: () => this.#download(),
      onRejection: (reason) => this.#log.error(`the version at INDEX_URL could not be downloaded; retrying: ${reason}`),
    })
  }

  async end(): Promise<void> {
    this.#following?.end()
    this.#ending.abort(new IndexError('the server stops'))
    await this.#downloading.catch(() => undefined)
  }

  get remote(): RemoteFigures {
    return this.#remote.figures
  }

  /** Changes with every download, independent of the local `current`. */
  async #remoteStamp(): Promise<string> {
    const named = await this.#remote.ask(this.#ending.signal)
    const here = await unlessDamaged(readCurrent(this.#indexDir))
    return named === here && !this.#isDamaged ? '' : `${named} ${this.#downloads}`
  }

  async #download(): Promise<void> {
    const from = performance.now()
    const downloading = downloadInThread(this.#task, this.#ending.signal)
    this.#downloading = downloading
    const { version, files, bytes } = await downloading
    this.#isDamaged = false
    this.#downloads++
    const seconds = Number(((performance.now() - from) / 1000).toFixed(3))
    this.#log.info({ version, files, bytes, seconds }, 'fetched')
  }
}
