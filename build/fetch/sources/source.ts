/** What a source is to a fetch. */
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
  /** Of a day that is missing a part of: no question is spared. */
  readonly isUnfinished: boolean
}

/** What one import reads of a mirror. */
export interface ImportTask {
  /** In the mirror; empty for the mirror itself. */
  readonly names: readonly string[]
  readonly games: readonly GameSlug[]
  /** What was fetched: the same was imported before. */
  readonly revision: string
  /** Undefined where the import finds the day by itself. */
  readonly date: string | undefined
}

/** What is done with a source. */
export interface SourceFetch {
  /** False if nothing is new. Throws FetchError. */
  fetch(fetching: Fetching): Promise<boolean>
  /** In their order. */
  imports(state: FetchState): readonly ImportTask[]
}

export interface FetchedSource extends Publisher {
  /** So long after a run that ended well it is not asked again. */
  readonly intervalMs: number
  readonly games: readonly GameSlug[]
  /** Whose data it is, and how it may be used. */
  readonly terms: string
  readonly needsToken: boolean
  load(): Promise<SourceFetch>
}
