/**
 * Whether a version is whole: what its files hold, each by itself and one against the other, before anybody answers from
 * it. A checksum tells that a file is what was written; this, that it is what a reader may take for granted: no reader
 * looks at a bound again.
 *
 *   manifest ─ counts ─▶ catalog ─ sets ─▶ search ─ names ─▶ lists             checkLists
 *            ─ counts ─▶ cards ─ records ─▶ ids     history ─ rows, newest day ─▶ manifest     checkRecords
 *
 * Both work in slices of a few milliseconds. With the lists checked, a thread can open the version: the rest takes longer
 * and is done meanwhile.
 */
import { join } from 'node:path'
import { dayOfDate } from '../calendar.ts'
import { SeriesCheck } from '../history/series-check.ts'
import { partCards } from '../limits.ts'
import { aboutFileName, aboutOf } from './about-file.ts'
import { bulkFileName, checkBulkFile, readBulkFile } from './bulk-file.ts'
import { checkCardsPart, detailsStart, itemStart, readCardsPart } from './cards-file.ts'
import { type Checking, must } from './checking.ts'
import { IndexError } from './format.ts'
import { checkHistoryFile, readHistoryFile } from './history-file.ts'
import { checkSlots, readIds } from './ids-file.ts'
import { checkListsFile } from './lists-check.ts'
import { readListsFile } from './lists-file.ts'
import { manifestName } from './manifest.ts'
import { checkSearchFile } from './search-check.ts'
import { readSearchFile } from './search-file.ts'
import { checkSetsFile, gamesOf, readSetsFile } from './sets-file.ts'
import { fileOf, partName, partsOf, type VersionFiles } from './version.ts'

/** So long others wait for their turn. */
const sliceMs = 4

/**
 * The files that there are, and what search and lists are made of.
 * @param folder the version's, for what is said of it
 * @throws IndexError that names the file
 */
export async function checkLists(version: VersionFiles, folder: string): Promise<void> {
  const { counts, files } = version.manifest
  const parts = Math.ceil(counts.cards / partCards)
  naming(join(folder, manifestName), () => {
    must(version.files.size === files.length, 'each file is named once')
    must(partsOf(version, 'cards').length === Math.max(parts, 1), 'cards are in as many files as they need')
    must(partsOf(version, 'history').length === parts, 'history is in as many files as the cards need')
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
}

/** What is found by card. As `checkLists`, which comes first. */
export async function checkRecords(version: VersionFiles, folder: string): Promise<void> {
  const { asOf, counts } = version.manifest
  const cardsOf = (part: number) => Math.min(counts.cards - part * partCards, partCards)
  for (let part = 0; part < partsOf(version, 'cards').length; part++) {
    await checkFile(version, folder, partName('cards', part), (bytes) =>
      checkCardsPart(readCardsPart(bytes), part * partCards, cardsOf(part)),
    )
  }
  const cards = partsOf(version, 'cards').map(readCardsPart)
  await checkFile(version, folder, 'ids.msgpack', function* (bytes) {
    const { details, items } = readIds(bytes)
    const parts = { details: cards.map((part) => part.details), items: cards.map((part) => part.items) }
    yield* checkSlots('details', details, parts.details, detailsStart, counts.cards)
    yield* checkSlots('items', items, parts.items, itemStart, counts.cards)
  })
  const series = new SeriesCheck()
  for (let part = 0; part < partsOf(version, 'history').length; part++) {
    await checkFile(version, folder, partName('history', part), (bytes) =>
      checkHistoryFile(readHistoryFile(bytes), cardsOf(part), series),
    )
  }
  naming(join(folder, manifestName), () => {
    must(series.rows === counts.historyRows, 'historyRows are as many as the history has')
    must(series.rows === 0 || series.newestDay === dayOfDate(asOf ?? ''), 'asOf is the newest day of the history')
  })
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
