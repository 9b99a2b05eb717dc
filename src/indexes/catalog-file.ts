/**
 * `catalog.msgpack`: the answer of GET /v1/games, and the sets in list order, once for all games and once a game.
 *
 *   games                                 {"data":[{"id":"pokemon",…},…]}
 *   sets    all: {…},{…},… │ pokemon: {…},{…},… │ …       commas between the sets of one list
 *   setsAt  where each set starts, each list ended by where its next set would start
 *
 * A page of a list is therefore one run of bytes. `meta.setCounts` has the length of each list, all games first;
 * `meta.newestUpdate` is the date of the newest `updatedAt` of a card.
 */
import { bytesColumn, decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'

export interface CatalogFile {
  readonly games: Uint8Array
  readonly sets: Uint8Array
  readonly setsAt: Uint32Array
  /** Lengths of the lists: all games, then each game by number. */
  readonly setCounts: readonly number[]
  /** YYYY-MM-DD, null if no card has one. */
  readonly newestUpdate: string | null
}

const kind = 'catalog'

/** @param lists rendered sets, in list order: all games, then each game by number */
export function writeCatalog(
  games: string,
  lists: readonly (readonly string[])[],
  newestUpdate: string | null,
): Uint8Array[] {
  const texts: Buffer[] = []
  const at: number[] = []
  let size = 0
  for (const list of lists) {
    for (const set of list) {
      at.push(size)
      const text = Buffer.from(`${set},`)
      texts.push(text)
      size += text.length
    }
    at.push(size)
  }
  return encodeIndexFile(
    kind,
    { setCounts: lists.map((list) => list.length), newestUpdate },
    { games: Buffer.from(games), sets: Buffer.concat(texts), setsAt: Uint32Array.from(at) },
  )
}

/** Throws IndexError. */
export function readCatalog(bytes: Uint8Array): CatalogFile {
  const file = decodeIndexFile(kind, bytes)
  const { setCounts, newestUpdate } = file.meta as Pick<CatalogFile, 'setCounts' | 'newestUpdate'>
  return {
    games: bytesColumn(file, 'games'),
    sets: bytesColumn(file, 'sets'),
    setsAt: u32Column(file, 'setsAt'),
    setCounts,
    newestUpdate,
  }
}
