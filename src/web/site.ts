/** Everything that a page may need to render. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { html } from 'hono/html'
import type { Logger } from 'pino'
import type { OthersUsage } from '../accounts/fleet/others-usage.ts'
import type { Replication } from '../accounts/replication/replication.ts'
import type { SharedAccounts } from '../accounts/shared.ts'
import type { FoundSession, SignIns } from '../accounts/sign-ins.ts'
import type { Store } from '../store/store.ts'
import type { Assets } from './assets.ts'
import type { CurrentData } from './current-data.ts'
import type { Description } from './description.ts'
import type { LookUps } from './look-ups.ts'

export interface Site {
  readonly store: Store
  readonly accounts: SharedAccounts
  /** Changes of accounts go through it. */
  readonly replication: Replication
  readonly signIns: SignIns
  readonly lookUps: LookUps
  /** The usage of other servers; undefined if none shares the accounts. */
  readonly others: OthersUsage | undefined
  /** `http://HOST:PORT` of the pages, as those who open them see it. */
  readonly url: string
  /** The address of the API. */
  readonly api: string
  /** `PORT`, if `api` is the pages' address because nothing says otherwise. */
  readonly apiPort: number | undefined
  /** A proxy sends the requests, and names the address of each client. */
  readonly trustsProxy: boolean
  readonly data: CurrentData
  readonly assets: Assets
  readonly log: Logger
  /** ms since 1970 */
  readonly clock: () => number
  readonly description: Description
}

export type Html = ReturnType<typeof html>

export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    /** Pages of an account have it. */
    session: FoundSession
    /** Says what the last request did. */
    notice: Html | undefined
  }
}

export type PageContext = Context<PageEnv>
