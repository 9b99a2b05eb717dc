/**
 * Versions that are published behind INDEX_URL. What its `current` names is brought to INDEX_DIR, and taken up from there:
 * the network is never in the way of what is served.
 *
 *   INDEX_URL/current ── every 5 s ── names another than INDEX_DIR/current ─▶ bring ─▶ INDEX_DIR/current ─▶ taken up
 *                                      or what lies here is not whole         └─ wrong: 1, 2, 4 … 60 s later again
 *
 * What is named there is what is published, be it older or newer than what is here.
 */
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { type Following, follow } from '../../follow.ts'
import { indexUrlAskMs } from '../../limits.ts'
import type { Settings } from '../../settings.ts'
import { IndexError } from '../format.ts'
import type { LoadingVersion } from '../load.ts'
import { readCurrent } from '../manifest.ts'
import { downloadInThread } from './download-thread.ts'
import { FolderSource, nothingIn } from './folder.ts'
import { RemotePointer } from './remote-pointer.ts'
import type { RemoteFigures, VersionSource } from './source.ts'
import { WebFolder } from './web-folder.ts'

type HttpSettings = Pick<Settings, 'INDEX_DIR' | 'INDEX_URL' | 'INDEX_URL_HEADER'>

export class HttpSource implements VersionSource {
  readonly #indexDir: string
  readonly #folder: FolderSource
  readonly #published: RemotePointer
  /** Where from, and where to. */
  readonly #task: Parameters<typeof downloadInThread>[0]
  /** Without user info. */
  readonly #address: string
  readonly #log: Logger
  readonly #ending = new AbortController()
  #following: Following | undefined
  #bringing: Promise<unknown> = Promise.resolve()
  /** What lies in INDEX_DIR could not be read. */
  #isDamaged = false
  #brought = 0

  constructor({ INDEX_DIR, INDEX_URL, INDEX_URL_HEADER }: HttpSettings, log: Logger) {
    this.#indexDir = INDEX_DIR
    this.#folder = new FolderSource(INDEX_DIR, log)
    const web = new WebFolder(INDEX_URL!, INDEX_URL_HEADER)
    this.#published = new RemotePointer(web)
    this.#task = { indexUrl: INDEX_URL!, header: INDEX_URL_HEADER, indexDir: INDEX_DIR }
    this.#address = web.addressOf('')
    this.#log = log
  }

  stamp(): Promise<string> {
    return this.#folder.stamp()
  }

  /** At the start what is not whole is no hindrance: it is fetched again. */
  async load(): Promise<LoadingVersion | undefined> {
    try {
      return await this.#folder.load()
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
      this.#isDamaged = true
      if (this.#following !== undefined) throw error
      this.#log.error(`the version that current names is refused: ${error.message}`)
      return undefined
    }
  }

  nothing(): string {
    const path = resolve(this.#indexDir)
    return `${nothingIn(path)}: it is fetched from ${this.#address}; until then all is answered 503`
  }

  begin(): void {
    this.#following = follow(() => this.#stampOfPublished(), '', {
      lookMs: indexUrlAskMs,
      take: () => this.#bring(),
      onRefusal: (reason) => this.#log.error(`what INDEX_URL publishes is not there yet, and tried again: ${reason}`),
    })
  }

  async end(): Promise<void> {
    this.#following?.end()
    this.#ending.abort(new IndexError('the server stops'))
    await this.#bringing.catch(() => undefined)
  }

  get published(): RemoteFigures {
    return this.#published.figures
  }

  /** What is brought is another state than before, whatever comes to be current here meanwhile. */
  async #stampOfPublished(): Promise<string> {
    const named = await this.#published.ask(this.#ending.signal)
    const here = await readCurrent(this.#indexDir).catch((error: unknown) => {
      if (error instanceof IndexError) return undefined
      throw error
    })
    return named === here && !this.#isDamaged ? '' : `${named} ${this.#brought}`
  }

  async #bring(): Promise<void> {
    const from = performance.now()
    const bringing = downloadInThread(this.#task, this.#ending.signal)
    this.#bringing = bringing
    const { version, files, bytes } = await bringing
    this.#isDamaged = false
    this.#brought++
    const seconds = Number(((performance.now() - from) / 1000).toFixed(3))
    this.#log.info({ version, files, bytes, seconds }, 'fetched')
  }
}
