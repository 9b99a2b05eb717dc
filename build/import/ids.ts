/**
 * The ids of cards and the codes of sets. Each is assigned once, for ever. `import/ids.ndjson` stores them:
 *
 *   {"source":"tcgplayer","group":3170,"game":"pokemon","code":"swsh12"}
 *   {"source":"mtgjson","set":"BRO","game":"mtg","code":"bro"}                             Scryfall: the same
 *   {"source":"tcgplayer","product":451396,"subType":"Holofoil","id":"pokemon-swsh12-139-holofoil"}
 *   {"source":"mtgjson","uuid":"…","finish":"foil","id":"mtg-bro-225-foil"}                Scryfall: "card" for "uuid"
 *
 * If a product is unpriced, its `subType` is null. Lines of several sources with the same id mean the same card. A line
 * stays even if its source no longer has the card.
 */
import * as v from 'valibot'
import { type GameSlug, slugForm } from '../../src/games.ts'
import { idCharsMax } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'
import type { ImportErrors } from './import-errors.ts'
import { eachRecord } from './read/json.ts'
import type { InputFile } from './read/open.ts'
import { type CatalogSource, catalogSources, sourceLabels } from './source-catalog.ts'

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const text = v.pipe(v.string(), v.nonEmpty())
const id = v.pipe(v.string(), v.regex(/^[a-z0-9.-]+$/), v.maxLength(idCharsMax))
const setOf = { game: v.pipe(v.string(), v.regex(slugForm)), code: v.pipe(v.string(), v.regex(/^[a-z0-9.-]+$/)) }

const lineSchema = v.union([
  v.strictObject({ source: v.literal('tcgplayer'), product: whole, subType: v.nullable(text), id }),
  v.strictObject({ source: v.literal('mtgjson'), uuid: text, finish: text, id }),
  v.strictObject({ source: v.literal('scryfall'), card: text, finish: text, id }),
  v.strictObject({ source: v.literal('tcgplayer'), group: whole, ...setOf }),
  v.strictObject({ source: v.picklist(['mtgjson', 'scryfall']), set: text, ...setOf }),
])

const emptyMaps = <Value>(): ReadonlyMap<CatalogSource, Map<string, Value>> =>
  new Map(catalogSources.map((source) => [source, new Map()]))

export class Ids {
  /** The ids of each source's cards, by the source's own keys. */
  readonly #ids = emptyMaps<string>()
  /** The keys of each source's cards, by id. An id has at most one key of each source. */
  readonly #keys = emptyMaps<string>()
  /** All ids ever assigned. */
  readonly #assigned = new Set<string>()
  readonly #sets = emptyMaps<{ readonly game: GameSlug; readonly code: string }>()
  /** For each `game code`, the sources whose sets have that code. */
  readonly #codes = new Map<string, readonly CatalogSource[]>()
  /** For each product of TCGplayer, the sub-types that have an id. */
  readonly #subTypes = new Map<number, readonly string[]>()

  idOf(source: CatalogSource, key: string): string | undefined {
    return this.#ids.get(source)!.get(key)
  }

  codeOf(source: CatalogSource, key: string): string | undefined {
    return this.#sets.get(source)!.get(key)?.code
  }

  /** The source's key that has the id. */
  keyOf(source: CatalogSource, id: string): string | undefined {
    return this.#keys.get(source)!.get(id)
  }

  isAssigned(id: string): boolean {
    return this.#assigned.has(id)
  }

  /** The sources of the game's sets with the code. */
  sourcesOf(game: GameSlug, code: string): readonly CatalogSource[] {
    return this.#codes.get(`${game} ${code}`) ?? []
  }

  /** True if the product has an id without a sub-type: it never had a price. */
  isUnpriced(product: number): boolean {
    return this.idOf('tcgcsv', tcgplayerKeyText(product, null)) !== undefined
  }

  /** The product's sub-types with an id. */
  subTypesOf(product: number): readonly string[] {
    return this.#subTypes.get(product) ?? []
  }

  /** The ids by TCGplayer's product and sub-type. */
  tcgplayerCards(): ReadonlyMap<string, string> {
    return this.#ids.get('tcgcsv')!
  }

