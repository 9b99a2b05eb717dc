/**
 * The state that imports leave in a snapshot folder: `import/ids.ndjson`, and the last data of each source in
 * `import/kept/SOURCE.ndjson`. Each import composes all outputs from all sources, but reads only one source's own
 * format.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { compareTexts } from '../../../src/text-order.ts'
import { Ids, readIds } from '../ids.ts'
import type { ImportErrors } from '../import-errors.ts'
import { eachRecord } from '../read/json.ts'
import { type InputFile, inputFile } from '../read/open.ts'
import {
  type CatalogSource,
  cardmarketKey,
  catalogSources,
  type Layer,
  layerPriceSchema,
  marketSchema,
  namedPricesSchema,
  productPricesSchema,
  type SourceCard,
  type SourceCatalog,
  type SourceSet,
  sourceCardSchema,
  sourceSetSchema,
} from '../source-catalog.ts'
import { cardsFilesIn, filesIn, idsFile, importedFiles, importFolder, setsFile, sourceCacheFile } from './folder.ts'

const setSchema = v.strictObject({ type: v.literal('set'), ...sourceSetSchema.entries })
const catalogSchema = v.union([sourceCardSchema, setSchema])
const headSchema = v.strictObject({ type: v.literal('layer'), label: v.string(), file: v.string(), day: v.string() })
/** A card's id at Cardmarket. Files of release 2 have it in the form of a price, so it keeps that form there. */
const cardmarketIdSchema = v.strictObject({ ...layerPriceSchema.entries, key: v.literal(cardmarketKey) })
const layerSchema = v.union([cardmarketIdSchema, layerPriceSchema, namedPricesSchema, productPricesSchema, headSchema])
const wrong = 'must be a record of an import'

const setFields = Object.keys(setSchema.entries)
/** This includes the fields of markets, since JSON.stringify picks fields by name at any depth. */
const cardFields = Object.keys({ ...sourceCardSchema.entries, ...marketSchema.entries })

/**
 * Records are sorted by key, and their fields have the order of the schemas. So kept and newly read records are written
 * alike.
 */
export function* catalogLines({ sets, cards }: SourceCatalog): Generator<string> {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => compareTexts(a.key, b.key)
  for (const set of [...sets].sort(byKey)) yield JSON.stringify({ type: 'set', ...set }, setFields)
  for (const card of [...cards].sort(byKey)) yield JSON.stringify(card, cardFields)
}

export function* layerLines({ label, file, day, byId, cardmarketIds, byName, byProduct }: Layer): Generator<string> {
  yield JSON.stringify({ type: 'layer', label, file, day })
  for (const { id, cardmarketId: cents } of cardmarketIds) yield JSON.stringify({ id, key: cardmarketKey, cents })
  for (const prices of [byId, byName, byProduct].flat()) yield JSON.stringify(prices)
}

function readCatalog(file: InputFile, errors: ImportErrors): SourceCatalog {
  const sets: SourceSet[] = []
  const cards: SourceCard[] = []
  eachRecord(file, errors, { schema: catalogSchema, wrong }, (record) => {
    if ('type' in record) {
      const { type: _, ...set } = record
      sets.push(set)
    } else cards.push(record)
    return undefined
  })
  return { sets, cards }
}

function readLayer(file: InputFile, errors: ImportErrors): Layer | undefined {
  const byId: Layer['byId'][number][] = []
  const cardmarketIds: Layer['cardmarketIds'][number][] = []
  const byName: Layer['byName'][number][] = []
  const byProduct: Layer['byProduct'][number][] = []
  let head: v.InferOutput<typeof headSchema> | undefined
  eachRecord(file, errors, { schema: layerSchema, wrong }, (record) => {
    if ('type' in record) head = record
    else if ('id' in record) {
      const { id, key, cents } = record
      if (key === cardmarketKey) cardmarketIds.push({ id, cardmarketId: cents })
      else byId.push({ id, key, cents })
    } else if ('product' in record) byProduct.push(record)
    else byName.push(record)
    return undefined
  })
  return head && { label: head.label, file: head.file, day: head.day, byId, cardmarketIds, byName, byProduct }
}

/**
 * Reads the ids. If the folder has imported files but no file of ids, this is an error, since all cards would get new
 * ids.
 */
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

/**
 * @param isLimited true if the import replaces only a part of the source's data, so that the rest must be in the cache
 */
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
    const written = [setsFile(source), ...cardsFilesIn(out).filter((name) => name.startsWith(`cards/${source}-`))]
    const existing = written.find((name) => existsSync(join(out, name)))
    if (existing !== undefined && (source !== importing || isLimited)) {
      const wrong = `is missing, but the folder has files made from it: import all of ${source} again`
      errors.add(join(out, sourceCacheFile(source)), '', wrong, existing)
    }
  }
  return catalogs
}

/** Returns the layers by file name, in the order of the names. */
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
