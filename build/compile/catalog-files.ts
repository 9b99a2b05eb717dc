/**
 * Reads the sets and cards of a snapshot, and numbers them. Compiles all files of a version except its history, changes
 * and about files.
 */

import type { ResponseOf } from '../../src/api/schemas.ts'
import { dateOfDay, noDay } from '../../src/calendar.ts'
import { recordsAt, writeCardsPart } from '../../src/indexes/cards-file.ts'
import { partCards } from '../../src/indexes/format.ts'
import { idHash, placeOf, writeIds } from '../../src/indexes/ids-file.ts'
import { writeListsFile } from '../../src/indexes/lists-file.ts'
import { partName } from '../../src/indexes/load.ts'
import { writeSearchFile } from '../../src/indexes/search-file.ts'
import { setFiguresFileName, writeSetFiguresFile } from '../../src/indexes/set-figures-file.ts'
import { writeSetsFile } from '../../src/indexes/sets-file.ts'
import { type FolderGames, readGames } from '../games/folder-games.ts'
import { servedGame } from '../games/game-rows.ts'
import { CardIds } from '../read/card-ids.ts'
import type { Problems } from '../read/snapshot-problems.ts'
import type { SetRecord } from '../read/snapshot-schema.ts'
import type { NamedFile, PutFile } from './base.ts'
import { compileBulk } from './bulk.ts'
import { type Card, readCardsAndSets } from './compiled-cards.ts'
import { compileLists } from './lists.ts'
import { orderCards } from './order.ts'
import { compileSearch } from './search-columns.ts'
import { compileSetFigures } from './set-figures.ts'

export interface Catalog {
  readonly games: FolderGames
  /** The sets in list order. */
  readonly sets: readonly SetRecord[]
  /** The cards by index. */
  readonly cards: readonly Card[]
  readonly ids: CardIds
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
}

/**
 * Reads the sets and cards, and adds each problem to `problems`.
 * @param currency the currency of all prices, null if unknown
 */
export async function readCatalog(snapshots: string, currency: string | null, problems: Problems): Promise<Catalog> {
  const games = await readGames(snapshots, problems)
  const { sets, cards: found } = await readCardsAndSets(snapshots, games, currency, problems)
  const cards = orderCards(found, sets)
  const newest = cards.reduce((latest, { updated }) => Math.max(latest, updated), noDay)
  return {
    games,
    sets,
    cards,
    ids: new CardIds(cards.map(({ id }) => id)),
    newestUpdate: newest === noDay ? null : dateOfDay(newest),
  }
}

/** Compiles the catalog's files, and puts them into the new version. The snapshot must have no problem. */
export async function compileCatalog(catalog: Catalog, put: PutFile): Promise<void> {
  const { games, sets, cards } = catalog
  const bulk = compileBulk(cards, games.rows.length)
  const search = compileSearch({ sets, cards })
  for (const file of cardFiles(catalog)) put(...file)
  put('catalog.msgpack', compileSets(catalog))
  put('search.msgpack', writeSearchFile(search))
  put('lists.msgpack', writeListsFile(compileLists(cards, sets, games.slugs, search)))
  put(setFiguresFileName, writeSetFiguresFile(compileSetFigures(cards, sets.length)))
  put(...(await bulk))
}

function cardFiles({ cards, ids }: Catalog): NamedFile[] {
  const parts = Array.from({ length: Math.max(1, Math.ceil(cards.length / partCards)) }, (_, part) =>
    cards.slice(part * partCards, (part + 1) * partCards).map(({ texts }) => texts),
  )
  const placesOf = (name: 'details' | 'items'): number[] =>
    parts.flatMap((texts, part) =>
      Array.from(recordsAt(texts.map((ofCard) => ofCard[name])).subarray(0, -1), (at) => placeOf(part, at)),
    )
  return [
    ...parts.map((texts, part) => [partName('cards', part), writeCardsPart(part * partCards, texts)] as const),
    [
      'ids.msgpack',
      writeIds(Uint32Array.from(ids.keys(), hashOf), { details: placesOf('details'), items: placesOf('items') }),
    ],
  ]
}

function hashOf(id: string): number {
  const { buffer, byteOffset, length } = Buffer.from(id)
  return idHash(new DataView(buffer, byteOffset, length), 0, length)
}

/** The pieces of the file with the games, and with the rendered sets, in list order. */
function compileSets({ games: { rows: games, slugs }, sets, cards, newestUpdate }: Catalog): Uint8Array[] {
  const cardCounts = new Uint32Array(sets.length)
  for (const { setNumber } of cards) cardCounts[setNumber]!++
  const rendered = sets.map(({ code, name, game, releaseDate }, number) => {
    const cardCount = cardCounts[number]!
    const answer: ResponseOf<'cardSet'> = { code, name, game: slugs[game]!, cardCount, releaseDate }
    return { game, cardCount, json: JSON.stringify(answer) }
  })
  const ofGames = Map.groupBy(rendered, ({ game }) => game)
  const byGame = games.map((_, game) => ofGames.get(game) ?? [])
  const gamesAnswer: ResponseOf<'games'> = {
    data: games.map(({ id, name }, game) => ({
      id,
      name,
      cardCount: byGame[game]!.reduce((sum, set) => sum + set.cardCount, 0),
      setCount: byGame[game]!.length,
    })),
  }
  return writeSetsFile(
    games.map(servedGame),
    JSON.stringify(gamesAnswer),
    [rendered, ...byGame].map((list) => list.map(({ json }) => json)),
    newestUpdate,
  )
}
