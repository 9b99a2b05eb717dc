/**
 * All that readers assume of a version, and never look at: that each file is consistent by itself, and with the others. So a
 * fault in a build is found where it is, and not by a wrong response.
 *
 *   manifest ─ counts ─▶ catalog ─ sets ─▶ search ─ names ─▶ lists ─▶ changes
 *            ─ counts ─▶ cards ─ records ─▶ ids     history ─ rows, newest day ─▶ manifest
 */

import { dayOfDate, noDay } from '../../../src/calendar.ts'
import { aboutOf } from '../../../src/indexes/about-file.ts'
import { bulkFileName, bulkOfGames, readBulkFile } from '../../../src/indexes/bulk-file.ts'
import { readCardsPart } from '../../../src/indexes/cards-file.ts'
import { changesFileName, readChangesFile } from '../../../src/indexes/changes-file.ts'
import { partCards } from '../../../src/indexes/format.ts'
import { readHistoryFile } from '../../../src/indexes/history-file.ts'
import { readIds } from '../../../src/indexes/ids-file.ts'
import { readListsFile } from '../../../src/indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../../../src/indexes/load.ts'
import { readSearchFile } from '../../../src/indexes/search-file.ts'
import { readSetsFile } from '../../../src/indexes/sets-file.ts'
import { checkCardsPart, checkSlots } from './cards.ts'
import { checkBulkFile, checkSetsFile, gamesOf } from './catalog.ts'
import { checkOffsets, each, must } from './columns.ts'
import { checkHistoryFile } from './history.ts'
import { checkChangesFile, checkListsFile } from './lists.ts'
import { checkSearchFile } from './search.ts'

/** Throws an AssertionError or IndexError for the first fault. */
export function checkVersion(version: VersionFiles): void {
  const { counts, files } = version.manifest
  must(new Set(files.map(({ name }) => name)).size === files.length, 'each file is named once')
  aboutOf(version)
  const sets = readSetsFile(fileOf(version, 'catalog.msgpack'))
  checkSetsFile(sets, counts.cards, counts.sets)
  const bulkFile = readBulkFile(fileOf(version, bulkFileName))
  checkOffsets(bulkFile)
  const bulk = bulkOfGames(bulkFile)
  must(bulk.length === sets.games.length, 'each game has its download')
  for (const [game, { cardCount }] of gamesOf(sets).entries()) checkBulkFile(bulk[game]!, cardCount)
  const search = readSearchFile(fileOf(version, 'search.msgpack'))
  checkSearchFile(search, counts.cards, counts.sets)
  const lists = readListsFile(fileOf(version, 'lists.msgpack'))
  checkListsFile(
    lists,
    search,
    sets.games.map(({ id }) => id),
  )
  const changes = readChangesFile(fileOf(version, changesFileName))
  checkChangesFile(changes, lists)
  const { updates, byHistory } = checkRecords(version)
  const lastUpdate = dayOfDate(version.manifest.asOf ?? '') + 1
  each(counts.cards, 'the day of the last change is of the history, else of updatedAt', (card) => {
    const day = byHistory[card] === noDay ? Math.min(updates[card]!, lastUpdate) : byHistory[card]
    return changes.changedOn[card] === day
  })
}

/** Cards, ids and history. Returns the days of `updatedAt`, and the first days of the newest equal rows. */
export function checkRecords(version: VersionFiles): { updates: number[]; byHistory: number[] } {
  const { asOf, counts } = version.manifest
  const parts = Math.ceil(counts.cards / partCards)
  const cardsOf = (part: number) => Math.min(counts.cards - part * partCards, partCards)
  const cards = partsOf(version, 'cards').map(readCardsPart)
  const history = partsOf(version, 'history').map(readHistoryFile)
  must(cards.length === Math.max(parts, 1), 'cards are in as many files as they need')
  must(history.length === parts, 'history is in as many files as the cards need')
  const updates = cards.flatMap((part, i) => checkCardsPart(part, i * partCards, cardsOf(i)))
  const ids = readIds(fileOf(version, 'ids.msgpack'))
  checkSlots('details', ids.details, cards)
  checkSlots('items', ids.items, cards)
  const sums = history.map((part, i) => checkHistoryFile(part, cardsOf(i)))
  const rows = sums.reduce((sum, part) => sum + part.rows, 0)
  must(rows === counts.historyRows, 'historyRows are as many as the history has')
  const newestDay = Math.max(...sums.map((part) => part.newestDay))
  must(rows === 0 || newestDay === dayOfDate(asOf ?? ''), 'asOf is the newest day of the history')
  return { updates, byHistory: sums.flatMap((part) => [...part.changedOn]) }
}
