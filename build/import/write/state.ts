/** Loads the state of a snapshot folder that earlier imports left. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ids, readIds } from '../ids.ts'
import type { ImportErrors } from '../import-errors.ts'
import { inputFile } from '../read/open.ts'
import { type CatalogSource, catalogSources, type Layer, type SourceCatalog } from '../source-catalog.ts'
import { cardsFiles, filesIn, idsFile, importedFiles, importFolder, setsFile, sourceCacheFile } from './folder.ts'
import { readCatalog, readLayer } from './source-cache.ts'

/** Imported files without the file of ids are an error: all cards would get new ids. */
export function loadIds(out: string, errors: ImportErrors): Ids {
  const file = inputFile(join(out, idsFile), errors)
  if (file !== undefined) return readIds(file, errors)
  const files = [...importedFiles(out), ...filesIn(out, `${importFolder}/kept`)]
  if (files.length > 0 && errors.count === 0) {
    const wrong = 'is missing, and the folder has imported files: put it back, or their cards would get other ids'
    errors.add(join(out, idsFile), '', wrong, files[0])
  }
  return new Ids()
}

/** @param isLimited the import replaces only a part of the source's data, so the cache is needed for the rest */
export function loadCatalogs(
  out: string,
  importing: CatalogSource | null,
  isLimited: boolean,
  errors: ImportErrors,
): Map<CatalogSource, SourceCatalog> {
  const catalogs = new Map<CatalogSource, SourceCatalog>()
  for (const source of catalogSources) {
    const file = inputFile(join(out, sourceCacheFile(source)), errors)
    if (file !== undefined) {
      catalogs.set(source, readCatalog(file, errors))
      continue
    }
    const written = [setsFile(source), ...cardsFiles.filter((name) => name.startsWith(`cards/${source}-`))]
    const existing = written.find((name) => existsSync(join(out, name)))
    if (existing !== undefined && (source !== importing || isLimited)) {
      const wrong = `is missing, but the folder has files made from it: import all of ${source} again`
      errors.add(join(out, sourceCacheFile(source)), '', wrong, existing)
    }
  }
  return catalogs
}

/** By the name of their file, in name order. */
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
