/**
 * The ids of cards and the codes of sets: each is assigned once, for ever. `import/ids.ndjson` stores them:
 *
 *   {"source":"tcgplayer","group":3170,"game":"pokemon","code":"swsh12"}
 *   {"source":"mtgjson","set":"BRO","game":"mtg","code":"bro"}                             Scryfall: the same
 *   {"source":"tcgplayer","product":451396,"subType":"Holofoil","id":"pokemon-swsh12-139-holofoil"}
 *   {"source":"mtgjson","uuid":"…","finish":"foil","id":"mtg-bro-225-foil"}                Scryfall: "card" for "uuid"
 *
 * An unpriced product's `subType` is null. Lines of several sources with one id are one card. A line stays when its source no
 * longer has the card.
 */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { type GameSlug, gameSlugs } from '../../src/games.ts'
import { idCharsMax } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'
import { shown } from '../read/problems.ts'
import { type CatalogSource, catalogSources, sourceLabels } from './catalog.ts'
import type { ImportErrors } from './errors.ts'
import { parseJson } from './read/json.ts'
import { type InputFile, readWhole } from './read/open.ts'

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const text = v.pipe(v.string(), v.nonEmpty())
const id = v.pipe(v.string(), v.regex(/^[a-z0-9.-]+$/), v.maxLength(idCharsMax))
const setOf = { game: v.picklist(gameSlugs), code: v.pipe(v.string(), v.regex(/^[a-z0-9.-]+$/)) }

const lineSchema = v.union([
  v.strictObject({ source: v.literal('tcgplayer'), product: whole, subType: v.nullable(text), id }),
  v.strictObject({ source: v.literal('mtgjson'), uuid: text, finish: text, id }),
  v.strictObject({ source: v.literal('scryfall'), card: text, finish: text, id }),
  v.strictObject({ source: v.literal('tcgplayer'), group: whole, ...setOf }),
  v.strictObject({ source: v.picklist(['mtgjson', 'scryfall']), set: text, ...setOf }),
])

interface AssignedCode {
  readonly game: GameSlug
  readonly code: string
}

