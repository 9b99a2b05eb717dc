/**
 * The version that is served: its one owner, which takes up what `indexes/current` names, at the start and from then on,
 * and knows what came of it.
 *
 *   current ─ load ─▶ shared memory ─ all threads open it, all switch ─▶ taken
 *      └────────┴──── wrong, not there yet, or a thread could not ─────▶ refused: what is served goes on
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { healthOf } from '../api/health.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import { IndexError } from '../indexes/format.ts'
import { type LoadingVersion, startLoading } from '../indexes/load.ts'
import { type Manifest, readCurrent } from '../indexes/manifest.ts'
import type { ApiForm, Settings } from '../settings.ts'
import { sharedDescription } from './description.ts'
import { releaseMemory } from './memory.ts'
import type { PagesThread } from './pages-thread.ts'
import type { ServerThreads } from './threads.ts'
import { currentStamp, type Following, follow } from './watch.ts'

export interface CurrentFigures {
  /** What all threads answer from, undefined as long as there is none. */
  readonly served: (Pick<Manifest, 'version' | 'asOf' | 'counts'> & { readonly publishedAt: string }) | undefined
  /** Versions that came in, the first among them. */
  readonly taken: number
  /** As often as the log says it: a version that is refused for the same reason again counts once. */
  readonly refused: number
  /** Whether what `current` names now is refused. */
  readonly isRefusing: boolean
}

/** Whom nobody waits for. */
type Pages = Pick<PagesThread, 'show' | 'describe'>

type CurrentSettings = Pick<Settings, 'INDEX_DIR' | 'API_FORM'>

export class CurrentVersion {
  readonly #indexDir: string
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

  private constructor({ INDEX_DIR, API_FORM }: CurrentSettings, stamp: string, log: Logger, pages: Pages | undefined) {
    this.#indexDir = INDEX_DIR
    this.#form = API_FORM
    this.#stamp = stamp
    this.#log = log
    this.#pages = pages
    this.#first = loadCurrent(INDEX_DIR)
    // Whoever does not come to open it has met something worse.
    this.#first.catch(() => undefined)
  }

  /**
   * Begins to read the first version, while others have other things to do. Throws if `current` can't be looked at.
   * @param pages told of each version when all threads answer from it
   */
  static async beginReading(settings: CurrentSettings, log: Logger, pages?: Pages): Promise<CurrentVersion> {
    return new CurrentVersion(settings, await currentStamp(settings.INDEX_DIR), log, pages)
  }

  /** Resolves when all threads have it, if there is one. Throws IndexError if it is not whole, or the threads refuse it. */
  async openFirst(threads: ServerThreads): Promise<void> {
    const version = await this.#first
    if (version !== undefined) await this.#bringIn(version, threads)
    else this.#log.warn(nothingToServe(this.#indexDir))
  }

  /** Gives the threads, and the pages, the interface described. The first time it takes a third of a second, for which no start waits. */
  async describe(threads: ServerThreads): Promise<void> {
    const description = await sharedDescription(this.#form, this.#about)
    threads.describe(description)
    this.#pages?.describe(description)
  }

  /** Takes up what `current` names from now on. */
  follow(threads: ServerThreads): Following {
    this.#following = follow(() => currentStamp(this.#indexDir), this.#stamp, {
      take: async () => {
        try {
          const version = await loadCurrent(this.#indexDir)
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
    return this.#following
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
    return { served, taken: this.#taken, refused: this.#refused, isRefusing }
  }

  async #bringIn({ version, whole }: LoadingVersion, threads: ServerThreads): Promise<void> {
    const { version: name, asOf, counts } = version.manifest
    const refused = await threads.open(version, whole)
    if (refused !== undefined) throw new IndexError(`${resolve(this.#indexDir, name)} can't be opened: ${refused}`)
    this.#about = aboutOf(version)
    this.#served = version.manifest
    this.#taken++
    this.#pages?.show(version)
    this.#log.info({ version: name, asOf, cards: counts.cards }, 'serving')
  }
}

async function loadCurrent(indexDir: string): Promise<LoadingVersion | undefined> {
  const version = await readCurrent(indexDir)
  return version === undefined ? undefined : startLoading(indexDir, version)
}

function nothingToServe(indexDir: string): string {
  const path = resolve(indexDir)
  const what = existsSync(path) ? `no version is published in ${path} yet` : `there is no folder ${path}`
  return `${what}: build one there (npm run build -- --out ${path}) or correct INDEX_DIR; until then all is answered 503`
}
