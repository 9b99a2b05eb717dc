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
import { type Checking, checkOffsets, must } from './checks/checking.ts'
import { bytesColumn, decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'
import { dateSchema } from './manifest.ts'

export interface SetsFile {
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
export function writeSetsFile(
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

const metaSchema = v.object({
  setCounts: v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.length(1 + gameSlugs.length)),
  newestUpdate: v.nullable(dateSchema),
})

/** Throws IndexError. */
export const readSetsFile = (bytes: Uint8Array): SetsFile =>
  decodeIndexFile(kind, bytes, { games: bytesColumn, sets: bytesColumn, setsAt: u32Column }, metaSchema)

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const setSchema = v.object({ code: v.string(), game: v.picklist(gameSlugs), cardCount: count })
const gamesSchema = v.object({ data: v.array(v.object({ id: v.string(), cardCount: count, setCount: count })) })

/** The games with their counts, in game order. */
export const gamesOf = ({ games }: SetsFile): v.InferOutput<typeof gamesSchema>['data'] =>
  parsed(gamesSchema, Buffer.from(games.slice().buffer).toString('utf8'), 'games is an answer').data

/** @param cardCount and `setCount`: the version's totals */
export function* checkSetsFile(file: SetsFile, cardCount: number, setCount: number): Checking {
  const { sets, setsAt, setCounts } = file
  must(setCounts[0] === setCount, 'the sets are as many as the manifest says')
  const entries = setCounts.reduce((sum, length) => sum + length + 1, 0)
  must(setsAt.length === entries, 'setsAt has an entry for each set and for the end of each list')
  yield* checkOffsets('setsAt', setsAt, entries - 1, sets.length)
  const text = Buffer.from(sets.slice().buffer)
  const lists: string[][] = []
  let first = 0
  for (const length of setCounts) {
    const list: string[] = []
    for (let i = first; i < first + length; i++) {
      const set = text.toString('utf8', setsAt[i]!, setsAt[i + 1]!)
      must(set.endsWith('},'), 'a set ends with a comma')
      list.push(set)
    }
    must(first + length + 1 === entries || setsAt[first + length] === setsAt[first + length + 1], 'lists adjoin')
    first += length + 1
    lists.push(list)
    yield
  }
  const all = lists[0]!
  const sums = gameSlugs.map((id) => ({ id, cardCount: 0, setCount: 0 }))
  const byGame = gameSlugs.map((): string[] => [])
  for (const set of all) {
    const { game, cardCount } = parsed(setSchema, set.slice(0, -1), 'a set is one')
    const number = gameSlugs.indexOf(game)
    byGame[number]!.push(set)
    sums[number]!.cardCount += cardCount
    sums[number]!.setCount++
  }
  yield
  must(JSON.stringify(byGame) === JSON.stringify(lists.slice(1)), "a game's sets are those of all that are its own")
  must(JSON.stringify(gamesOf(file)) === JSON.stringify(sums), 'games counts the sets and their cards')
  must(sums.reduce((sum, game) => sum + game.cardCount, 0) === cardCount, 'the sets have all cards')
}

function parsed<Value>(schema: v.GenericSchema<unknown, Value>, json: string, what: string): Value {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    value = undefined
  }
  const result = v.safeParse(schema, value)
  must(result.success, what)
  return result.output as Value
}
