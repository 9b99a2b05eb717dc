/**
 * The last data of each source, in `import/kept/SOURCE.ndjson`. Each import composes all outputs from all sources, but reads only
 * one source's own format.
 */
import * as v from 'valibot'
import { compareTexts } from '../../../src/text-order.ts'
import type { ImportErrors } from '../import-errors.ts'
import type { InputFile } from '../read/open.ts'
import {
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
import { eachRecord } from './record-lines.ts'

const setSchema = v.strictObject({ type: v.literal('set'), ...sourceSetSchema.entries })
const catalogSchema = v.union([sourceCardSchema, setSchema])
const headSchema = v.strictObject({ type: v.literal('layer'), label: v.string(), file: v.string(), day: v.string() })
const layerSchema = v.union([layerPriceSchema, namedPricesSchema, productPricesSchema, headSchema])
const wrong = 'must be a record of an import'

const setFields = Object.keys(setSchema.entries)
/** The markets' fields, too: JSON.stringify takes them by name at any depth. */
const cardFields = Object.keys({ ...sourceCardSchema.entries, ...marketSchema.entries })

/** Sorted by key, their fields in the schemas' order, so that kept and newly read records are written alike. */
export function* catalogLines({ sets, cards }: SourceCatalog): Generator<string> {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => compareTexts(a.key, b.key)
  for (const set of [...sets].sort(byKey)) yield JSON.stringify({ type: 'set', ...set }, setFields)
  for (const card of [...cards].sort(byKey)) yield JSON.stringify(card, cardFields)
}

export function* layerLines({ label, file, day, byId, byName, byProduct }: Layer): Generator<string> {
  yield JSON.stringify({ type: 'layer', label, file, day })
  for (const prices of [byId, byName, byProduct].flat()) yield JSON.stringify(prices)
}

export function readCatalog(file: InputFile, errors: ImportErrors): SourceCatalog {
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

export function readLayer(file: InputFile, errors: ImportErrors): Layer | undefined {
  const byId: Layer['byId'][number][] = []
  const byName: Layer['byName'][number][] = []
  const byProduct: Layer['byProduct'][number][] = []
  let head: v.InferOutput<typeof headSchema> | undefined
  // A card has many prices: each text is in memory once.
  const texts = new Map<string, string>()
  const once = (text: string): string => texts.get(text) ?? texts.set(text, text).get(text)!
  eachRecord(file, errors, { schema: layerSchema, wrong }, (record) => {
    if ('type' in record) head = record
    else if ('id' in record) byId.push({ id: once(record.id), key: once(record.key), cents: record.cents })
    else if ('product' in record) byProduct.push(record)
    else byName.push(record)
    return undefined
  })
  return head && { label: head.label, file: head.file, day: head.day, byId, byName, byProduct }
}
