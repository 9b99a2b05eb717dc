/**
 * Owns the served version: opens the version that `indexes/current` names, at the start and whenever it changes. With
 * INDEX_URL, versions are downloaded to INDEX_DIR first.
 *
 *   current ─ load ─▶ shared memory ─ trial ─ all threads open it, all switch ─▶ taken
 *      └────────┴─────── wrong, incomplete, or a thread failed ─────────────────▶ rejected: the present version stays
 *
 * The spare thread of the trial also loads the version, so the supervisor takes no time from the server threads.
 */
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { ListedGames } from '../api/description/examples.ts'
import { healthOf } from '../api/health-body.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import { IndexError } from '../indexes/format.ts'
import { fileOf, type VersionFiles } from '../indexes/load.ts'
import { bytesOf, currentStamp, emptyMessageOf, type Manifest, readCurrent } from '../indexes/manifest.ts'
import type { TryOut } from '../indexes/origins/download-version.ts'
import type { RemoteFigures } from '../indexes/origins/remote-pointer.ts'
import { RemoteVersions } from '../indexes/origins/remote-versions.ts'
import { WebFolder } from '../indexes/origins/web-folder.ts'
import { readSetsFile } from '../indexes/sets-file.ts'
import { type Following, follow } from '../platform/follow.ts'
import { releaseMemory } from '../platform/memory.ts'
import type { ApiForm, Settings } from '../settings.ts'
import type { PagesThread } from './threads/pages-thread.ts'
import type { ServerThreads } from './threads/threads.ts'
import { Trial, tryVersion } from './trial/trial.ts'

export interface CurrentFigures {
  /** The version from which all threads answer; undefined before the first. */
  readonly served: (Pick<Manifest, 'version' | 'asOf' | 'counts'> & { readonly publishedAt: string }) | undefined
  /** How many versions were served, including the first. */
  readonly taken: number
  /**
   * The number of rejected versions while the server ran. If a version is rejected again for the same reason, that is
   * neither counted nor logged. A rejection at the start is logged but not counted.
   */
  readonly refused: number
  /** True if the version that `current` names is rejected. */
  readonly isRefusing: boolean
  /** Undefined without INDEX_URL. */
  readonly published: RemoteFigures | undefined
}

export class CurrentVersion {
  readonly #indexDir: string
  readonly #remote: RemoteVersions | undefined
  readonly #form: ApiForm
  readonly #log: Logger
  readonly #pages: PagesThread | undefined
  /** The trial of the first version. Its thread starts here, beside the other threads. */
  readonly #firstTrial = new Trial()
  /** The state of `current` before the first version was read. */
  #stamp = ''
  /** A downloaded version that has passed its trial and is not served yet. */
  #tried: VersionFiles | undefined
  #served: Manifest | undefined
  /** The served version's about.json. */
  #about: About = {}
  /** The served version's games, as `/v1/games` lists them; undefined without a version. */
  #games: ListedGames | undefined
  #isListening = false
  #taken = 0
  #refused = 0
  #following: Following | undefined

  /** @param pages the pages' thread, which gets each version after the server threads */
  constructor(settings: Settings, log: Logger, pages?: PagesThread) {
    const { INDEX_DIR: indexDir, INDEX_URL: indexUrl, INDEX_URL_HEADER: header } = settings
    this.#indexDir = indexDir
    this.#form = settings.API_FORM
    this.#log = log
    this.#pages = pages
    if (indexUrl === undefined) return
    const tryOut: TryOut = async (...version) => {
      this.#tried = await tryVersion(...version)
    }
    this.#remote = new RemoteVersions(new WebFolder(indexUrl, header), indexDir, tryOut, log)
  }