  /** Assigns the id to the source's key. If another key of the source had the id, that key loses the id. */
  assign(source: CatalogSource, key: string, id: string): void {
    const [ids, keys] = [this.#ids.get(source)!, this.#keys.get(source)!]
    const [keyBefore, idBefore] = [keys.get(id), ids.get(key)]
    if (keyBefore !== undefined) ids.delete(keyBefore)
    if (idBefore !== undefined) keys.delete(idBefore)
    ids.set(key, id)
    keys.set(id, key)
    this.#assigned.add(id)
    const { product, subType } = tcgplayerKey(key)
    if (source !== 'tcgcsv' || subType === null) return
    this.#subTypes.set(product, [...this.subTypesOf(product), subType])
  }

  assignCode(source: CatalogSource, key: string, game: GameSlug, code: string): void {
    this.#sets.get(source)!.set(key, { game, code })
    this.#codes.set(`${game} ${code}`, [...this.sourcesOf(game, code), source])
  }

  /** Call this when a product gets its first price. The sub-type gets the id of the unpriced product. */
  moveToSubType(product: number, subType: string): void {
    const id = this.idOf('tcgcsv', tcgplayerKeyText(product, null))!
    this.assign('tcgcsv', tcgplayerKeyText(product, subType), id)
  }

  /** The lines of `import/ids.ndjson`, sets first. Their order depends only on their content. */
  *lines(): Generator<string> {
    for (const [source, sets] of this.#sets)
      for (const [key, set] of inOrder(source, sets)) {
        const named = source === 'tcgcsv' ? { group: Number(key) } : { set: key }
        yield JSON.stringify({ source: sourceLabels[source], ...named, ...set })
      }
    for (const [source, ids] of this.#ids)
      for (const [key, id] of inOrder(source, ids)) {
        const [own, finish] = partsOf(key)
        const named =
          source === 'tcgcsv' ? tcgplayerKey(key) : { [source === 'mtgjson' ? 'uuid' : 'card']: own, finish }
        yield JSON.stringify({ source: sourceLabels[source], ...named, id })
      }
  }
}

/** Sorts TCGplayer's keys by their leading number, and keys of other sources as texts. */
function inOrder<Value>(source: CatalogSource, byKey: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  const numberOf = (key: string): number => (source === 'tcgcsv' ? Number.parseInt(key, 10) : 0)
  return [...byKey].sort(([a], [b]) => numberOf(a) - numberOf(b) || compareTexts(a, b))
}

/** An id begins with its game. */
export const gameOf = (id: string): GameSlug => id.slice(0, id.indexOf('-')) as GameSlug

/** The product number, a space, and the sub-type. The key of an unpriced product is only its number. */
export const tcgplayerKeyText = (product: number, subType: string | null): string =>
  subType === null ? `${product}` : `${product} ${subType}`

export function tcgplayerKey(key: string): { readonly product: number; readonly subType: string | null } {
  const [product, subType] = partsOf(key)
  return { product: Number(product), subType }
}

/** Splits a card's key at its first space. The second part is null if the key has no space. */
function partsOf(key: string): readonly [string, string | null] {
  const space = key.indexOf(' ')
  return space === -1 ? [key, null] : [key.slice(0, space), key.slice(space + 1)]
}

/** Reads the assigned ids. Any wrong line is an error, since a card without its line would get a new id. */
export function readIds(file: InputFile, errors: ImportErrors): Ids {
  const ids = new Ids()
  const wrong = 'must be the id of a card or the code of a set'
  eachRecord(file, errors, { schema: lineSchema, wrong }, (known) =>
    take(ids, known) ? undefined : 'assigns a key, an id or a code a second time',
  )
  return ids
}

/** Adds the assignment of a line. Returns false if its key, id or code is already assigned. */
function take(ids: Ids, known: v.InferOutput<typeof lineSchema>): boolean {
  const source = known.source === 'tcgplayer' ? 'tcgcsv' : known.source
  if ('code' in known) {
    const { game, code } = known
    const key = `${'group' in known ? known.group : known.set}`
    if (ids.codeOf(source, key) !== undefined) return false
    // Several sets of other sources may share a code.
    if (source === 'tcgcsv' && ids.sourcesOf(game, code).includes(source)) return false
    ids.assignCode(source, key, game, code)
    return true
  }
  const key =
    'product' in known
      ? tcgplayerKeyText(known.product, known.subType)
      : `${'uuid' in known ? known.uuid : known.card} ${known.finish}`
  if (ids.idOf(source, key) !== undefined || ids.keyOf(source, known.id) !== undefined) return false
  ids.assign(source, key, known.id)
  return true
}

/**
 * A text as a part of an id. Letters become lower case; a-z, 0-9 and dots stay. A run of other characters becomes one
 * hyphen, or nothing at either end.
 */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|-$/g, '')
