/**
 * The version that is served: its one owner, which takes up what `indexes/current` names, at the start and from then on,
 * and knows what came of it.
 *
 *   current ─ load ─▶ shared memory ─ all threads open it, all switch ─▶ taken
 *      └────────┴──── wrong, not there yet, or a thread could not ─────▶ refused: what is served goes on
 */
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { healthOf } from '../api/health.ts'
import { type Following, follow } from '../follow.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import { IndexError } from '../indexes/format.ts'
import type { LoadingVersion } from '../indexes/load.ts'
import type { Manifest } from '../indexes/manifest.ts'
import { FolderSource } from '../indexes/sources/folder.ts'
import type { RemoteFigures, VersionSource } from '../indexes/sources/source.ts'
import type { ApiForm, Settings } from '../settings.ts'
import { sharedDescription } from './description.ts'
import { releaseMemory } from './memory.ts'
import type { PagesThread } from './pages-thread.ts'
import type { ServerThreads } from './threads.ts'

export interface CurrentFigures {
  /** What all threads answer from, undefined as long as there is none. */
  readonly served: (Pick<Manifest, 'version' | 'asOf' | 'counts'> & { readonly publishedAt: string }) | undefined
  /** Versions that came in, the first among them. */
  readonly taken: number
  /** As often as the log says it: a version that is refused for the same reason again counts once. */
  readonly refused: number
  /** Whether what `current` names now is refused. */
  readonly isRefusing: boolean
  /** Of what is published behind INDEX_URL; undefined without one. */
  readonly published: RemoteFigures | undefined
}

/** Whom nobody waits for. */
type Pages = Pick<PagesThread, 'show' | 'describe'>

type CurrentSettings = Pick<Settings, 'INDEX_DIR' | 'INDEX_URL' | 'INDEX_URL_HEADER' | 'API_FORM'>

export class CurrentVersion {
  readonly #indexDir: string
  readonly #source: VersionSource
  readonly #form: ApiForm
  readonly #log: Logger
  /** Of the first version, before it was read. */
  readonly #stamp: string
  readonly #first: Promise<LoadingVersion | undefined>
  readonly #pages: Pages | undefined
  #served: Manifest | undefined
  /** What the operator tells of the data that is served. */
  #about: About = {}
  #taken = 0
  #refused = 0
  #following: Following | undefined

  private constructor(
    { INDEX_DIR, API_FORM }: CurrentSettings,
    source: VersionSource,
    stamp: string,
    log: Logger,
    pages: Pages | undefined,
  ) {
    this.#indexDir = INDEX_DIR
    this.#source = source
    this.#form = API_FORM
    this.#stamp = stamp
    this.#log = log
    this.#pages = pages
    this.#first = source.load()
    // Whoever does not come to open it has met something worse.
    this.#first.catch(() => undefined)
  }

  /**
   * Begins to read the first version, while others have other things to do. Throws if `current` can't be looked at.
   * @param pages told of each version when all threads answer from it
   */
  static async beginReading(settings: CurrentSettings, log: Logger, pages?: Pages): Promise<CurrentVersion> {
    const source = await sourceOf(settings, log)
    return new CurrentVersion(settings, source, await source.stamp(), log, pages)
  }

  /** Resolves when all threads have it, if there is one. Throws IndexError if it is not whole, or the threads refuse it. */
  async openFirst(threads: ServerThreads): Promise<void> {
    const version = await this.#first
    if (version !== undefined) await this.#bringIn(version, threads)
    else this.#log.warn(this.#source.emptyMessage())
  }

  /** Gives the threads, and the pages, the interface described. The first time it takes a third of a second, for which no start waits. */
  async describe(threads: ServerThreads): Promise<void> {
    const description = await sharedDescription(this.#form, this.#about)
    threads.describe(description)
    this.#pages?.describe(description)
  }

  /** Takes up what `current` names from now on, and has it brought from elsewhere if it comes from there. */
  follow(threads: ServerThreads): void {
    this.#following = follow(() => this.#source.stamp(), this.#stamp, {
      take: async () => {
        try {
          const version = await this.#source.load()
          if (version === undefined) return
          await this.#bringIn(version, threads)
          await this.describe(threads)
        } finally {
          releaseMemory()
        }
      },
      onRefusal: (reason) => {
        this.#refused++
        this.#log.error(`the version that current names is refused, and tried again as long as it does: ${reason}`)
      },
    })
    this.#source.begin()
  }

  async end(): Promise<void> {
    this.#following?.end()
    await this.#source.end()
  }

  /** What who asks for the service's health is told; undefined as long as there is no version. */
  get health(): Uint8Array | undefined {
    if (this.#served === undefined) return undefined
    const { version, asOf, counts } = this.#served
    return healthOf({ version, asOf, cardCount: counts.cards, about: this.#about })
  }

  get figures(): CurrentFigures {
    const served = this.#served && {
      version: this.#served.version,
      asOf: this.#served.asOf,
      publishedAt: this.#served.builtAt,
      counts: this.#served.counts,
    }
    const isRefusing = this.#following?.isRefusing ?? false
    const { remote: published } = this.#source
    return { served, taken: this.#taken, refused: this.#refused, isRefusing, published }
  }

  async #bringIn({ version, verified }: LoadingVersion, threads: ServerThreads): Promise<void> {
    const { version: name, asOf, counts } = version.manifest
    const refused = await threads.open(version, verified)
    if (refused !== undefined) throw new IndexError(`${resolve(this.#indexDir, name)} can't be opened: ${refused}`)
    this.#about = aboutOf(version)
    this.#served = version.manifest
    this.#taken++
    this.#pages?.show(version)
    this.#log.info({ version: name, asOf, cards: counts.cards }, 'serving')
  }
}

/** Nothing of the network is loaded where nobody asks for it. */
async function sourceOf(settings: CurrentSettings, log: Logger): Promise<VersionSource> {
  if (settings.INDEX_URL === undefined) return new FolderSource(settings.INDEX_DIR, log)
  const { HttpSource } = await import('../indexes/sources/http.ts')
  return new HttpSource(settings, log)
}
