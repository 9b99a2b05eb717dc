/** What a snapshot folder remembers of earlier imports. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportErrors } from '../errors.ts'
import { type InputFile, inputFile } from '../read/open.ts'
import { type CatalogSource, catalogSources, type Layer, type SourceCatalog } from '../sources/source.ts'
import { cardsFiles, filesIn, idsFile, importedFiles, importFolder, setsFile, sourceCacheFile } from './folder.ts'
import { Ids, readIds } from './ids.ts'
import { readCatalog, readLayer } from './source-cache.ts'

const fileOf = (out: string, name: string, faults: ImportErrors): InputFile | undefined =>
  inputFile(join(out, name), faults)

/** A folder that has imported cards and no ids any more is refused: all cards would be numbered anew. */
export function rememberedIds(out: string, faults: ImportErrors): Ids {
  const file = fileOf(out, idsFile, faults)
  if (file !== undefined) return readIds(file, faults)
  const left = [...importedFiles(out), ...filesIn(out, `${importFolder}/kept`)]
  if (left.length > 0 && faults.count === 0) {
    faults.add(
      join(out, idsFile),
      '',
      `is missing, and the folder has imported files: put it back, or their cards would get other ids`,
      left[0],
    )
  }
  return new Ids()
}

/** @param isLimited whether the import replaces a part only of what the source gave, so that the rest must be known */
export function rememberedCatalogs(
  out: string,
  importing: CatalogSource | null,
  isLimited: boolean,
  faults: ImportErrors,
): Map<CatalogSource, SourceCatalog> {
  const catalogs = new Map<CatalogSource, SourceCatalog>()
  for (const source of catalogSources) {
    const file = fileOf(out, sourceCacheFile(source), faults)
    if (file !== undefined) {
      catalogs.set(source, readCatalog(file, faults))
      continue
    }
    const written = [setsFile(source), ...cardsFiles.filter((name) => name.startsWith(`cards/${source}-`))]
    const left = written.find((name) => existsSync(join(out, name)))
    if (left !== undefined && (source !== importing || isLimited)) {
      faults.add(
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
export function rememberedLayers(out: string, faults: ImportErrors): Map<string, Layer> {
  const layers = new Map<string, Layer>()
  const catalogNames: readonly string[] = catalogSources.map(sourceCacheFile)
  for (const name of filesIn(out, `${importFolder}/kept`)) {
    if (catalogNames.includes(name)) continue
    const layer = readLayer(inputFile(join(out, name), faults)!, faults)
    if (layer !== undefined) layers.set(name, layer)
  }
  return layers
}