  /**
   * Opens the version that `current` names. Resolves when all threads answer from it, or when there is none. Throws
   * IndexError for a damaged version. With INDEX_URL it only logs the damage, because the version is downloaded again.
   */
  async openFirst(threads: ServerThreads): Promise<void> {
    this.#stamp = await currentStamp(this.#indexDir)
    try {
      const name = await this.#whole(readCurrent(this.#indexDir))
      if (name !== undefined) {
        const version = await this.#whole(this.#firstTrial.load(this.#indexDir, name))
        const trial = this.#firstTrial.pass(this.#pathOf(name))
        // Without INDEX_URL, a failed trial ends the start, so the threads may open the version during the trial. With
        // INDEX_URL, the server starts despite a failed trial, so the threads open the version only after the trial.
        if (this.#remote !== undefined) await trial
        return await this.#open(version, threads, trial)
      }
    } catch (error) {
      if (this.#remote === undefined || !(error instanceof IndexError)) throw error
      this.#rejected(error.message)
      this.#stamp = ''
    }
    await this.#firstTrial.end()
    this.#log.warn(this.#emptyMessage())
  }

  /** Sends threads and pages the API's description. Loading its renderer takes about 0.2 s of a start. */
  async describe(threads: ServerThreads): Promise<void> {
    const description = await sharedDescription(this.#form, this.#about, this.#games)
    threads.describe(description)
    this.#pages?.send({ type: 'describe', description })
  }

  /** Serves new versions from now on, and downloads them if INDEX_URL is set. */
  follow(threads: ServerThreads): void {
    this.#following = follow(() => currentStamp(this.#indexDir), this.#stamp, {
      apply: async () => {
        const name = await this.#whole(readCurrent(this.#indexDir))
        if (name === undefined) return
        const version = this.#tried?.manifest.version === name ? this.#tried : await this.#try(name)
        this.#tried = undefined
        try {
          await this.#open(version, threads)
          await this.describe(threads)
        } finally {
          // This frees the replaced version, or this one if a thread rejects it. They are of about the same size.
          releaseMemory(bytesOf(version.manifest.files))
        }
      },
      onRejection: (reason) => {
        this.#refused++
        this.#rejected(reason)
      },
    })
    this.#remote?.begin()
  }

  end(): void {
    this.#following?.end()
    this.#remote?.end()
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
    return { served, taken: this.#taken, refused: this.#refused, isRefusing, published: this.#remote?.figures }
  }

  async #try(name: string): Promise<VersionFiles> {
    const trial = new Trial({ isBesideRequests: true })
    const version = await this.#whole(trial.load(this.#indexDir, name))
    await trial.pass(this.#pathOf(name))
    return version
  }

  /** Notes if the local version proves to be damaged, so that it is downloaded again. */
  async #whole<Read>(reading: Promise<Read>): Promise<Read> {
    try {
      return await reading
    } catch (error) {
      if (this.#remote !== undefined && error instanceof IndexError) this.#remote.isLocalDamaged = true
      throw error
    }
  }

  #pathOf(version: string): string {
    return resolve(this.#indexDir, version)
  }

  #rejected(reason: string): void {
    this.#log.error(`the version that current names is rejected; retrying: ${reason}`)
  }

  #emptyMessage(): string {
    const path = resolve(this.#indexDir)
    const build = `build one there (card-prices build --out ${path}) or correct INDEX_DIR`
    const what = this.#remote === undefined ? build : `it is fetched from ${this.#remote.address}`
    return `${emptyMessageOf(path)}: ${what}; until then all is answered 503`
  }

  /**
   * Makes all threads answer from the version.
   * @param trial the version's trial, if it is still running. Threads open the version during the trial. That is
   * allowed only at the start, because no request is answered before the trial has ended
   */
  async #open(version: VersionFiles, threads: ServerThreads, trial?: Promise<void>): Promise<void> {
    const { version: name, asOf, counts } = version.manifest
    const [reason] = await Promise.all([threads.open(version), trial])
    if (reason !== undefined) throw new IndexError(`${this.#pathOf(name)} can't be opened: ${reason}`)
    // The threads have read these files already, so reading them can't fail.
    this.#about = aboutOf(version)
    this.#games = gamesOf(version)
    this.#served = version.manifest
    this.#taken++
    this.#pages?.send({ type: 'version', version, since: Date.now() })
    if (this.#isListening) this.#log.info({ version: name, asOf, cards: counts.cards }, 'serving')
  }

  /** Call this when the threads listen. Only then is the first version served. */
  listens(): void {
    this.#isListening = true
    if (this.#served === undefined) return
    const { version, asOf, counts } = this.#served
    this.#log.info({ version, asOf, cards: counts.cards }, 'serving')
  }
}

/** Copies the bytes first, because text can't be decoded from memory that threads share. */
const gamesOf = (version: VersionFiles): ListedGames =>
  JSON.parse(Buffer.from(readSetsFile(fileOf(version, 'catalog.msgpack')).gamesBody).toString())

/** Renders the API's description into shared memory. The renderer is loaded at the first call. */
async function sharedDescription(form: ApiForm, about: About, games?: ListedGames): Promise<Uint8Array> {
  const { describeInterface } = await import('../api/description/document.ts')
  const document = describeInterface(form, about, games)
  const shared = new Uint8Array(new SharedArrayBuffer(document.length))
  shared.set(document)
  return shared
}
