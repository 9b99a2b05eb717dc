/** What a snapshot folder remembers of earlier imports. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportErrors } from '../errors.ts'
import { type InputFile, inputFile } from '../read/open.ts'
import { type CatalogSource, catalogSources, type Layer, type SourceCatalog } from '../sources/source.ts'
import { cardsFiles, filesIn, idsFile, importedFiles, importFolder, setsFile, sourceCacheFile } from './folder.ts'
import { Ids, readIds } from './ids.ts'
import { readCatalog, readLayer } from './source-cache.ts'

const fileOf = (out: string, name: string, errors: ImportErrors): InputFile | undefined =>
  inputFile(join(out, name), errors)

/** A folder that has imported cards and no ids any more is refused: all cards would be numbered anew. */
export function loadIds(out: string, errors: ImportErrors): Ids {
  const file = fileOf(out, idsFile, errors)
  if (file !== undefined) return readIds(file, errors)
  const left = [...importedFiles(out), ...filesIn(out, `${importFolder}/kept`)]
  if (left.length > 0 && errors.count === 0) {
    errors.add(
      join(out, idsFile),
      '',
      `is missing, and the folder has imported files: put it back, or their cards would get other ids`,
      left[0],
    )
  }
  return new Ids()
}

/** @param isLimited whether the import replaces a part only of what the source gave, so that the rest must be known */
export function loadCatalogs(
  out: string,
  importing: CatalogSource | null,
  isLimited: boolean,
  errors: ImportErrors,
): Map<CatalogSource, SourceCatalog> {
  const catalogs = new Map<CatalogSource, SourceCatalog>()
  for (const source of catalogSources) {
    const file = fileOf(out, sourceCacheFile(source), errors)
    if (file !== undefined) {
      catalogs.set(source, readCatalog(file, errors))
      continue
    }
    const written = [setsFile(source), ...cardsFiles.filter((name) => name.startsWith(`cards/${source}-`))]
    const left = written.find((name) => existsSync(join(out, name)))
    if (left !== undefined && (source !== importing || isLimited)) {
      errors.add(
        join(out, sourceCacheFile(source)),
        '',
        `is missing, and the folder has what was made of it: import all of ${source} again`,
        left,
      )
    }
  }
  return catalogs
}

/** By the name of their kept file, in name order. */
export function loadLayers(out: string, errors: ImportErrors): Map<string, Layer> {
  const layers = new Map<string, Layer>()
  const catalogNames: readonly string[] = catalogSources.map(sourceCacheFile)
  for (const name of filesIn(out, `${importFolder}/kept`)) {
    if (catalogNames.includes(name)) continue
    const layer = readLayer(inputFile(join(out, name), errors)!, errors)
    if (layer !== undefined) layers.set(name, layer)
  }
  return layers
}
