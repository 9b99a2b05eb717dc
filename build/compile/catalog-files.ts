/**
 * The card, set, search and lists files of a version: compiled, or taken from the last version if no source changed.
 *
 *   sets/, cards/ ─▶ readCatalog: ids ─▶ (the history can start) ─▶ compile: files
 *   base ── no file of sets/ and cards/ changed ─▶ all files
 *        ── names, sets, order are the same ─────▶ search, and of lists all but prices
 */
import { gameSlugs, games } from '../../src/games.ts'
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { layoutOf, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { readSearchFile, writeSearchFile } from '../../src/indexes/search-file.ts'
import { gamesOf, readSetsFile } from '../../src/indexes/sets-file.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards } from '../../src/limits.ts'
import type { Crew } from '../crew/crew.ts'
import { type Base, idsOf } from '../publish/base.ts'
import type { FileSource } from '../publish/publish.ts'
import { CardIds } from '../read/card-ids.ts'
import { type Card, catalogSource, idOf, readCardsAndSets, sourceFiles } from '../read/cards-and-sets.ts'
import type { Problems } from '../read/problems.ts'
import type { SetRecord } from '../read/records.ts'
import { compileBulk } from './bulk.ts'
import { type DescribedCard, describe } from './described.ts'
import { compileLists, repricedLists } from './lists.ts'
import { orderCards } from './order.ts'
import { compileSearch } from './search.ts'
import { compileSets } from './sets.ts'

export interface Catalog {
  readonly ids: CardIds
  readonly setCount: number
  /** By game number. */
  readonly cardCounts: readonly number[]
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  readonly source: string
  /** What a later build knows the same cards by (steady.ts), and where each stands in the files, by card number. */
  readonly steady: string
  readonly order: Uint32Array
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
  const read = await readCardsAndSets(sources, problems, crew, base?.note.steady)
  const { sets, steady, newestUpdate, source } = read
  const before = base !== null && base.note.steady === steady ? await readSteady(base, read.cards.length) : undefined
  const described = before === undefined ? orderCards(read.cards.map(describe), sets) : []
  const order = before?.order ?? Uint32Array.from(described, ({ place }) => place)
  const cards = Array.from(order, (place) => read.cards[place]!)
  const ids = CardIds.of(cards.map(idOf))
  return {
    ids,
    setCount: sets.length,
    cardCounts: games.map((_, game) => cards.filter(({ block, place }) => block.games[place] === game).length),
    newestUpdate,
    source,
    steady,
    order,
    reused: false,
    compile: async () => {
      const bulk = compileBulk(cards)
      // A version's name depends on their order.
      return new Map<string, FileSource>([
        ...cardFiles(cards, ids),
        ['catalog.msgpack', { pieces: compileSets(sets, columnOf(cards, 'sets'), newestUpdate) }],
        ...(before?.files(cards) ?? searchFiles(described, sets)),
        ...Array.from(await bulk, ([name, pieces]): NamedFile => [name, { pieces }]),
      ])
    },
  }
}

type NamedFile = readonly [name: string, source: FileSource]

/** What the base has of the same cards at other prices; undefined if it is not there whole. */
async function readSteady(base: Base, cardCount: number) {
  const search = await base.read('search.msgpack')
  const lists = await base.read('lists.msgpack')
  const { order } = base.note
  if (search === undefined || lists === undefined || !isOrder(order, cardCount)) return undefined
  const files = (cards: readonly Card[]): NamedFile[] => {
    const repriced = repricedLists(readListsFile(lists), columnOf(cards, 'markets'), readSearchFile(search))
    return [
      ['search.msgpack', base.source('search.msgpack')],
      ['lists.msgpack', { pieces: writeListsFile(repriced) }],
    ]
  }
  return { order, files }
}

const isOrder = (order: Uint32Array, cardCount: number): boolean =>
  order.length === cardCount && new Set(order).size === cardCount && order.every((place) => place < cardCount)

/** @param cards by card number */
function searchFiles(cards: readonly DescribedCard[], sets: readonly SetRecord[]): NamedFile[] {
  const search = compileSearch({ sets, cards })
  return [
    ['search.msgpack', { pieces: writeSearchFile(search) }],
    ['lists.msgpack', { pieces: writeListsFile(compileLists(cards, search)) }],
  ]
}

/** @param cards by card number */
function cardFiles(cards: readonly Card[], ids: CardIds): NamedFile[] {
  const files: NamedFile[] = []
  const places = { details: new Uint32Array(cards.length), items: new Uint32Array(cards.length) }
  for (let part = 0; part === 0 || part * partCards < cards.length; part++) {
    const first = part * partCards
    const ofPart = cards.slice(first, first + partCards)
    const layout = layoutOf(ofPart)
    for (let i = 0; i < ofPart.length; i++) {
      places.details[first + i] = placeOf(part, layout.details[i]!)
      places.items[first + i] = placeOf(part, layout.items[i]!)
    }
    files.push([partName('cards', part), { pieces: writeCardsPart(first, ofPart, layout) }])
  }
  return [...files, ['ids.msgpack', { pieces: writeIds(ids.hashes(), places) }]]
}

/** By card number. */
const columnOf = (cards: readonly Card[], name: 'sets' | 'markets'): Uint32Array =>
  Uint32Array.from(cards, ({ block, place }) => block[name][place]!)

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
    order: base.note.order,
    reused: true,
    compile: async () => new Map(kept.map((name) => [name, base.source(name)])),
  }
}

/** The cards of each game of a version, by game number, from its catalog file. Throws IndexError. */
export function cardCountsOf(catalog: Uint8Array): number[] {
  const counts = gamesOf(readSetsFile(catalog))
  return gameSlugs.map((slug) => counts.find(({ id }) => id === slug)?.cardCount ?? 0)
}
