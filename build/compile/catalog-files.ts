/**
 * The card, set, search and lists files of a version: compiled, or taken from the last version if no source changed.
 *
 *   sets/, cards/ ─▶ readCatalog: ids ─▶ (the history can start) ─▶ compile: files
 *   base ── no file of sets/ and cards/ changed ─▶ all files
 *        ── names, sets, order are the same ─────▶ search, and of lists all but prices
 */
import { gameSlugs, games } from '../../src/games.ts'
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { recordsAt, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { readSearchFile, writeSearchFile } from '../../src/indexes/search-file.ts'
import { gamesOf, readSetsFile } from '../../src/indexes/sets-file.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards } from '../../src/limits.ts'
import type { Crew } from '../crew/crew.ts'
import { type Base, idsOf } from '../publish/base.ts'
import type { FileSource } from '../publish/publish.ts'
import { type Card, type CardsAndSets, catalogSource, readCardsAndSets, sourceFiles } from '../read/cards-and-sets.ts'
import type { Problems } from '../read/problems.ts'
import { compileBulk } from './bulk.ts'
import { compileLists } from './lists.ts'
import { compileSearch } from './search.ts'
import { compileSets } from './sets.ts'
import { steadyOf } from './steady.ts'

export interface Catalog {
  /** By card number. */
  readonly ids: readonly string[]
  readonly setCount: number
  /** By game number. */
  readonly cardCounts: readonly number[]
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  readonly source: string
  readonly steady: string
  readonly reused: boolean
  /** To be called once, and only if the snapshot is right. */
  readonly compile: () => Promise<ReadonlyMap<string, FileSource>>
}

/** What is wrong goes to `problems`. */
export async function readCatalog(
  snapshots: string,
  base: Base | null,
  problems: Problems,
  crew: Crew,
): Promise<Catalog> {
  const sources = await sourceFiles(snapshots, problems)
  if (base !== null && base.manifest.catalogSource === (await catalogSource(sources))) {
    const reused = await reuse(base)
    if (reused !== undefined) return reused
  }
  // What is read now counts, should a file change meanwhile.
  const read = await readCardsAndSets(sources, problems, crew)
  const { sets, cards, newestUpdate, source } = read
  const steady = steadyOf(sets, cards)
  return {
    ids: cards.map(({ id }) => id),
    setCount: sets.length,
    cardCounts: games.map((_, game) => cards.filter((card) => card.game === game).length),
    newestUpdate,
    source,
    steady,
    reused: false,
    compile: () => compileFiles(read, base !== null && base.note.steady === steady ? base : null),
  }
}

/** @param steady a version of the same cards at other prices */
async function compileFiles(
  { sets, cards, newestUpdate }: CardsAndSets,
  steady: Base | null,
): Promise<ReadonlyMap<string, FileSource>> {
  const bulk = compileBulk(cards)
  const before = await readSteady(steady)
  const files = new Map<string, FileSource>()
  for (let part = 0; part === 0 || part * partCards < cards.length; part++) {
    files.set(partName('cards', part), { pieces: writeCardsPart(part * partCards, cardsOfPart(cards, part)) })
  }
  const places = { details: placesOf(cards, 'details'), items: placesOf(cards, 'items') }
  const hashes = cards.map(({ hash }) => hash)
  files.set('ids.msgpack', { pieces: writeIds(hashes, places) })
  files.set('catalog.msgpack', { pieces: compileSets(sets, cards, newestUpdate) })
  const search = before?.search ?? compileSearch({ sets, cards })
  files.set('search.msgpack', before?.searchSource ?? { pieces: writeSearchFile(search) })
  files.set('lists.msgpack', { pieces: writeListsFile(compileLists(cards, search, before?.lists)) })
  for (const [name, pieces] of await bulk) files.set(name, { pieces })
  return files
}

/** The files that hold more than prices, undefined if they are not there whole. */
async function readSteady(base: Base | null) {
  const search = await base?.read('search.msgpack')
  const lists = await base?.read('lists.msgpack')
  if (search === undefined || lists === undefined) return undefined
  return {
    search: readSearchFile(search),
    searchSource: base!.source('search.msgpack'),
    lists: readListsFile(lists),
  }
}

const cardsOfPart = (cards: readonly Card[], part: number): readonly Card[] =>
  cards.slice(part * partCards, (part + 1) * partCards)

/** Of the records, by card number. */
function placesOf(cards: readonly Card[], name: 'details' | 'items'): number[] {
  const places: number[] = []
  for (let part = 0; part * partCards < cards.length; part++) {
    for (const at of recordsAt(cardsOfPart(cards, part), name).subarray(0, -1)) places.push(placeOf(part, at))
  }
  return places
}

/** All of it from the base, undefined if that is not there whole. */
async function reuse(base: Base): Promise<Catalog | undefined> {
  const { catalogSource: source, files } = base.manifest
  const kept = files.map(({ name }) => name).filter((name) => !name.startsWith('history-') && name !== aboutFileName)
  const contents = new Map<string, Uint8Array>()
  for (const name of kept) {
    const content = await base.read(name)
    if (content === undefined) return undefined
    if (name.startsWith('cards-') || name === 'catalog.msgpack') contents.set(name, content)
  }
  const catalog = contents.get('catalog.msgpack')
  if (catalog === undefined) return undefined
  contents.delete('catalog.msgpack')
  const { setCounts, newestUpdate } = readSetsFile(catalog)
  return {
    ids: idsOf([...contents.values()]),
    setCount: setCounts[0]!,
    cardCounts: cardCountsOf(catalog),
    newestUpdate,
    source,
    steady: base.note.steady,
    reused: true,
    compile: async () => new Map(kept.map((name) => [name, base.source(name)])),
  }
}

/** The cards of each game of a version, by game number, from its catalog file. Throws IndexError. */
export function cardCountsOf(catalog: Uint8Array): number[] {
  const counts = gamesOf(readSetsFile(catalog))
  return gameSlugs.map((slug) => counts.find(({ id }) => id === slug)?.cardCount ?? 0)
}
