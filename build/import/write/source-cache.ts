/**
 * The last data of each source, in `import/kept/SOURCE.ndjson`. Each import composes all outputs from all sources, but reads only
 * one source's own format.
 */
import * as v from 'valibot'
import { gameSlugs } from '../../../src/games.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { shown } from '../../read/problems.ts'
import type { Layer, SourceCard, SourceCatalog, SourceSet } from '../catalog.ts'
import type { ImportErrors } from '../errors.ts'
import { parseJson } from '../read/json.ts'
import { type InputFile, readWhole } from '../read/open.ts'

const game = v.picklist(gameSlugs)
const text = v.string()
const textOrNull = v.nullable(v.string())
const wholeOrNull = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))
const cents = wholeOrNull

const setSchema = v.strictObject({
  type: v.literal('set'),
  key: text,
  game,
  abbreviation: text,
  name: text,
  releaseDate: textOrNull,
  group: wholeOrNull,
})
const cardSchema = v.strictObject({
  key: text,
  set: text,
  game,
  name: text,
  number: textOrNull,
  rarity: textOrNull,
  image: textOrNull,
  product: wholeOrNull,
  subType: textOrNull,
  first: v.boolean(),
  market: cents,
  low: cents,
  mid: cents,
  high: cents,
  day: textOrNull,
  scryfallId: v.exactOptional(text),
  alternativeProduct: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
})
const layerSchema = v.strictObject({ type: v.literal('layer'), label: text, file: text, day: text })
const byIdSchema = v.strictObject({ id: text, key: text, cents: v.pipe(v.number(), v.integer()) })
const byNameSchema = v.strictObject({
  game,
  setName: text,
  number: text,
  name: text,
  prices: v.array(v.tuple([text, v.number()])),
})

const setFields = Object.keys(setSchema.entries)
const cardFields = Object.keys(cardSchema.entries)

/** Sorted by key, their fields in the schemas' order, so that kept and newly read records are written alike. */
export function* catalogLines({ sets, cards }: SourceCatalog): Generator<string> {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => compareTexts(a.key, b.key)
  for (const set of [...sets].sort(byKey)) yield JSON.stringify({ type: 'set', ...set }, setFields)
  for (const card of [...cards].sort(byKey)) yield JSON.stringify(card, cardFields)
}

export function* layerLines({ label, file, day, byId, byName }: Layer): Generator<string> {
  yield JSON.stringify({ type: 'layer', label, file, day })
  for (const price of byId) yield JSON.stringify(price)
  for (const prices of byName) yield JSON.stringify(prices)
}

export function readCatalog(file: InputFile, errors: ImportErrors): SourceCatalog {
  const sets: SourceSet[] = []
  const cards: SourceCard[] = []
  const take = (record: SourceCard | v.InferOutput<typeof setSchema>): void => {
    if ('type' in record) {
      const { type: _, ...set } = record
      sets.push(set)
    } else cards.push(record)
  }
  eachLine(file, errors, v.union([cardSchema, setSchema]), take, usualCard)
  return { sets, cards }
}

export function readLayer(file: InputFile, errors: ImportErrors): Layer | undefined {
  const byId: Layer['byId'][number][] = []
  const byName: Layer['byName'][number][] = []
  let head: { label: string; file: string; day: string } | undefined
  eachLine(file, errors, v.union([byIdSchema, byNameSchema, layerSchema]), (record) => {
    if ('type' in record) head = record
    else if ('id' in record) byId.push(record)
    else byName.push(record)
  })
  return head && { label: head.label, file: head.file, day: head.day, byId, byName }
}

/** Checks as the schema does, in a twentieth of its time. Undefined if the schema must decide. */
function usualCard(value: unknown): SourceCard | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const card = value as Record<keyof SourceCard, unknown>
  const isUsual =
    typeof card.key === 'string' &&
    typeof card.set === 'string' &&
    typeof card.name === 'string' &&
    typeof card.first === 'boolean' &&
    isTextOrNull(card.number) &&
    isTextOrNull(card.rarity) &&
    isTextOrNull(card.image) &&
    isTextOrNull(card.subType) &&
    isTextOrNull(card.day) &&
    isWholeOrNull(card.product) &&
    isWholeOrNull(card.market) &&
    isWholeOrNull(card.low) &&
    isWholeOrNull(card.mid) &&
    isWholeOrNull(card.high) &&
    (gameSlugs as readonly unknown[]).includes(card.game) &&
    (card.scryfallId === undefined || typeof card.scryfallId === 'string') &&
    card.alternativeProduct === undefined &&
    Object.keys(card).length === cardFields.length - 1 - Number(card.scryfallId === undefined)
  return isUsual ? (value as SourceCard) : undefined
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
const isWholeOrNull = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && value >= 0 && Number.isInteger(value))

function eachLine<Line>(
  file: InputFile,
  errors: ImportErrors,
  schema: v.GenericSchema<unknown, Line>,
  on: (line: Line) => void,
  usual: (value: unknown) => Line | undefined = () => undefined,
): void {
  const bytes = readWhole(file, errors)
  if (bytes === undefined) return
  let start = 0
  for (let number = 1; start < bytes.length; number++) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    const value = parseJson(`${file.path}: line ${number}`, bytes.subarray(start, end), errors)
    if (value === undefined) return
    start = end + 1
    const line = usual(value)
    if (line !== undefined) {
      on(line)
      continue
    }
    const result = v.safeParse(schema, value)
    if (!result.success) {
      errors.add(file.path, `line ${number}`, 'must be a record of an import', shown(value))
      return
    }
    on(result.output)
  }
}
