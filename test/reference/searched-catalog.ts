/** A snapshot's catalog as search needs it, compiled in memory, and what its pages are made of. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { readCardsAndSets, sourceFiles } from '../../build/compile/cards-and-sets.ts'
import { compileLists } from '../../build/compile/lists.ts'
import { orderCards } from '../../build/compile/order.ts'
import { compileSearch } from '../../build/compile/search.ts'
import { searchDocuments } from '../../build/compile/search-document.ts'
import { TextsFile } from '../../build/compile/texts-file.ts'
import { Problems } from '../../build/read/problems.ts'
import { WorkerPool } from '../../build/workers/pool.ts'
import { noDay } from '../../src/calendar.ts'
import { Summaries } from '../../src/catalog/summaries.ts'
import { layoutOf, readCardsPart, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { type ChangesFile, change, readChangesFile, writeChangesFile } from '../../src/indexes/changes-file.ts'
import { type ListsFile, noPrice, readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { week } from '../../src/indexes/price-change.ts'
import { readSearchFile, type SearchFile, writeSearchFile } from '../../src/indexes/search-file.ts'
import { partCards } from '../../src/limits.ts'
import { Search } from '../../src/search/search.ts'
import type { ScanCard, ScanSet } from './scan.ts'

/** The parts of a search, in memory that threads could share. */
export interface SearchedFiles {
  readonly search: SearchFile
  readonly lists: ListsFile
  readonly changes: ChangesFile
  readonly bytes: number
}

export interface SearchedCatalog {
  /** By card number. */
  readonly cards: readonly ScanCard[]
  /** By set number. */
  readonly sets: readonly ScanSet[]
  readonly files: SearchedFiles
  readonly pages: Summaries
}

/** Throws SnapshotError. */
export async function loadSearchedCatalog(snapshots: string): Promise<SearchedCatalog> {
  const problems = new Problems()
  const pool = new WorkerPool(1)
  const texts = TextsFile.create(join(tmpdir(), `card-texts-${process.pid}`))
  const read = await readCardsAndSets(await sourceFiles(snapshots, problems), null, problems, pool, texts)
  const { sets } = read
  problems.check()
  const cards = orderCards(searchDocuments(read.cards), sets)
  const parts = Array.from({ length: Math.ceil(cards.length / partCards) }, (_, part) => {
    const first = part * partCards
    const positions = Uint32Array.from(cards.slice(first, first + partCards), ({ position }) => position)
    const layout = layoutOf(Array.from(positions, (position) => read.cards[position]!))
    return readCardsPart(inShared(writeCardsPart(first, layout, texts.read(read.cards, positions))))
  })
  texts.close()
  return {
    cards,
    sets,
    files: searchedFiles(cards, sets),
    pages: new Summaries(parts.map(({ summaries }) => summaries)),
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
  const compiled = compileSearch({ cards, sets })
  const unknown = { number: null, market: null, tcgplayerId: null, printing: null, scryfallId: null, mtgjsonId: null }
  const listed = cards.map((card) => ({ ...unknown, ...card }))
  const search = inShared(writeSearchFile(compiled))
  const lists = inShared(writeListsFile(compileLists(listed, compiled)))
  const changedOn = Int32Array.from(cards, ({ changedOn }) => changedOn ?? noDay)
  const changes = inShared(writeChangesFile({ changes: changesOfCards, changedOn }))
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
  const bytes = Buffer.concat(Array.from(pieces, (piece) => piece.slice()))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}
