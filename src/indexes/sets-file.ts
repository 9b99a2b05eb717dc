/**
 * `catalog.msgpack`: the games, and the sets in list order, for all games and for each game.
 *
 *   meta.games    by number: {"id":"pokemon","name":"Pokémon","language":"English","words":[…]}
 *   gamesBody     the body of GET /v1/games: {"data":[{"id":"pokemon",…},…]}
 *   sets          all: {…},{…},… │ pokemon: {…},{…},… │ …       commas between the sets of one list
 *   setsAt        the start of each set; each list ends with an entry for its end
 *
 * So a page of a list is one range of bytes. `meta.setCounts` has the length of each list: first that of all games,
 * then that of each game. `meta.newestUpdate` is the date of the newest `updatedAt` of a card.
 *
 * Invariants: the lists fill `setsAt` and `sets`. Each set is a JSON object followed by a comma. A game's list is the
 * list of all games without the other games' sets. The counts of `gamesBody` are correct.
 */
import * as v from 'valibot'
import { type Game, slugForm } from '../games.ts'
import { gamesMax } from '../limits.ts'
import { bytesColumn, indexFile, offsets, u32Column } from './format.ts'
import { dateSchema } from './manifest.ts'

const gameSchema = v.object({
  id: v.pipe(v.string(), v.regex(slugForm)),
  name: v.string(),
  language: v.picklist(['English', 'Japanese']),
  words: v.array(v.string()),
})

const metaSchema = v.pipe(
  v.object({
    games: v.pipe(v.array(gameSchema), v.maxLength(gamesMax)),
    /** Lengths of the lists: all games, then each game by number. */
    setCounts: v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    /** Null if no card has an `updatedAt`. */
    newestUpdate: v.nullable(dateSchema),
  }),
  v.forward(
    v.partialCheck([['games'], ['setCounts']], ({ games, setCounts }) => setCounts.length === 1 + games.length),
    ['setCounts'],
  ),
)

const { write, read } = indexFile(
  'catalog',
  { gamesBody: bytesColumn, sets: bytesColumn, setsAt: u32Column },
  metaSchema,
)
export const readSetsFile = read

export type SetsFile = ReturnType<typeof readSetsFile>

/** @param lists rendered sets, in list order: all games, then each game by number */
export function writeSetsFile(
  games: readonly Game[],
  gamesBody: string,
  lists: readonly (readonly string[])[],
  newestUpdate: string | null,
): Uint8Array[] {
  const texts = lists.map((list) => list.map((set) => Buffer.from(`${set},`)))
  // An item of length 0 adds an entry for a list's end. For the last list, `offsets` adds that entry.
  const lengths = texts.flatMap((list) => [...list.map((text) => text.length), 0]).slice(0, -1)
  return write({
    games: games.map(({ id, name, language, words }) => ({ id, name, language, words: [...words] })),
    setCounts: lists.map((list) => list.length),
    newestUpdate,
    gamesBody: Buffer.from(gamesBody),
    sets: Buffer.concat(texts.flat()),
    setsAt: offsets(lengths),
  })
}