export class Ids {
  readonly #cards = new Map<CatalogSource, Map<string, string>>(catalogSources.map((source) => [source, new Map()]))
  /** By id, the keys of MTGJSON and Scryfall. An id has one key of each source; TCGplayer's are in #assigned. */
  readonly #keys = new Map<CatalogSource, Map<string, string>>(catalogSources.map((source) => [source, new Map()]))
  readonly #sets = new Map<CatalogSource, Map<string, AssignedCode>>(
    catalogSources.map((source) => [source, new Map()]),
  )
  /** By id, all ids ever assigned: TCGplayer's key, null if it has none. */
  readonly #assigned = new Map<string, string | null>()
  /** By `game code`: the source and key of each set with the code. */
  readonly #codes = new Map<string, readonly (readonly [CatalogSource, string])[]>()
  /** By product, TCGplayer's sub-types with an id. Made on first use, which is rare. */
  #subTypes: Map<number, string[]> | undefined

  idOf(source: CatalogSource, key: string): string | undefined {
    return this.#cards.get(source)!.get(key)
  }

  codeOf(source: CatalogSource, key: string): string | undefined {
    return this.#sets.get(source)!.get(key)?.code
  }

  /** The source's key that has the id. */
  keyOf(source: Exclude<CatalogSource, 'tcgcsv'>, id: string): string | undefined {
    return this.#keys.get(source)!.get(id)
  }

  isAssigned(id: string): boolean {
    return this.#assigned.has(id)
  }

  /** TCGplayer's key of the id; null if TCGplayer has none, undefined if the id is not assigned. */
  tcgplayerKeyOf(id: string): string | null | undefined {
    return this.#assigned.get(id)
  }

  /** The sources and keys of the game's sets with the code. */
  setsOf(game: GameSlug, code: string): readonly (readonly [CatalogSource, string])[] {
    return this.#codes.get(`${game} ${code}`) ?? []
  }

  /** True if the product has an id without a sub-type: it never had a price. */
  isUnpriced(product: number): boolean {
    return this.#cards.get('tcgcsv')!.has(tcgplayerKeyText(product, null))
  }

  /** The product's sub-types with an id. */
  subTypesOf(product: number): readonly string[] {
    if (this.#subTypes === undefined) {
      this.#subTypes = new Map()
      for (const key of this.#cards.get('tcgcsv')!.keys()) addSubType(this.#subTypes, key)
    }
    return this.#subTypes.get(product) ?? []
  }

  /** The ids by TCGplayer's product and sub-type. */
  tcgplayerCards(): ReadonlyMap<string, string> {
    return this.#cards.get('tcgcsv')!
  }

  /** MTGJSON's or Scryfall's key that had the id loses it. */
  assign(source: CatalogSource, key: string, id: string): void {
    const cards = this.#cards.get(source)!
    if (source !== 'tcgcsv') {
      const keys = this.#keys.get(source)!
      const [keyBefore, idBefore] = [keys.get(id), cards.get(key)]
      if (keyBefore !== undefined) cards.delete(keyBefore)
      if (idBefore !== undefined) keys.delete(idBefore)
      cards.set(key, id)
      keys.set(id, key)
      if (!this.#assigned.has(id)) this.#assigned.set(id, null)
      return
    }
    const isNew = !cards.has(key)
    cards.set(key, id)
    this.#assigned.set(id, key)
    if (isNew && this.#subTypes !== undefined) addSubType(this.#subTypes, key)
  }

  assignCode(source: CatalogSource, key: string, game: GameSlug, code: string): void {
    this.#sets.get(source)!.set(key, { game, code })
    const name = `${game} ${code}`
    this.#codes.set(name, [...(this.#codes.get(name) ?? []), [source, key]])
  }

  /** When a product gets its first price: the sub-type gets the id of the unpriced product. */
  moveToSubType(product: number, subType: string): void {
    const cards = this.#cards.get('tcgcsv')!
    const unpriced = tcgplayerKeyText(product, null)
    const id = cards.get(unpriced)!
    cards.delete(unpriced)
    this.assign('tcgcsv', tcgplayerKeyText(product, subType), id)
  }

  /** The lines of `import/ids.ndjson`, sets first. Their order depends only on their content. */
  *lines(): Generator<string> {
    for (const [source, sets] of this.#sets) {
      const keys = [...sets.keys()].sort(source === 'tcgcsv' ? (a, b) => Number(a) - Number(b) : undefined)
      for (const key of keys) {
        const named = source === 'tcgcsv' ? { group: Number(key) } : { set: key }
        yield JSON.stringify({ source: sourceLabels[source], ...named, ...sets.get(key)! })
      }
    }
    for (const [source, cards] of this.#cards) {
      const compare = source === 'tcgcsv' ? byProduct : compareTexts
      for (const [key, id] of [...cards].sort(([a], [b]) => compare(a, b))) {
        yield source === 'tcgcsv'
          ? tcgplayerLine(key, id)
          : JSON.stringify({ source: sourceLabels[source], ...namedKey(source, key), id })
      }
    }
  }
}

/** An id begins with its game. */
export const gameOf = (id: string): GameSlug => id.slice(0, id.indexOf('-')) as GameSlug

/** The product number, a space, and the sub-type; only the number if it is unpriced. */
export const tcgplayerKeyText = (product: number, subType: string | null): string =>
  subType === null ? `${product}` : `${product} ${subType}`

export function tcgplayerKey(key: string): { product: number; subType: string | null } {
  const space = key.indexOf(' ')
  return space === -1
    ? { product: Number(key), subType: null }
    : { product: Number(key.slice(0, space)), subType: key.slice(space + 1) }
}

/** As JSON.stringify writes it; no character of an id needs an escape. */
function tcgplayerLine(key: string, id: string): string {
  const { product, subType } = tcgplayerKey(key)
  return `{"source":"tcgplayer","product":${product},"subType":${JSON.stringify(subType)},"id":"${id}"}`
}

function addSubType(subTypes: Map<number, string[]>, key: string): void {
  const { product, subType } = tcgplayerKey(key)
  if (subType === null) return
  const known = subTypes.get(product)
  if (known === undefined) subTypes.set(product, [subType])
  else known.push(subType)
}

function byProduct(a: string, b: string): number {
  const difference = Number.parseInt(a, 10) - Number.parseInt(b, 10)
  return difference || compareTexts(a, b)
}

function namedKey(source: Exclude<CatalogSource, 'tcgcsv'>, key: string): object {
  const space = key.indexOf(' ')
  return { [source === 'mtgjson' ? 'uuid' : 'card']: key.slice(0, space), finish: key.slice(space + 1) }
}

/** Anything wrong is an error, since new ids must not replace old ones. */
export function readIds(file: InputFile, errors: ImportErrors): Ids {
  const ids = new Ids()
  const bytes = readWhole(file, errors)
  if (bytes === undefined) return ids
  if (!isUtf8(bytes)) {
    errors.add(file.path, '', 'must be UTF-8')
    return ids
  }
  const text = bytes.toString('utf8')
  let start = 0
  for (let line = 1; start < text.length; line++) {
    const end = text.indexOf('\n', start)
    if (end === -1) {
      errors.add(file.path, `line ${line}`, 'the file is cut short')
      break
    }
    if (!takeLine(ids, file.path, line, text.slice(start, end), errors)) break
    start = end + 1
  }
  return ids
}

/** False after an error: one is enough. */
function takeLine(ids: Ids, file: string, line: number, text: string, errors: ImportErrors): boolean {
  const place = `line ${line}`
  const parsed = parseJson(`${file}: ${place}`, Buffer.from(text), errors)
  if (parsed === undefined) return false
  const result = v.safeParse(lineSchema, parsed)
  if (!result.success) {
    errors.add(file, place, 'must be the id of a card or the code of a set', shown(parsed))
    return false
  }
  const known = result.output
  const source = known.source === 'tcgplayer' ? 'tcgcsv' : known.source
  const isSet = 'code' in known
  const key = isSet
    ? `${'group' in known ? known.group : known.set}`
    : 'product' in known
      ? tcgplayerKeyText(known.product, known.subType)
      : `${'uuid' in known ? known.uuid : known.card} ${known.finish}`
  const isDuplicate = isSet
    ? ids.codeOf(source, key) !== undefined ||
      (source === 'tcgcsv' && ids.setsOf(known.game, known.code).some(([of]) => of === source))
    : ids.idOf(source, key) !== undefined ||
      (source === 'tcgcsv'
        ? typeof ids.tcgplayerKeyOf(known.id) === 'string'
        : ids.keyOf(source, known.id) !== undefined)
  if (isDuplicate) {
    errors.add(file, place, 'assigns a key, an id or a code a second time', shown(parsed))
    return false
  }
  if (isSet) ids.assignCode(source, key, known.game, known.code)
  else ids.assign(source, key, known.id)
  return true
}

/** A part of an id: lower case; a-z, 0-9 and dots stay, any run of other characters is one hyphen, none at the ends. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|-$/g, '')
