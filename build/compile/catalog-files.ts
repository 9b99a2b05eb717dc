/** The card, set, search and lists files of a version: compiled, or taken from the last version if no source changed. */
import { join } from 'node:path'
import { gameSlugs, games } from '../../src/games.ts'
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { type CardsPart, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { writeListsFile } from '../../src/indexes/lists-file.ts'
import { writeSearchFile } from '../../src/indexes/search-file.ts'
import { readSetsFile } from '../../src/indexes/sets-file.ts'
import { fileOf, partName, type VersionFiles } from '../../src/indexes/version.ts'
import { idsOf } from '../publish/base.ts'
import type { FileSource } from '../publish/publish.ts'
import { catalogSource, readCardsAndSets, sourceFiles } from '../read/cards-and-sets.ts'
import type { Problems } from '../read/problems.ts'
import type { CardRecord } from '../read/records.ts'
import { compileBulk } from './bulk.ts'
import { compileCards } from './cards.ts'
import { compileLists, type ListedCard } from './lists.ts'
import { setKey } from './order.ts'
import { compileSearch } from './search.ts'
import { compileSets } from './sets.ts'

interface CatalogFiles {
  readonly files: ReadonlyMap<string, FileSource>
  /** By card number. */
  readonly ids: readonly string[]
  readonly setCount: number
  /** By game number. */
  readonly cardCounts: readonly number[]
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  readonly source: string
  readonly reused: boolean
}

/** What is wrong goes to `problems`; the result is good only if nothing was. */
export async function compileCatalogFiles(
  snapshots: string,
  indexDir: string,
  last: VersionFiles | undefined,
  problems: Problems,
): Promise<CatalogFiles> {
  const sources = await sourceFiles(snapshots, problems)
  if (last !== undefined && last.manifest.catalogSource === (await catalogSource(sources))) return reuse(last, indexDir)
  // What is read now counts, should a file change meanwhile.
  const { sets, cards, source } = await readCardsAndSets(sources, problems)
  const setNumbers = new Map(sets.map((set, number) => [setKey(set.game, set.code), number]))
  const setNumberOf = (card: CardRecord) => setNumbers.get(setKey(card.game, card.setCode)) ?? 0
  const ids = cards.map((card) => card.id)
  const newestUpdate = newestUpdateOf(cards)
  const pieces = new Map<string, Uint8Array[]>()
  if (problems.count === 0 && sets.length > 0) {
    const parts = compileCards(cards, (card) => sets[setNumberOf(card)]!.name)
    parts.forEach((part, number) => {
      pieces.set(partName('cards', number), writeCardsPart(part))
    })
    const bulk = compileBulk(cards, parts)
    pieces.set('ids.msgpack', writeIds(ids, { details: placesOf(parts, 'details'), items: placesOf(parts, 'items') }))
    pieces.set('catalog.msgpack', compileSets(sets, cards, newestUpdate))
    const search = compileSearch({ sets, cards: cards.map((card) => ({ ...card, setNumber: setNumberOf(card) })) })
    pieces.set('search.msgpack', writeSearchFile(search))
    pieces.set('lists.msgpack', writeListsFile(compileLists(cards.map(listed), search)))
    for (const [name, piece] of await bulk) pieces.set(name, piece)
  }
  const files = new Map([...pieces].map(([name, piece]) => [name, { pieces: piece }]))
  const cardCounts = games.map((_, game) => cards.filter((card) => card.game === game).length)
  return { files, ids, setCount: sets.length, cardCounts, newestUpdate, source, reused: false }
}

const listed = ({ prices, ...card }: CardRecord): ListedCard => ({ ...card, market: prices.market })

/** Of the records, by card number. */
const placesOf = (parts: readonly CardsPart[], texts: 'details' | 'items'): number[] =>
  parts.flatMap((part, number) => Array.from(part[texts].at.subarray(0, -1), (at) => placeOf(number, at)))

function reuse(last: VersionFiles, indexDir: string): CatalogFiles {
  const { version, files, catalogSource: source } = last.manifest
  const kept = files.filter(({ name }) => !name.startsWith('history-') && name !== aboutFileName)
  const { setCounts, newestUpdate } = readSetsFile(fileOf(last, 'catalog.msgpack'))
  return {
    files: new Map(kept.map(({ name, ...file }) => [name, { ...file, from: join(indexDir, version, name) }])),
    ids: idsOf(last),
    setCount: setCounts[0]!,
    cardCounts: cardCountsOf(last),
    newestUpdate,
    source,
    reused: true,
  }
}

/** The cards of each game of a version, by game number. Throws IndexError. */
export function cardCountsOf(version: VersionFiles): number[] {
  const { games: answer } = readSetsFile(fileOf(version, 'catalog.msgpack'))
  const { data } = JSON.parse(Buffer.from(answer).toString('utf8')) as { data: { id: string; cardCount: number }[] }
  return gameSlugs.map((slug) => data.find(({ id }) => id === slug)?.cardCount ?? 0)
}

function newestUpdateOf(cards: readonly CardRecord[]): string | null {
  let newest: string | null = null
  for (const { updatedAt } of cards) {
    const date = updatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? null
    if (date !== null && (newest === null || date > newest)) newest = date
  }
  return newest
}
