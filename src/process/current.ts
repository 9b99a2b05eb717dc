/**
 * Owns the served version: opens the version that `indexes/current` names, at the start and whenever it changes.
 *
 *   current ─ load ─▶ shared memory ─ all threads open it, all switch ─▶ taken
 *      └────────┴──── wrong, incomplete, or a thread failed ───────────▶ rejected: the present version stays
 */
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { healthOf } from '../api/health.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import { IndexError } from '../indexes/format.ts'
import type { Manifest } from '../indexes/manifest.ts'
import { FolderOrigin } from '../indexes/origins/folder.ts'
import type { RemoteFigures, VersionOrigin } from '../indexes/origins/origin.ts'
import type { VersionFiles } from '../indexes/version.ts'
import { type Following, follow } from '../platform/follow.ts'
import { releaseMemory } from '../platform/memory.ts'
import type { ApiForm, Settings } from '../settings.ts'
import type { PagesThread } from './threads/pages-thread.ts'
import type { ServerThreads } from './threads/threads.ts'

export interface CurrentFigures {
  /** The version from which all threads answer; undefined before the first. */
  readonly served: (Pick<Manifest, 'version' | 'asOf' | 'counts'> & { readonly publishedAt: string }) | undefined
  /** Versions served, including the first. */
  readonly taken: number
  /** Repeated rejections for the same reason count once, as they are logged once. */
  readonly refused: number
  /** Whether the version that `current` names is rejected. */
  readonly isRefusing: boolean
  /** Undefined without INDEX_URL. */
  readonly published: RemoteFigures | undefined
}

type Pages = Pick<PagesThread, 'send'>

type CurrentSettings = Pick<Settings, 'INDEX_DIR' | 'INDEX_URL' | 'INDEX_URL_HEADER' | 'API_FORM'>

export class CurrentVersion {
  readonly #indexDir: string
  readonly #origin: VersionOrigin
  readonly #form: ApiForm
  readonly #log: Logger
  /** Of the origin before the first version was read. */
  readonly #fingerprint: string
  readonly #first: Promise<VersionFiles | undefined>
  readonly #pages: Pages | undefined
  #served: Manifest | undefined
  /** The served version's about.json. */
  #about: About = {}
  #taken = 0
  #refused = 0
  #following: Following | undefined

  private constructor(
    { INDEX_DIR, API_FORM }: CurrentSettings,
    origin: VersionOrigin,
    fingerprint: string,
    log: Logger,
    pages: Pages | undefined,
  ) {
    this.#indexDir = INDEX_DIR
    this.#origin = origin
    this.#form = API_FORM
    this.#fingerprint = fingerprint
    this.#log = log
    this.#pages = pages
    this.#first = origin.load()
    // If the start fails before `openFirst`, nobody awaits it.
    this.#first.catch(() => undefined)
  }

  /**
   * Starts reading the first version. Throws if `current` can't be read.
   * @param pages get each version after all threads
   */
  static async beginReading(settings: CurrentSettings, log: Logger, pages?: Pages): Promise<CurrentVersion> {
    const origin = await originOf(settings, log)
    return new CurrentVersion(settings, origin, await origin.stamp(), log, pages)
  }

  /** Resolves when all threads answer from the first version, if there is one. Throws IndexError if it is damaged. */
  async openFirst(threads: ServerThreads): Promise<void> {
    const version = await this.#first
    if (version !== undefined) await this.#open(version, threads)
    else this.#log.warn(this.#origin.emptyMessage())
  }

  /** Gives threads and pages the API's description. Loading its renderer takes some 0.2 s of a start. */
  async describe(threads: ServerThreads): Promise<void> {
    const description = await sharedDescription(this.#form, this.#about)
    threads.describe(description)
    this.#pages?.send({ type: 'describe', description })
  }

  /** Serves new versions from now on, and downloads them if INDEX_URL is set. */
  follow(threads: ServerThreads): void {
    this.#following = follow(() => this.#origin.stamp(), this.#fingerprint, {
      apply: async () => {
        try {
          const version = await this.#origin.load()
          if (version === undefined) return
          await this.#open(version, threads)
          await this.describe(threads)
        } finally {
          releaseMemory()
        }
      },
      onRejection: (reason) => {
        this.#refused++
        this.#log.error(`the version that current names is rejected; retrying: ${reason}`)
      },
    })
    this.#origin.begin()
  }

  async end(): Promise<void> {
    this.#following?.end()
    await this.#origin.end()
  }

  /** The body of /healthz; undefined without a version. */
  get health(): Uint8Array | undefined {
    return this.#served && healthOf(this.#served, this.#about)
  }

  get figures(): CurrentFigures {
    const served = this.#served && {
      version: this.#served.version,
      asOf: this.#served.asOf,
      publishedAt: this.#served.builtAt,
      counts: this.#served.counts,
    }
    const isRefusing = this.#following?.isRejecting ?? false
    const { remote: published } = this.#origin
    return { served, taken: this.#taken, refused: this.#refused, isRefusing, published }
  }

  async #open(version: VersionFiles, threads: ServerThreads): Promise<void> {
    const { version: name, asOf, counts } = version.manifest
    const reason = await threads.open(version)
    if (reason !== undefined) throw new IndexError(`${resolve(this.#indexDir, name)} can't be opened: ${reason}`)
    // Threads have read it without an error.
    this.#about = aboutOf(version)
    this.#served = version.manifest
    this.#taken++
    this.#pages?.send({ type: 'version', version, since: Date.now() })
    this.#log.info({ version: name, asOf, cards: counts.cards }, 'serving')
  }
}

/** Loads no network code without INDEX_URL. */
async function originOf(settings: CurrentSettings, log: Logger): Promise<VersionOrigin> {
  if (settings.INDEX_URL === undefined) return new FolderOrigin(settings.INDEX_DIR, log)
  const { HttpOrigin } = await import('../indexes/origins/http.ts')
  return new HttpOrigin(settings, log)
}

/** Renders the API's description into shared memory. The renderer is loaded at the first call. */
async function sharedDescription(form: ApiForm, about: About): Promise<Uint8Array> {
  const { describeInterface } = await import('../api/description/document.ts')
  const document = describeInterface(form, about)
  const shared = new Uint8Array(new SharedArrayBuffer(document.length))
  shared.set(document)
  return shared
}
