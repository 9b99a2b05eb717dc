/**
 * The games of a snapshot folder: the default games, and those of its file `games.ndjson`. Each line of that file is a
 * game. A line with the id of a default game replaces that game's row. Any other line adds a game after the default
 * games.
 */
import { statSync } from 'node:fs'
import { Games } from '../../src/games.ts'
import { gamesMax } from '../../src/limits.ts'
import { snapshotFile } from '../read/files.ts'
import { readRecords } from '../read/ndjson.ts'
import { Problems, shown } from '../read/snapshot-problems.ts'
import { checked } from '../read/snapshot-schema.ts'
import { defaultGames } from './default-games.ts'
import { type GameRow, gameSchema } from './game-rows.ts'

export const gamesFile = 'games.ndjson'

export type FolderGames = Games<GameRow>

/** The games of a folder without a file of games. */
export const onlyDefaultGames: FolderGames = new Games(defaultGames)

/** Reads the folder's games. Adds each wrong line to `problems`. */
export async function readGames(snapshots: string, problems: Problems): Promise<FolderGames> {
  const file = await snapshotFile(snapshots, gamesFile, problems)
  if (file === undefined) return onlyDefaultGames
  const given = new Map<string, GameRow & { readonly place: string }>()
  await readRecords(file, problems, (record, line) => {
    const place = `${gamesFile}:${line}`
    const row = checked(gameSchema, record, place, problems)
    if (row === undefined) return
    const earlier = given.get(row.id)
    if (earlier === undefined) given.set(row.id, { ...row, place })
    else problems.add(place, 'id', `must be unique, is also at ${earlier.place}`, shown(row.id))
  })
  const rows = withDefaults([...given.values()])
  if (rows.length > gamesMax)
    problems.add(gamesFile, 'file', `must have at most ${gamesMax} games, together with the default games`)
  const categories = new Map<number, GameRow>()
  // The default games come first: if a line has the category of one of them, the line is wrong.
  for (const row of rows) {
    const { tcgplayer: { category } = {} } = row
    const other = category === undefined ? undefined : categories.get(category)
    if (other !== undefined) {
      const place = given.get(row.id)?.place ?? given.get(other.id)!.place
      problems.add(place, 'tcgplayer.category', `must be unique, is also that of ${other.id}`, shown(category))
    } else if (category !== undefined) categories.set(category, row)
  }
  return new Games(rows)
}

function withDefaults(given: readonly GameRow[]): readonly GameRow[] {
  const isDefault = (row: GameRow) => onlyDefaultGames.numberOf(row.id) !== -1
  return [
    ...defaultGames.map((row) => given.find(({ id }) => id === row.id) ?? row),
    ...given.filter((row) => !isDefault(row)),
  ]
}

/**
 * Reads the folder's games. If there is no folder, returns the default games. Throws SnapshotError with each wrong
 * line.
 */
export async function gamesOf(snapshots: string): Promise<FolderGames> {
  if (statSync(snapshots, { throwIfNoEntry: false })?.isDirectory() !== true) return onlyDefaultGames
  const problems = new Problems('problem', 'nothing was done')
  const games = await readGames(snapshots, problems)
  problems.check()
  return games
}
