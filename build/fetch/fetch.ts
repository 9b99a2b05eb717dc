/** The order of the steps of a fetch: lock, interval, the source's own steps, completion. */
import type { GameSlug } from '../../src/games.ts'
import type { MinimumRate } from '../../src/indexes/origins/http-exchange.ts'
import { inFolder } from '../../src/indexes/publish/durable.ts'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'
import { fetchBytesMin, fetchMsMax } from '../../src/limits.ts'
import { makeFolder } from '../../src/platform/make-folder.ts'
import { type FetchState, Mirror } from '../fetch-state.ts'
import { type FolderGames, onlyDefaultGames } from '../games/folder-games.ts'
import { removePartialFiles } from './download.ts'
import { FetchError, SourceAway } from './fetch-errors.ts'
import { sourceEarlyShareMax, sourcePauseMsMax, sourceRetryMsFirst } from './fetch-limits.ts'
import { FetchProgress } from './fetch-progress.ts'
import { type Clock, clockOf, Host } from './publisher-host.ts'
import { mtgjson } from './sources/fetch-mtgjson.ts'
import { pricecharting } from './sources/fetch-pricecharting.ts'
import { scryfall } from './sources/fetch-scryfall.ts'
import { tcgcsv } from './sources/fetch-tcgcsv.ts'
import type { FetchedSource, Fetching } from './sources/fetched-source.ts'

export const fetchedSources = { tcgcsv, scryfall, mtgjson, pricecharting } satisfies Record<string, FetchedSource>

export type SourceName = keyof typeof fetchedSources
export const sourceNames = Object.keys(fetchedSources) as SourceName[]

export interface FetchOptions {
  /** The mirror's folder. */
  readonly out: string
  /** All or some of the source's games. */
  readonly games: readonly GameSlug[]
  /** All games of the snapshot folder; by default, the default games. */
  readonly folder?: FolderGames
  readonly from: string | undefined
  readonly agent: string
  readonly again: boolean
  /**
   * True if the run takes place only to retry another source, and this source was reached before. Within its interval,
   * this source is then skipped: the run neither requests it nor waits for it.
   */
  readonly isRetry?: boolean
  readonly quiet: boolean
  readonly token: string | undefined
  /** Tests replace it by a faster clock. */
  readonly clock?: Clock
  readonly patience?: MinimumRate
}

export interface FetchResult {
  readonly isNew: boolean
  /** The reason why nothing is new; null if something is new. */
  readonly why: string | null
  readonly requests: number
  readonly bytes: number
  readonly state: FetchState
}

const usualPatience: MinimumRate = { ms: fetchMsMax, bytes: fetchBytesMin, resumeMs: 0 }

/**
 * Fetches a source into its mirror. Throws FetchError, which is SourceAway if the same call may succeed later. Throws
 * an Error that names the other fetch, if one is running. Received files are kept, and the next run resumes.
 */
export async function fetchSource(name: SourceName, options: FetchOptions): Promise<FetchResult> {
  const source: FetchedSource = fetchedSources[name]
  if (source.tokenSetting !== undefined && options.token === undefined) {
    throw new FetchError(source.tokenSetting, 'is not set', 'it is part of the address of your price guides there')
  }
  return inFolder(options.out, 'received files are kept', async () => {
    makeFolder(options.out)
    const unlock = await lockBuilds(options.out, `fetch into ${options.out}`)
    try {
      return await fetchLocked(name, source, options)
    } finally {
      unlock()
    }
  })
}

async function fetchLocked(name: SourceName, source: FetchedSource, options: FetchOptions): Promise<FetchResult> {
  const { out, games, folder = onlyDefaultGames, from, agent, token, again, isRetry = false, quiet } = options
  const { clock = clockOf(), patience = usualPatience } = options
  const mirror = new Mirror(out, name)
  const { state } = mirror
  if (state.source !== name)
    throw new FetchError(out, `is a mirror of ${state.source}`, `name another folder with --out`)
  const progress = new FetchProgress(name, quiet)
  if (!again) {
    const early = await untilDue(source, state, { games, isRetry, clock, progress })
    if (early !== undefined) return { isNew: false, why: early, requests: 0, bytes: 0, state }
    checkPause(name, state, clock)
  }
  const startedMs = clock.now()
  const isUnfinished = state.state === 'unfinished' && state.stamp !== null
  if (isUnfinished) {
    // The previous run may have been killed a moment ago, during a request whose count was not saved.
    mirror.countRequest(clock.now())
    await clock.sleep(Math.min(source.pauseMs, sourceRetryMsFirst))
  }
  const { note } = progress
  const host = new Host({ publisher: source, from, agent, secret: token, mirror, clock, patience, onWait: note })
  try {
    const isNew = await source.fetch({ mirror, host, games, folder, progress, clock, token, isUnfinished })
    await mirror.finish(startedMs)
    removePartialFiles(mirror)
    const why = isNew ? null : `nothing new since ${state.stamp}`
    return { isNew, why, requests: host.requests, bytes: progress.bytes, state }
  } catch (error) {
    mirror.save()
    throw error
  } finally {
    progress.clear()
    host.close()
  }
}

/** Waits if the next request is allowed soon. Otherwise, returns the reason for not sending one now. */
async function untilDue(
  { intervalMs }: FetchedSource,
  { state, askedAt, games: had }: FetchState,
  { games, isRetry, clock, progress }: Pick<Fetching, 'games' | 'clock' | 'progress'> & { readonly isRetry: boolean },
): Promise<string | undefined> {
  if (state !== 'whole' || askedAt === null || !games.every((game) => had.includes(game))) return undefined
  const sinceMs = clock.now() - Date.parse(askedAt)
  const leftMs = intervalMs - sinceMs
  if (sinceMs < 0 || leftMs <= 0) return undefined
  const due = new Date(Date.parse(askedAt) + intervalMs).toISOString()
  if (isRetry || leftMs > intervalMs * sourceEarlyShareMax)
    return `nothing new: asked at ${askedAt}, next at ${due} (--again asks now)`
  progress.note(`waits until ${due}, when it may be asked again (--again asks now)`)
  await clock.sleep(leftMs)
  return undefined
}

/**
 * Throws SourceAway during a pause. A pause that is longer than `sourcePauseMsMax` is ignored: it was stored while the
 * clock was ahead.
 */
function checkPause(name: SourceName, { pausedUntilMs = 0, isPauseAsked = true }: FetchState, clock: Clock): void {
  const leftMs = pausedUntilMs - clock.now()
  if (leftMs <= 0 || leftMs > sourcePauseMsMax) return
  const until = new Date(pausedUntilMs).toISOString()
  const why = isPauseAsked ? `asked for a pause until ${until}` : `was busy: this program pauses until ${until}`
  throw new SourceAway(name, why, 'run it again after that (--again asks now)')
}
