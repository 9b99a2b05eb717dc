/**
 * With INDEX_URL, downloads the version that the remote `current` names to INDEX_DIR. The server loads it from there,
 * so the network never delays requests.
 *
 *   INDEX_URL/current ── every 5 s ── differs from INDEX_DIR/current ─▶ download ─▶ INDEX_DIR/current ─▶ load
 *                                     or the local one is damaged        └─ fails: again after 1, 2, 4 … 60 s
 *
 * The remote version always wins, whether it is older or newer than the local one.
 */
import assert from 'node:assert/strict'
import type { Logger } from 'pino'
import { type Following, follow } from '../../platform/follow.ts'
import { unlessDamaged } from '../format.ts'
import { readCurrent } from '../manifest.ts'
import type { TryOut } from './download-version.ts'
import { type RemoteFigures, RemotePointer } from './remote-pointer.ts'
import type { WebFolder } from './web-folder.ts'

/** How often the remote `current` is read. */
const indexUrlAskMs = 5000

assert(2 * indexUrlAskMs <= 10_000, 'a version is served within 10 s, of which the download may take half')

export class RemoteVersions {
  readonly #indexDir: string
  readonly #pointer: RemotePointer
  readonly #tryOut: TryOut
  readonly #log: Logger
  readonly #ending = new AbortController()
  #following: Following | undefined
  #downloads = 0
  /** The address of the remote folder, without user info. */
  readonly address: string
  /** True if the version in INDEX_DIR could not be loaded. It is then downloaded again. */
  isLocalDamaged = false

  constructor(web: WebFolder, indexDir: string, tryOut: TryOut, log: Logger) {
    this.#indexDir = indexDir
    this.#tryOut = tryOut
    this.#pointer = new RemotePointer(web)
    this.#log = log
    this.address = web.addressOf('')
  }

  get figures(): RemoteFigures {
    return this.#pointer.figures
  }

  begin(): void {
    this.#following = follow(() => this.#stamp(), '', {
      pollMs: indexUrlAskMs,
      apply: () => this.#download(),
      onRejection: (reason) => this.#log.error(`the version at INDEX_URL could not be downloaded; retrying: ${reason}`),
    })
  }

  end(): void {
    this.#following?.end()
    this.#ending.abort()
  }

  /**
   * Empty if the local version is the remote one and undamaged. Otherwise, a text with the remote version and the
   * number of downloads, so that it changes with every download.
   */
  async #stamp(): Promise<string> {
    const named = await this.#pointer.ask(this.#ending.signal)
    const here = await unlessDamaged(readCurrent(this.#indexDir))
    return named === here && !this.isLocalDamaged ? '' : `${named} ${this.#downloads}`
  }

  async #download(): Promise<void> {
    const from = performance.now()
    const { version, files, bytes } = await this.#pointer.download(this.#indexDir, this.#tryOut, this.#ending.signal)
    this.isLocalDamaged = false
    this.#downloads++
    const seconds = Number(((performance.now() - from) / 1000).toFixed(3))
    this.#log.info({ version, files, bytes, seconds }, 'fetched')
  }
}
