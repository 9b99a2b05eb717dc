/** A snapshot's catalog as search needs it, compiled in memory, and what its pages are made of. */

import { setImmediate as pause } from 'node:timers/promises'
import { compileChanges } from '../../build/compile/card-orders.ts'
import { readCatalog } from '../../build/compile/catalog-files.ts'
import { compileLists } from '../../build/compile/lists.ts'
import { compileSearch } from '../../build/compile/search-columns.ts'
import { gameSlugs } from '../../build/games/default-games.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { noDay } from '../../src/calendar.ts'
import { AnswerBuffer, envelopeEnd } from '../../src/catalog/answer-buffer.ts'
import { NumberedTexts } from '../../src/catalog/card-texts.ts'
import { readCardsPart, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { type ChangesFile, change, readChangesFile, week, writeChangesFile } from '../../src/indexes/changes-file.ts'
import { partCards } from '../../src/indexes/format.ts'
import { type ListsFile, noPrice, readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { readSearchFile, type SearchFile, writeSearchFile } from '../../src/indexes/search-file.ts'
import { type HitPage, Search } from '../../src/search/search.ts'
import type { ScanCard, ScanSet } from './scan.ts'

/** The parts of a search, in memory that threads could share. */
export interface SearchedFiles {
  readonly search: SearchFile
  readonly lists: ListsFile
  readonly changes: ChangesFile
  readonly bytes: number
}

export interface SearchedCatalog {
  /** By card index. */
  readonly cards: readonly ScanCard[]
  /** By set number. */
  readonly sets: readonly ScanSet[]
  readonly files: SearchedFiles
  /** A page's body, valid until the next one. */
  readonly pageOf: (found: HitPage, limit: number, offset: number) => Uint8Array
}

/** Throws SnapshotError. */
export async function loadSearchedCatalog(snapshots: string): Promise<SearchedCatalog> {
  const problems = new Problems()
  const { sets, cards } = await readCatalog(snapshots, null, problems)
  problems.check()
  const parts = Array.from({ length: Math.ceil(cards.length / partCards) }, (_, part) => {
    const texts = cards.slice(part * partCards, (part + 1) * partCards).map((card) => card.texts)
    return readCardsPart(inShared(writeCardsPart(part * partCards, texts)))
  })
  const summaries = new NumberedTexts(parts.map((part) => part.summaries))
  const answer = new AnswerBuffer()
  return {
    cards,
    sets,
    files: searchedFiles(cards, sets),
    pageOf: (found, limit, offset) => answer.list(summaries.itemsOf(found), envelopeEnd(found.total, limit, offset)),
  }
}

/** A search of these cards, ready to be asked. */
export function searchOf(
  cards: readonly ScanCard[],
  sets: readonly ScanSet[],
  changesOfCards = weekChanges(cards),
): Promise<Search> {
  const { search, lists, changes } = searchedFiles(cards, sets, changesOfCards)
  return Search.load(search, lists, changes, () => pause())
}

/** The files of these cards; fields that are absent are unknown. */
export function searchedFiles(
  cards: readonly ScanCard[],
  sets: readonly ScanSet[],
  changesOfCards = weekChanges(cards),
): SearchedFiles {
  const listedSets = sets.map((set) => ({ printedTotal: null, ...set }))
  const compiled = compileSearch({ cards, sets: listedSets })
  const noIds = { tcgplayerId: null, scryfallId: null, mtgjsonId: null, cardmarketId: null }
  const unknown = { number: null, market: null, printing: null, ...noIds }
  const listed = cards.map((card) => ({ ...unknown, ...card }))
  const search = inShared(writeSearchFile(compiled))
  const lists = inShared(writeListsFile(compileLists(listed, listedSets, gameSlugs, compiled)))
  const changedOn = Int32Array.from(cards, ({ changedOn }) => changedOn ?? noDay)
  const cardGame = Uint8Array.from(cards, ({ game }) => game)
  const changes = inShared(writeChangesFile(compileChanges({ changes: changesOfCards, changedOn }, cardGame)))
  return {
    search: readSearchFile(search),
    lists: readListsFile(lists),
    changes: readChangesFile(changes),
    bytes: search.length + lists.length + changes.length,
  }
}

/** Of no other period anything is known. */
function weekChanges(cards: readonly ScanCard[]): Uint32Array {
  const changes = new Uint32Array(cards.length * change.size).fill(noPrice)
  cards.forEach(({ weekAgo, now }, card) => {
    changes[card * change.size + change.from + week] = weekAgo ?? noPrice
    changes[card * change.size + change.to] = now ?? noPrice
  })
  return changes
}

function inShared(pieces: Iterable<Uint8Array>): Uint8Array {
  const bytes = Buffer.concat([...pieces])
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}
