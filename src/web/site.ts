/** Everything that a page may need to render. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { html } from 'hono/html'
import type { Logger } from 'pino'
import type { OthersUsage } from '../accounts/fleet/others-usage.ts'
import type { Replication } from '../accounts/replication/replication.ts'
import type { SharedAccounts } from '../accounts/shared.ts'
import type { FoundSession, OperatorSession, OperatorSignIns, SignIns } from '../accounts/sign-ins.ts'
import { type Dataset, openDataset } from '../api/dataset.ts'
import type { ListedGames } from '../api/description/examples.ts'
import { Games } from '../games.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import { fileOf, type VersionFiles } from '../indexes/load.ts'
import type { Manifest } from '../indexes/manifest.ts'
import { readSetsFile } from '../indexes/sets-file.ts'
import type { Quota } from '../quota/quota.ts'
import type { Store } from '../store/store.ts'
import type { Assets } from './assets.ts'
import type { Description } from './docs/description.ts'
import type { DoctorRuns } from './operator/doctor-runs.ts'
import type { RequestHours } from './operator/request-hours.ts'
import type { Form } from './shared/form-table.ts'
import type { LookUps } from './shared/look-ups.ts'

export interface Site {
  readonly store: Store
  readonly accounts: SharedAccounts
  /** Makes all changes of accounts. */
  readonly replication: Replication
  readonly signIns: SignIns
  readonly lookUps: LookUps
  /** The quotas of all accounts. Valued lists are counted against them. */
  readonly quota: Quota
  /** The usage of other servers; undefined if no other server shares the accounts. */
  readonly others: OthersUsage | undefined
  /** `http://HOST:PORT`, the address at which people open the pages. */
  readonly url: string
  /** The address of the API. */
  readonly api: string
  /** `PORT`, if no setting names the API's address, and `api` is therefore the address of the pages. */
  readonly apiPort: number | undefined
  /** True if a proxy sends the requests, and names the address of each client. */
  readonly trustsProxy: boolean
  readonly data: CurrentData
  readonly assets: Assets
  readonly log: Logger
  /** ms since 1970 */
  readonly clock: () => number
  readonly description: Description
  /** Undefined if OPERATOR_PAGES is off. */
  readonly desk: Desk | undefined
}

/** The parts of the site that only the operator's pages need. */
export interface Desk {
  readonly signIns: OperatorSignIns
  readonly requests: RequestHours
  readonly doctor: DoctorRuns
  readonly indexDir: string
  /** True if INDEX_DIR follows INDEX_URL. */
  readonly isDownloading: boolean
  readonly addPages: AddPages
}

export type Html = ReturnType<typeof html>

export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    /** Set for pages of an account. */
    session: FoundSession
    /** Set for pages of the operator. */
    operator: OperatorSession
    /** A text that says what the last request did. */
    notice: Html | undefined
    /** The fields of a form that was read. */
    form: Promise<Form> | undefined
  }
}

export type PageContext = Context<PageEnv>

export type App = Hono<PageEnv>

/** Adds the routes of some pages to the pages' server. */
export type AddPages = (app: App, site: Site) => void

/**
 * The version that the pages show. Opening it takes time and memory, so the first page that needs its cards opens it.
 */
export class CurrentData {
  #version: VersionFiles | undefined
  #opened: Promise<Dataset> | undefined
  /** The members of about.json. */
  about: About = {}
  #games: { readonly games: Games; readonly listed: ListedGames['data'] } | undefined

  /** When the version was first served (ms since 1970). */
  since: number | undefined

  show(version: VersionFiles, since: number): void {
    this.#version = version
    this.since = since
    this.#opened = undefined
    this.about = aboutOf(version)
    this.#games = undefined
  }

  get #known(): { readonly games: Games; readonly listed: ListedGames['data'] } {
    if (this.#games === undefined && this.#version !== undefined) {
      const { games, gamesBody } = readSetsFile(fileOf(this.#version, 'catalog.msgpack'))
      const { data }: ListedGames = JSON.parse(Buffer.from(gamesBody).toString('utf8'))
      this.#games = { games: new Games(games), listed: data.filter(({ cardCount }) => cardCount > 0) }
    }
    return this.#games ?? { games: new Games([]), listed: [] }
  }

  /** Empty until there is a version. */
  get games(): Games {
    return this.#known.games
  }

  /** The games that have cards. */
  get listedGames(): ListedGames['data'] {
    return this.#known.listed
  }

  get manifest(): Manifest | undefined {
    return this.#version?.manifest
  }

  /** Opens the version. Resolves to undefined if there is no version yet. Rejects with IndexError. */
  async open(): Promise<Dataset | undefined> {
    if (this.#version === undefined) return undefined
    this.#opened ??= openDataset(this.#version)
    const opened = this.#opened
    try {
      return await opened
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined
      throw error
    }
  }
}
