/**
 * A version as a thread has opened it: catalog, search, history, match and changes. They read memory that all threads
 * share.
 */

import { dayOfDate } from '../calendar.ts'
import { Changes } from '../catalog/card-changes.ts'
import { Catalog } from '../catalog/catalog.ts'
import { SetFigures } from '../catalog/set-figures.ts'
import type { Games } from '../games.ts'
import { History } from '../history/history.ts'
import { aboutOf } from '../indexes/about-file.ts'
import { changesFileName, readChangesFile } from '../indexes/changes-file.ts'
import { readHistoryFile } from '../indexes/history-file.ts'
import { readListsFile } from '../indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/load.ts'
import { bytesOf } from '../indexes/manifest.ts'
import { readSearchFile } from '../indexes/search-file.ts'
import { Match } from '../match/match.ts'
import { Search } from '../search/search.ts'
import { healthOf } from './health-body.ts'

export interface Dataset {
  readonly version: string
  /** The size of its files, which are in shared memory. */
  readonly bytes: number
  /** The body of /healthz. */
  readonly health: Uint8Array
  readonly games: Games
  readonly catalog: Catalog
  readonly search: Search
  readonly history: History
  readonly match: Match
  readonly changes: Changes
  readonly setFigures: SetFigures
}

/** A turn of the event loop that takes less time had hardly any requests. */
const idleTurnMs = 0.2
const turnsMax = 8

/**
 * Lets the thread handle requests. It waits for turns of the event loop until a turn has hardly any requests, but for
 * at most 8. One turn would not do: it handles one request of each connection, and more have arrived meanwhile.
 */
async function pause(): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const from = performance.now()
    await new Promise((resume) => setImmediate(resume))
    if (performance.now() - from < idleTurnMs) return
  }
}

/**
 * Opens a version. It works in slices of a few milliseconds, and the thread handles requests between them. Throws
 * IndexError.
 */
export async function openDataset(version: VersionFiles): Promise<Dataset> {
  const { asOf } = version.manifest
  const lists = readListsFile(fileOf(version, 'lists.msgpack'))
  await pause()
  const changes = readChangesFile(fileOf(version, changesFileName))
  const parts = partsOf(version, 'history').map(readHistoryFile)
  const catalog = new Catalog(version)
  await pause()
  const file = readSearchFile(fileOf(version, 'search.msgpack'))
  await pause()
  const search = await Search.load(file, lists, changes, pause)
  await pause()
  const match = new Match(file, lists, search, catalog)
  await pause()
  return {
    version: version.manifest.version,
    bytes: bytesOf(version.manifest.files),
    health: healthOf(version.manifest, aboutOf(version)),
    games: catalog.games,
    catalog,
    search,
    match,
    history: new History(parts, asOf === null ? 0 : dayOfDate(asOf)),
    changes: new Changes(version),
    setFigures: new SetFigures(version),
  }
}
