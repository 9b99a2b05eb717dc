/**
 * Verifies a version before it is served: each file by itself, and files against each other. A checksum proves that a file is
 * as written; this proves all that readers assume, because no reader checks a bound.
 *
 *   manifest ─ counts ─▶ catalog ─ sets ─▶ search ─ names ─▶ lists ─▶ changes     checkLists
 *            ─ counts ─▶ cards ─ records ─▶ ids     history ─ rows, newest day ─▶ manifest     checkRecords
 *
 * Both work in slices of a few milliseconds. Threads open the version after `checkLists`, while `checkRecords`, which takes
 * longer, still runs. The build verifies in pieces, each with only the files that it needs in memory.
 */
import { join } from 'node:path'
import { dayOfDate } from '../../calendar.ts'
import { partCards } from '../../limits.ts'
import { aboutFileName, aboutOf } from '../about-file.ts'
import { bulkFileName, checkBulkFile, readBulkFile } from '../bulk-file.ts'
import { checkCardsPart, detailsStart, itemStart, readCardsPart } from '../cards-file.ts'
import { changesFileName, readChangesFile } from '../changes-file.ts'
import { IndexError } from '../format.ts'
import { checkHistoryFile, readHistoryFile } from '../history-file.ts'
import { checkSlots, checkSlotsOfPart, readIds } from '../ids-file.ts'
import { readListsFile } from '../lists-file.ts'
import { type Manifest, manifestName } from '../manifest.ts'
import { readSearchFile } from '../search-file.ts'
import { SeriesCheck, type SeriesTotals } from '../series/series-check.ts'
import { checkSetsFile, gamesOf, readSetsFile } from '../sets-file.ts'
import { fileOf, partName, type VersionFiles } from '../version.ts'
import { checkChangesFile } from './changes-check.ts'
import { type Checking, must } from './checking.ts'
import { checkListsFile } from './lists-check.ts'
import { checkSearchFile } from './search-check.ts'

/** The length of a slice. */
const sliceMs = 4

/** A part of the verification that needs only some files. */
export interface CheckPiece {
  /** The files that it reads. */
  readonly files: readonly string[]
  /**
   * @param folder the version's, for messages
   * @param series sums up the history
   * @throws IndexError that names the file
   */
  check(version: VersionFiles, folder: string, series: SeriesCheck): Promise<void>
}

/** The whole verification except `checkTotals`, which comes last. The first piece is `checkLists`; the order does not matter. */
export function piecesOf(manifest: Manifest): CheckPiece[] {
  const names = manifest.files.map(({ name }) => name)
  const records = recordPieces(manifest)
  const others = new Set(records.flatMap(({ files }) => files))
  return [{ files: names.filter((name) => !others.has(name)), check: checkLists }, ...records]
}

/**
 * Verifies the list of files, and all files except cards, ids and history.
 * @param folder the version's, for messages
 * @throws IndexError that names the file
 */
export async function checkLists(version: VersionFiles, folder: string): Promise<void> {
  const { counts, files } = version.manifest
  const names = new Set(files.map(({ name }) => name))
  const partsNamed = (stem: string) => {
    let count = 0
    while (names.has(partName(stem, count))) count++
    return count
  }
  const parts = partCount(version.manifest)
  naming(join(folder, manifestName), () => {
    must(names.size === files.length, 'each file is named once')
    must(partsNamed('cards') === Math.max(parts, 1), 'cards are in as many files as they need')
    must(partsNamed('history') === parts, 'history is in as many files as the cards need')
  })
  naming(join(folder, aboutFileName), () => aboutOf(version))
  await checkFile(version, folder, 'catalog.msgpack', (bytes) =>
    checkSetsFile(readSetsFile(bytes), counts.cards, counts.sets),
  )
  for (const { id, cardCount } of gamesOf(readSetsFile(fileOf(version, 'catalog.msgpack')))) {
    await checkFile(version, folder, bulkFileName(id), (bytes) => checkBulkFile(readBulkFile(bytes), cardCount))
  }
  await checkFile(version, folder, 'search.msgpack', (bytes) =>
    checkSearchFile(readSearchFile(bytes), counts.cards, counts.sets),
  )
  const search = readSearchFile(fileOf(version, 'search.msgpack'))
  await checkFile(version, folder, 'lists.msgpack', (bytes) => checkListsFile(readListsFile(bytes), search))
  const lists = readListsFile(fileOf(version, 'lists.msgpack'))
  await checkFile(version, folder, changesFileName, (bytes) => checkChangesFile(readChangesFile(bytes), lists))
}

