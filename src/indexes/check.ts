/**
 * Whether a version is whole: what its files hold, each by itself and one against the other, before anybody answers from
 * it. A checksum tells that a file is what was written; this, that it is what a reader may take for granted: no reader
 * looks at a bound again.
 *
 *   manifest ─ counts ─▶ catalog ─ sets ─▶ search ─ names ─▶ lists ─▶ changes     checkLists
 *            ─ counts ─▶ cards ─ records ─▶ ids     history ─ rows, newest day ─▶ manifest     checkRecords
 *
 * Both work in slices of a few milliseconds. With the lists checked, a thread can open the version: the rest takes longer
 * and is done meanwhile. Whoever has no room for all files at once checks it by pieces, each with the files it needs.
 */
import { join } from 'node:path'
import { dayOfDate } from '../calendar.ts'
import { SeriesCheck, type SeriesTotals } from '../history/series-check.ts'
import { partCards } from '../limits.ts'
import { aboutFileName, aboutOf } from './about-file.ts'
import { bulkFileName, checkBulkFile, readBulkFile } from './bulk-file.ts'
import { checkCardsPart, detailsStart, itemStart, readCardsPart } from './cards-file.ts'
import { checkChangesFile } from './changes-check.ts'
import { changesFileName, readChangesFile } from './changes-file.ts'
import { type Checking, must } from './checking.ts'
import { IndexError } from './format.ts'
import { checkHistoryFile, readHistoryFile } from './history-file.ts'
import { checkSlots, checkSlotsOfPart, readIds } from './ids-file.ts'
import { checkListsFile } from './lists-check.ts'
import { readListsFile } from './lists-file.ts'
import { type Manifest, manifestName } from './manifest.ts'
import { checkSearchFile } from './search-check.ts'
import { readSearchFile } from './search-file.ts'
import { checkSetsFile, gamesOf, readSetsFile } from './sets-file.ts'
import { fileOf, partName, type VersionFiles } from './version.ts'

/** So long others wait for their turn. */
const sliceMs = 4

/** A piece of the check. */
export interface CheckPiece {
  /** What of the version must be there for it. */
  readonly files: readonly string[]
  /**
   * @param folder the version's, for what is said of it
   * @param series adds up what the history holds
   * @throws IndexError that names the file
   */
  check(version: VersionFiles, folder: string, series: SeriesCheck): Promise<void>
}

/** All of the check but `checkTotals`, which comes last. The first piece is `checkLists`; the others need not wait for it. */
export function piecesOf(manifest: Manifest): CheckPiece[] {
  const names = manifest.files.map(({ name }) => name)
  const records = recordPieces(manifest)
  const others = new Set(records.flatMap(({ files }) => files))
  return [{ files: names.filter((name) => !others.has(name)), check: checkLists }, ...records]
}

/**
 * The files that there are, and what search and lists are made of.
 * @param folder the version's, for what is said of it
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

/** What is found by card. As `checkLists`, which comes first. */
export async function checkRecords(version: VersionFiles, folder: string): Promise<void> {
  const series = new SeriesCheck()
  for (const { check } of recordPieces(version.manifest)) await check(version, folder, series)
  checkTotals(version.manifest, folder, series)
}

/** What the history of all parts comes to. */
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

/** What is wrong is said with the file's path. A reader that fails in another way has met what no check foresaw. */
function naming<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new IndexError(`${path}: ${(error as Error).message}`)
  }
}
