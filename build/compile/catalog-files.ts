/** The card, set, search and lists files of a version: compiled, or taken from the last version if no source changed. */
import { join } from 'node:path'
import { gameSlugs, games } from '../../src/games.ts'
import { aboutFileName } from '../../src/indexes/about-file.ts'
import { recordsAt, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { writeListsFile } from '../../src/indexes/lists-file.ts'
import { writeSearchFile } from '../../src/indexes/search-file.ts'
import { readSetsFile } from '../../src/indexes/sets-file.ts'
import { fileOf, partName, type VersionFiles } from '../../src/indexes/version.ts'
import { partCards } from '../../src/limits.ts'
import type { Crew } from '../crew/crew.ts'
import { idsOf } from '../publish/base.ts'
import type { FileSource } from '../publish/publish.ts'
import { type Card, catalogSource, readCardsAndSets, sourceFiles } from '../read/cards-and-sets.ts'
import type { Problems } from '../read/problems.ts'
import { compileBulk } from './bulk.ts'
import { compileLists } from './lists.ts'
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
  crew: Crew,
): Promise<CatalogFiles> {
  const sources = await sourceFiles(snapshots, problems)
  if (last !== undefined && last.manifest.catalogSource === (await catalogSource(sources))) return reuse(last, indexDir)
  // What is read now counts, should a file change meanwhile.
  const { sets, cards, newestUpdate, source } = await readCardsAndSets(sources, problems, crew)
  const pieces = new Map<string, Iterable<Uint8Array>>()
  if (problems.count === 0 && sets.length > 0) {
    const bulk = compileBulk(cards)
    for (let part = 0; part === 0 || part * partCards < cards.length; part++) {
      pieces.set(partName('cards', part), writeCardsPart(part * partCards, cardsOfPart(cards, part)))
    }
    const hashes = cards.map(({ hash }) => hash)
    pieces.set(
      'ids.msgpack',
      writeIds(hashes, { details: placesOf(cards, 'details'), items: placesOf(cards, 'items') }),
    )
    pieces.set('catalog.msgpack', compileSets(sets, cards, newestUpdate))
    const search = compileSearch({ sets, cards })
    pieces.set('search.msgpack', writeSearchFile(search))
    pieces.set('lists.msgpack', writeListsFile(compileLists(cards, search)))
    for (const [name, piece] of await bulk) pieces.set(name, piece)
  }
  const files = new Map([...pieces].map(([name, piece]) => [name, { pieces: piece }]))
  const cardCounts = games.map((_, game) => cards.filter((card) => card.game === game).length)
  const ids = cards.map(({ id }) => id)
  return { files, ids, setCount: sets.length, cardCounts, newestUpdate, source, reused: false }
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
