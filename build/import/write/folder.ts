/** The files of a snapshot folder that imports write. All others are the operator's own, and are never changed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GameSlug } from '../../../src/games.ts'
import { type CatalogSource, catalogSources } from '../source-catalog.ts'

/** The state of imports. */
export const importFolder = 'import'
export const idsFile = `${importFolder}/ids.ndjson`

/** The last data of a catalog source or a layer. */
export const sourceCacheFile = (name: string): string => `${importFolder}/kept/${name}.ndjson`

export const setsFile = (source: CatalogSource): string => `sets/${source}.ndjson`
export const cardsFile = (source: CatalogSource, game: GameSlug): string => `cards/${source}-${game}.ndjson`
export const historyFile = (day: string, source: CatalogSource): string => `history/${day}-${source}.csv.gz`

/** The file's name sorts after those of sources' files, so that its rows correct theirs. */
export const ownHistoryFile = (day: string): string => `history/${day}-your-overlays.csv.gz`

/**
 * The history of a folder in euros. The file's name sorts after that of MTGJSON's file, which is in euros in such a
 * folder, too.
 */
export const eurosHistoryFile = (day: string): string => `history/${day}-prices-in-euros.csv.gz`

const cardsForm = new RegExp(`^cards/(${catalogSources.join('|')})-[a-z][a-z0-9]{1,19}\\.ndjson$`)

/** The files of imported cards that the folder has. */
export const cardsFilesIn = (out: string): string[] => filesIn(out, 'cards').filter((name) => cardsForm.test(name))

const setsFiles: readonly string[] = catalogSources.map(setsFile)
const historyFiles = new RegExp(
  `^history/\\d{4}-\\d{2}-\\d{2}-(${catalogSources.join('|')}|prices-in-euros|your-overlays)\\.csv\\.gz$`,
)

/** The paths of a folder's files, from the snapshot folder, in name order. Empty if the folder is missing. */
export function filesIn(out: string, folder: string): string[] {
  if (!existsSync(join(out, folder))) return []
  return readdirSync(join(out, folder))
    .sort()
    .map((name) => `${folder}/${name}`)
}

export const importedFiles = (out: string): string[] =>
  ['sets', 'cards', 'history'].flatMap((folder) => filesIn(out, folder)).filter(isImported)

export const importedHistory = (out: string): string[] => filesIn(out, 'history').filter(isImported)

/** The operator's own cards. */
export const ownCards = (out: string): string[] =>
  filesIn(out, 'cards').filter((name) => /\.ndjson(\.gz)?$/.test(name) && !isImported(name))

const isImported = (name: string): boolean =>
  setsFiles.includes(name) || cardsForm.test(name) || historyFiles.test(name)