/** Verifies cards, ids and history. Call `checkLists` first. Throws as `checkLists`. */
export async function checkRecords(version: VersionFiles, folder: string): Promise<void> {
  const series = new SeriesCheck()
  for (const { check } of recordPieces(version.manifest)) await check(version, folder, series)
  checkTotals(version.manifest, folder, series)
}

/** Compares the manifest with the sums over all parts of the history. */
export function checkTotals({ asOf, counts }: Manifest, folder: string, found: SeriesTotals): void {
  naming(join(folder, manifestName), () => {
    must(found.rows === counts.historyRows, 'historyRows are as many as the history has')
    must(found.rows === 0 || found.newestDay === dayOfDate(asOf ?? ''), 'asOf is the newest day of the history')
  })
}

const idsName = 'ids.msgpack'

const partCount = ({ counts }: Manifest) => Math.ceil(counts.cards / partCards)

function recordPieces(manifest: Manifest): CheckPiece[] {
  const { cards: count } = manifest.counts
  const parts = partCount(manifest)
  const cardsOf = (part: number) => Math.min(count - part * partCards, partCards)
  const cards = Array.from({ length: Math.max(parts, 1) }, (_, part): CheckPiece => {
    const name = partName('cards', part)
    return {
      files: [name, idsName],
      check: async (version, folder) => {
        await checkFile(version, folder, name, (bytes) =>
          checkCardsPart(readCardsPart(bytes), part * partCards, cardsOf(part)),
        )
        await checkFile(version, folder, idsName, function* (bytes) {
          const ids = readIds(bytes)
          const { details, items } = readCardsPart(fileOf(version, name))
          yield* checkSlotsOfPart('details', ids.details, part, details, detailsStart)
          yield* checkSlotsOfPart('items', ids.items, part, items, itemStart)
        })
      },
    }
  })
  const ids: CheckPiece = {
    files: [idsName],
    check: (version, folder) =>
      checkFile(version, folder, idsName, function* (bytes) {
        const { details, items } = readIds(bytes)
        yield* checkSlots('details', details, count)
        yield* checkSlots('items', items, count)
      }),
  }
  const history = Array.from({ length: parts }, (_, part): CheckPiece => {
    const name = partName('history', part)
    return {
      files: [name],
      check: (version, folder, series) =>
        checkFile(version, folder, name, (bytes) => checkHistoryFile(readHistoryFile(bytes), cardsOf(part), series)),
    }
  })
  return [...cards, ids, ...history]
}

async function checkFile(
  version: VersionFiles,
  folder: string,
  name: string,
  check: (bytes: Uint8Array) => Checking,
): Promise<void> {
  const path = join(folder, name)
  const checking = naming(path, () => check(fileOf(version, name)))
  for (;;) {
    const sliceEnd = performance.now() + sliceMs
    const ended = naming(path, () => {
      let done = checking.next().done
      while (!done && performance.now() < sliceEnd) done = checking.next().done
      return done
    })
    if (ended) return
    await new Promise(setImmediate)
  }
}

/** Adds the file's path to errors. Turns unexpected exceptions of readers into IndexErrors, too. */
function naming<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new IndexError(`${path}: ${(error as Error).message}`)
  }
}
