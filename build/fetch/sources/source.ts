/** The interface of a fetched source. */
import type { GameSlug } from '../../../src/games.ts'
import type { FetchState, Mirror } from '../../fetch-state.ts'
import type { Clock } from '../clock.ts'
import type { Host, Publisher } from '../host.ts'
import type { FetchProgress } from '../progress.ts'

export interface Fetching {
  readonly mirror: Mirror
  readonly host: Host
  readonly games: readonly GameSlug[]
  readonly progress: FetchProgress
  readonly clock: Clock
  readonly token: string | undefined
  /** The run before was not finished, so unconditional requests are needed. */
  readonly isUnfinished: boolean
}

/** One import of a mirror. */
export interface ImportTask {
  /** Files of the mirror; empty for the mirror itself. */
  readonly names: readonly string[]
  readonly games: readonly GameSlug[]
  /** Identifies the fetched data: the same revision is not imported again. */
  readonly revision: string
  /** Undefined if the import finds the day by itself. */
  readonly date: string | undefined
}

export interface SourceFetch {
  /** False if nothing is new. Throws FetchError. */
  fetch(fetching: Fetching): Promise<boolean>
  /** In the order in which they must run. */
  imports(state: FetchState): readonly ImportTask[]
}

export interface FetchedSource extends Publisher {
  /** The least time between the starts of two successful runs. */
  readonly intervalMs: number
  readonly games: readonly GameSlug[]
  /** Whose data it is, and how you may use it. */
  readonly terms: string
  /** The setting with the token, if the publisher needs one. */
  readonly tokenSetting?: 'PRICECHARTING_TOKEN'
  load(): Promise<SourceFetch>
}
