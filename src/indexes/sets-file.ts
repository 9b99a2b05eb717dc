/**
 * `catalog.msgpack`: the body of GET /v1/games, and the sets in list order, for all games and for each game.
 *
 *   games                                 {"data":[{"id":"pokemon",…},…]}
 *   sets    all: {…},{…},… │ pokemon: {…},{…},… │ …       commas between the sets of one list
 *   setsAt  the start of each set; each list ends with an entry for its end
 *
 * So a page of a list is one range of bytes. `meta.setCounts` has the length of each list, all games first;
 * `meta.newestUpdate` is the date of the newest `updatedAt` of a card.
 *
 * Invariants: the lists fill `setsAt` and `sets`; each set is a JSON object followed by a comma; a game's list is the list of
 * all without the other games' sets; the counts of `games` are right.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { bytesColumn, indexFile, offsets, offsetsOf } from './format.ts'
import { dateSchema } from './manifest.ts'

const metaSchema = v.object({
  /** Lengths of the lists: all games, then each game by number. */
  setCounts: v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.length(1 + gameSlugs.length)),
  /** Null if no card has an `updatedAt`. */
  newestUpdate: v.nullable(dateSchema),
})

const { write, read } = indexFile(
  'catalog',
  { games: bytesColumn, sets: bytesColumn, setsAt: offsetsOf('sets') },
  metaSchema,
)
export const readSetsFile = read

export type SetsFile = ReturnType<typeof readSetsFile>

/** @param lists rendered sets, in list order: all games, then each game by number */
export function writeSetsFile(
  games: string,
  lists: readonly (readonly string[])[],
  newestUpdate: string | null,
): Uint8Array[] {
  const texts = lists.map((list) => list.map((set) => Buffer.from(`${set},`)))
  // An item of length 0 adds an entry for a list's end. For the last list, `offsets` adds that entry.
  const lengths = texts.flatMap((list) => [...list.map((text) => text.length), 0]).slice(0, -1)
  return write({
    setCounts: lists.map((list) => list.length),
    newestUpdate,
    games: Buffer.from(games),
    sets: Buffer.concat(texts.flat()),
    setsAt: offsets(lengths),
  })
}
