/**
 * The card, set, search and lists files of a version: compiled, or taken from the last version if no source changed.
 *
 *   sets/, cards/ ─▶ readCatalog: ids, texts ─▶ (the history can start) ─▶ compile: files, put as they are done
 *   base ── no file of sets/ and cards/ changed ─▶ all files
 *        ── names, sets, order are the same ─────▶ search, and of lists all but prices
 */
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { layoutOf, roomFor, type TextsOfCards, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { changesFileName } from '../../src/indexes/changes-file.ts'
import { placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { readSearchFile, writeSearchFile } from '../../src/indexes/search-file.ts'
import { readSetsFile } from '../../src/indexes/sets-file.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards } from '../../src/limits.ts'
import { releaseMemory } from '../../src/platform/memory.ts'
import { type Base, unlessDamaged } from '../publish/base.ts'
import type { FileSource, Staging } from '../publish/staging.ts'
import { CardIds } from '../read/card-ids.ts'
import { type Card, catalogSource, idOf, readCardsAndSets, sourceFiles } from '../read/cards-and-sets.ts'
import type { Problems } from '../read/problems.ts'
import type { SetRecord } from '../read/records.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { compileBulk } from './bulk.ts'
import { compileLists, repricedLists } from './lists.ts'
import { orderCards } from './order.ts'
import { compileSearch } from './search.ts'
import { describeAll, type SearchDocument } from './search-document.ts'
import { compileSets } from './sets.ts'
import type { TextsFile } from './texts-file.ts'

export interface Catalog {
  readonly ids: CardIds
  readonly setCount: number
  /** By card number: the game's number; the market price in cents, `noPrice` if unknown. */
  readonly games: Uint8Array
  readonly markets: Uint32Array
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  readonly source: string
  /** What a later build knows the same cards by (fingerprint.ts), and where each stands in the files, by card number. */
  readonly steady: string
  readonly order: Uint32Array
  readonly reused: boolean
  /** Puts all files of it there, and returns their names in order. To be called once, and only if the snapshot is right. */
  readonly compile: (staging: Staging) => Promise<readonly string[]>
}

/**
 * What is wrong goes to `problems`.
 * @param currency of all prices, null if it is unknown
 * @param texts gets what is sent of the cards
 */
export async function readCatalog(
  snapshots: string,
  currency: string | null,
  base: Base | null,
  problems: Problems,
  crew: WorkerPool,
  texts: TextsFile,
): Promise<Catalog> {
  const sources = await sourceFiles(snapshots, problems)
  if (base !== null && base.manifest.catalogSource === (await catalogSource(sources, currency))) {
    const reused = await unlessDamaged(reuse(base))
    if (reused !== undefined) return reused
  }
  // What is read now counts, should a file change meanwhile.
  const read = await readCardsAndSets(sources, currency, problems, crew, texts, base?.note.steady)
  const { sets, steady, newestUpdate, source } = read
  let before =
    base !== null && base.note.steady === steady
      ? await unlessDamaged(readUnchanged(base, read.cards.length))
      : undefined
  let described = before === undefined ? orderCards(describeAll(read.cards, texts), sets) : []
  const order = before?.order ?? Uint32Array.from(described, ({ place }) => place)
  const cards = Array.from(order, (place) => read.cards[place]!)
  const ids = CardIds.of(cards.length, (number) => idOf(cards[number]!))
  const markets = columnOf(cards, 'markets')
  return {
    ids,
    setCount: sets.length,
    games: Uint8Array.from(cards, ({ block, place }) => block.games[place]!),
    markets,
    newestUpdate,
    source,
    steady,
    order,
    reused: false,
    compile: async (staging) => {
      const put = (files: readonly NamedFile[]) =>
        Promise.all(files.map(([name, file]) => staging.put(name, file).then(() => name)))
      const textsOf = (first: number, end: number) => texts.read(read.cards, order.subarray(first, end))
      // A version's name depends on their order.
      const names = await Promise.all([
        putCards(staging, cards, textsOf, ids),
        put([['catalog.msgpack', { pieces: compileSets(sets, columnOf(cards, 'sets'), newestUpdate) }]]),
        put(before?.files(markets) ?? searchFiles(described, sets)).then((names) => {
          before = undefined
          described = []
          releaseMemory()
          return names
        }),
        compileBulk(read.cards, order, texts).then(put),
      ])
      // The history is still being read: whatever the files were made of makes room.
      releaseMemory()
      return names.flat()
    },
  }
}

type NamedFile = readonly [name: string, source: FileSource]

/** The base's files for the same cards at other prices; undefined if their order is none. Throws IndexError. */
async function readUnchanged(base: Base, cardCount: number) {
  const search = await base.read('search.msgpack')
  const lists = await base.read('lists.msgpack')
  const { order } = base.note
  if (!isOrder(order, cardCount)) return undefined
  const files = (markets: Uint32Array): NamedFile[] => {
    const repriced = repricedLists(readListsFile(lists), markets, readSearchFile(search))
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
function searchFiles(cards: readonly SearchDocument[], sets: readonly SetRecord[]): NamedFile[] {
  const search = compileSearch({ sets, cards })
  return [
    ['search.msgpack', { pieces: writeSearchFile(search) }],
    ['lists.msgpack', { pieces: writeListsFile(compileLists(cards, search)) }],
  ]
}

/**
 * The parts, one after the other, as each takes memory while it is written; then the names of all files.
 * @param cards by card number
 * @param textsOf those from `first` up to `end`
 */
async function putCards(
  staging: Staging,
  cards: readonly Card[],
  textsOf: (first: number, end: number) => Iterable<TextsOfCards>,
  ids: CardIds,
): Promise<readonly string[]> {
  const places = { details: new Uint32Array(cards.length), items: new Uint32Array(cards.length) }
  const layouts = Array.from({ length: Math.max(1, Math.ceil(cards.length / partCards)) }, (_, part) => {
    const first = part * partCards
    const layout = layoutOf(cards.slice(first, first + partCards))
    for (let i = 0; i < layout.details.length - 1; i++) {
      places.details[first + i] = placeOf(part, layout.details[i]!)
      places.items[first + i] = placeOf(part, layout.items[i]!)
    }
    return layout
  })
  staging.put('ids.msgpack', { pieces: writeIds(ids.hashes(), places) })
  const room = new ArrayBuffer(Math.max(...layouts.map(roomFor)))
  for (const [part, layout] of layouts.entries()) {
    const first = part * partCards
    const pieces = writeCardsPart(first, layout, textsOf(first, first + partCards), room)
    await staging.put(partName('cards', part), { pieces })
  }
  return [...layouts.map((_, part) => partName('cards', part)), 'ids.msgpack']
}

/** By card number. */
const columnOf = (cards: readonly Card[], name: 'sets' | 'markets'): Uint32Array =>
  Uint32Array.from(cards, ({ block, place }) => block[name][place]!)

/** All of it from the base. Throws IndexError. */
async function reuse(base: Base): Promise<Catalog> {
  const { catalogSource: source, files, counts } = base.manifest
  const isOther = (name: string) => name.startsWith('history-') || name === changesFileName || name === aboutFileName
  const kept = files.map(({ name }) => name).filter((name) => !isOther(name))
  const ids = await base.readIds()
  const lists = await base.read('lists.msgpack')
  const catalog = await base.read('catalog.msgpack')
  // All others must be whole, too.
  for (const name of kept) if (!/^(cards-|lists|catalog)/.test(name)) await base.read(name)
  const { cardGame, cardMarket } = readListsFile(lists)
  return {
    ids,
    setCount: counts.sets,
    games: cardGame,
    markets: cardMarket,
    newestUpdate: readSetsFile(catalog).newestUpdate,
    source,
    steady: base.note.steady,
    order: base.note.order,
    reused: true,
    compile: async (staging) => {
      for (const name of kept) staging.put(name, base.source(name))
      return kept
    },
  }
}
