/** Which files of a snapshot folder the importer writes; all others are the operator's own and stay as they are. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type GameSlug, gameSlugs } from '../../../src/games.ts'
import { type CatalogSource, catalogSources } from '../sources/source.ts'

/** What the importer remembers lies here. */
export const importFolder = 'import'
export const idsFile = `${importFolder}/ids.ndjson`

/** What a catalog source, or a layer of prices, gave last. */
export const sourceCacheFile = (name: string): string => `${importFolder}/kept/${name}.ndjson`

export const setsFile = (source: CatalogSource): string => `sets/${source}.ndjson`
export const cardsFile = (source: CatalogSource, game: GameSlug): string => `cards/${source}-${game}.ndjson`
export const historyFile = (day: string, source: CatalogSource): string => `history/${day}-${source}.csv.gz`

export const cardsFiles: readonly string[] = catalogSources.flatMap((source) =>
  gameSlugs.map((game) => cardsFile(source, game)),
)
const setsFiles: readonly string[] = catalogSources.map(setsFile)
const historyFiles = new RegExp(`^history/\\d{4}-\\d{2}-\\d{2}-(${catalogSources.join('|')})\\.csv\\.gz$`)

/** The names of a folder's files as seen from the snapshot folder, in name order; none if it is missing. */
export function filesIn(out: string, folder: string): string[] {
  if (!existsSync(join(out, folder))) return []
  return readdirSync(join(out, folder))
    .sort()
    .map((name) => `${folder}/${name}`)
}

/** The imported files that the folder has. */
export const importedFiles = (out: string): string[] =>
  ['sets', 'cards', 'history'].flatMap((folder) => filesIn(out, folder)).filter(isImported)

/** The operator's own files of a folder that the build would read. */
export const ownFiles = (out: string, folder: 'sets' | 'cards'): string[] =>
  filesIn(out, folder).filter((name) => /\.ndjson(\.gz)?$/.test(name) && !isImported(name))

function isImported(name: string): boolean {
  return setsFiles.includes(name) || cardsFiles.includes(name) || historyFiles.test(name)
}
