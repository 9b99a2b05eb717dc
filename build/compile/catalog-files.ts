/**
 * The card, set, search and lists files of a version: compiled, or the base's if nothing changed.
 *
 *   sets/, cards/ ─▶ readCatalog: ids, texts ─▶ (the history can start) ─▶ compile: each file is put when it is done
 *   base ── no file of sets/ and cards/ changed ─▶ all files
 *        ── the fingerprint is unchanged ────────▶ search, and all of lists but prices
 */
import type { ResponseOf } from '../../src/api/schemas.ts'
import { dateOfDay, noDay } from '../../src/calendar.ts'
import { gameSlugs, games } from '../../src/games.ts'
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { layoutOf, roomFor, type TextsOfCards, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { changesFileName } from '../../src/indexes/changes-file.ts'
import { unlessDamaged } from '../../src/indexes/format.ts'
import { placeOf as locationOf, writeIds } from '../../src/indexes/ids-file.ts'
import { readListsFile, writeListsFile } from '../../src/indexes/lists-file.ts'
import { writeSearchFile } from '../../src/indexes/search-file.ts'
import { readSetsFile, writeSetsFile } from '../../src/indexes/sets-file.ts'
import { partName } from '../../src/indexes/version.ts'
import { partCards } from '../../src/limits.ts'
import { releaseMemory } from '../../src/platform/memory.ts'
import { allEnded } from '../all-ended.ts'
import { CardIds } from '../read/card-ids.ts'
import type { Problems } from '../read/problems.ts'
import type { SetRecord } from '../read/schema.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { Base, FileSource, PutFile } from './base.ts'
import { compileBulk } from './bulk.ts'
import { type Card, idOf } from './card-block.ts'
import { catalogSource, readCardsAndSets, sourceFiles } from './cards-and-sets.ts'
import { compileLists, repricedLists } from './lists.ts'
import { orderCards } from './order.ts'
import { compileSearch } from './search.ts'
import { type SearchDocument, searchDocuments } from './search-document.ts'
import type { TextsFile } from './texts-file.ts'

export interface Catalog {
  readonly ids: CardIds
  readonly setCount: number
  /** By card number, like `markets`: cents, `noPrice` if unknown. */
  readonly games: Uint8Array
  readonly markets: Uint32Array
  /** By card number, the day of its `updatedAt`, `noDay` if unknown. */
  readonly updates: Int32Array
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  readonly source: string
  readonly fingerprint: string
  /** By card number, the card's position in the snapshot's files. */
  readonly order: Uint32Array
  readonly reused: boolean
  /** Puts all its files, and returns their names in order. Call it once, and only if the snapshot has no problem. */
  readonly compile: (put: PutFile) => Promise<readonly string[]>
}

/**
 * Adds what is wrong to `problems`.
 * @param currency of all prices, null if unknown
 * @param texts the cards are rendered into it
 */
export async function readCatalog(
  snapshots: string,
  currency: string | null,
  base: Base | null,
  problems: Problems,
  pool: WorkerPool,
  texts: TextsFile,
): Promise<Catalog> {
  const sources = await sourceFiles(snapshots, problems)
  if (base !== null && base.manifest.catalogSource === (await catalogSource(sources, currency))) {
    const reused = await unlessDamaged(reuse(base))
    if (reused !== undefined) return reused
  }
  // If a file has changed since, this reading counts.
  const read = await readCardsAndSets(sources, currency, problems, pool, texts, base?.cache.fingerprint)
  const { sets, fingerprint, source } = read
  let before =
    base !== null && base.cache.fingerprint === fingerprint
      ? await unlessDamaged(readUnchanged(base, read.cards.length))
      : undefined
  let documents = before === undefined ? orderCards(searchDocuments(read.cards), sets) : []
  const order = before?.order ?? Uint32Array.from(documents, ({ position }) => position)
  const cards = Array.from(order, (position) => read.cards[position]!)
  const ids = CardIds.of(cards.length, (number) => idOf(cards[number]!))
  const markets = columnOf(cards, 'markets')
  const updates = Int32Array.from(cards, ({ block, row }) => block.updates[row]!)
  const newest = updates.reduce((latest, day) => Math.max(latest, day), noDay)
  const newestUpdate = newest === noDay ? null : dateOfDay(newest)
  return {
    ids,
    setCount: sets.length,
    games: Uint8Array.from(cards, ({ block, row }) => block.games[row]!),
    markets,
    updates,
    newestUpdate,
    source,
    fingerprint,
    order,
    reused: false,
    compile: async (put) => {
      const putAll = (files: readonly NamedFile[]) =>
        allEnded(files.map(([name, file]) => put(name, file).then(() => name)))
      const textsOf = (first: number, end: number) => texts.read(read.cards, order.subarray(first, end))
      // A version's name depends on their order.
      const names = await allEnded([
        putCards(put, cards, textsOf, ids),
        putAll([['catalog.msgpack', { pieces: compileSets(sets, columnOf(cards, 'sets'), newestUpdate) }]]),
        putAll(before?.files(markets) ?? searchFiles(documents, sets)).then((names) => {
          before = undefined
          documents = []
          releaseMemory()
          return names
        }),
        compileBulk(read.cards, order, texts).then(putAll),
      ])
      // Workers still read the history, and need the memory.
      releaseMemory()
      return names.flat()
    },
  }
}

type NamedFile = readonly [name: string, source: FileSource]

/** The base's files for the same cards at other prices; undefined if the cached order is damaged. Throws IndexError. */
async function readUnchanged(base: Base, cardCount: number) {
  // Reading verifies it.
  await base.read('search.msgpack')
  const lists = await base.read('lists.msgpack')
  const { order } = base.cache
  if (!isOrder(order, cardCount)) return undefined
  const files = (markets: Uint32Array): NamedFile[] => {
    const repriced = repricedLists(readListsFile(lists), markets)
    return [
      ['search.msgpack', base.source('search.msgpack')],
      ['lists.msgpack', { pieces: writeListsFile(repriced) }],
    ]
  }
  return { order, files }
}

const isOrder = (order: Uint32Array, cardCount: number): boolean =>
  order.length === cardCount && new Set(order).size === cardCount && order.every((position) => position < cardCount)

/** @param cards by card number */
function searchFiles(cards: readonly SearchDocument[], sets: readonly SetRecord[]): NamedFile[] {
  const search = compileSearch({ sets, cards })
  return [
    ['search.msgpack', { pieces: writeSearchFile(search) }],
    ['lists.msgpack', { pieces: writeListsFile(compileLists(cards, search)) }],
  ]
}

/**
 * Puts one part after the other, as each takes memory while it is written. Returns the files' names.
 * @param cards by card number
 * @param textsOf the texts of the cards from `first` up to `end`
 */
async function putCards(
  put: PutFile,
  cards: readonly Card[],
  textsOf: (first: number, end: number) => Iterable<TextsOfCards>,
  ids: CardIds,
): Promise<readonly string[]> {
  const locations = { details: new Uint32Array(cards.length), items: new Uint32Array(cards.length) }
  const layouts = Array.from({ length: Math.max(1, Math.ceil(cards.length / partCards)) }, (_, part) => {
    const first = part * partCards
    const layout = layoutOf(cards.slice(first, first + partCards))
    for (let i = 0; i < layout.details.length - 1; i++) {
      locations.details[first + i] = locationOf(part, layout.details[i]!)
      locations.items[first + i] = locationOf(part, layout.items[i]!)
    }
    return layout
  })
  put('ids.msgpack', { pieces: writeIds(ids.hashes(), locations) })
  const buffer = new ArrayBuffer(Math.max(...layouts.map(roomFor)))
  for (const [part, layout] of layouts.entries()) {
    const first = part * partCards
    const pieces = writeCardsPart(first, layout, textsOf(first, first + partCards), buffer)
    await put(partName('cards', part), { pieces })
  }
  return [...layouts.map((_, part) => partName('cards', part)), 'ids.msgpack']
}

/** By card number. */
const columnOf = (cards: readonly Card[], name: 'sets' | 'markets'): Uint32Array =>
  Uint32Array.from(cards, ({ block, row }) => block[name][row]!)

/**
 * The sets in list order and the games, rendered.
 * @param sets in list order
 * @param setsOfCards the index of each card's set
 */
function compileSets(sets: readonly SetRecord[], setsOfCards: Uint32Array, newestUpdate: string | null): Uint8Array[] {
  const cardCounts = new Uint32Array(sets.length)
  for (const setNumber of setsOfCards) cardCounts[setNumber]!++
  const rendered = sets.map(({ code, name, game, releaseDate }, number) => {
    const cardCount = cardCounts[number]!
    const answer: ResponseOf<'cardSet'> = { code, name, game: gameSlugs[game]!, cardCount, releaseDate }
    return { game, cardCount, json: JSON.stringify(answer) }
  })
  const byGame = games.map((_, game) => rendered.filter((set) => set.game === game))
  const gamesAnswer: ResponseOf<'games'> = {
    data: games.map(({ id, name }, game) => ({
      id,
      name,
      cardCount: byGame[game]!.reduce((sum, set) => sum + set.cardCount, 0),
      setCount: byGame[game]!.length,
    })),
  }
  return writeSetsFile(
    JSON.stringify(gamesAnswer),
    [rendered, ...byGame].map((list) => list.map(({ json }) => json)),
    newestUpdate,
  )
}

/** The base's catalog. Throws IndexError. */
async function reuse(base: Base): Promise<Catalog> {
  const { catalogSource: source, files, counts } = base.manifest
  const isOther = (name: string) => name.startsWith('history-') || name === changesFileName || name === aboutFileName
  const reused = files.map(({ name }) => name).filter((name) => !isOther(name))
  const ids = await base.readIds()
  const lists = await base.read('lists.msgpack')
  const catalog = await base.read('catalog.msgpack')
  // Reading verifies the others, too.
  for (const name of reused) if (!/^(cards-|lists|catalog)/.test(name)) await base.read(name)
  const { cardGame, cardMarket } = readListsFile(lists)
  return {
    ids,
    setCount: counts.sets,
    games: cardGame,
    markets: cardMarket,
    updates: base.cache.updates,
    newestUpdate: readSetsFile(catalog).newestUpdate,
    source,
    fingerprint: base.cache.fingerprint,
    order: base.cache.order,
    reused: true,
    compile: async (put) => {
      for (const name of reused) put(name, base.source(name))
      return reused
    },
  }
}
