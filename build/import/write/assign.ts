/** Assigns codes to new sets and ids to new cards. An assigned one never changes, and is never assigned again. */
import type { GameSlug } from '../../../src/games.ts'
import { idCharsMax } from '../../../src/limits.ts'
import { foldName } from '../../../src/names/fold.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { type CatalogSource, catalogSources, type SourceCard, type SourceCatalog, type SourceSet } from '../catalog.ts'
import { type Ids, slug, tcgplayerKeyText } from '../ids.ts'
import type { Report } from '../report.ts'
import { finishOf } from '../sources/finishes.ts'
import { normal } from '../sources/names.ts'
import { cardsFile } from './folder.ts'

export type Catalogs = ReadonlyMap<CatalogSource, SourceCatalog>

export function assignAll(catalogs: Catalogs, ids: Ids, report: Report): void {
  const sameSets = new SameSets(catalogs)
  for (const source of catalogSources) {
    const sets = catalogs.get(source)?.sets.filter(({ key }) => ids.codeOf(source, key) === undefined) ?? []
    for (const set of sets.sort(byAge)) ids.assignCode(source, set.key, set.game, codeFor(source, set, ids, sameSets))
  }
  const links = new Links(catalogs, ids)
  for (const source of catalogSources) {
    const { sets, cards } = catalogs.get(source) ?? { sets: [], cards: [] }
    const codes = new Map(sets.map(({ key }) => [key, ids.codeOf(source, key)!]))
    const withoutId = cards.filter((card) => !links.keeps(source, card, report))
    for (const card of withoutId.sort(byKey)) {
      const linked = links.find(source, card)
      const id = linked ?? newId(source, card, codes.get(card.set)!, ids)
      if (linked === undefined) report.game(card.game).newIds++
      ids.assign(source, card.key, id)
      links.add(card, id)
    }
  }
}

/** Ids by source, in the order of its cards. */
export type AssignedIds = ReadonlyMap<CatalogSource, readonly string[]>

export const assignedIds = (catalogs: Catalogs, ids: Ids): AssignedIds =>
  new Map([...catalogs].map(([source, { cards }]) => [source, cards.map(({ key }) => ids.idOf(source, key)!)]))

/** Oldest first, undated ones last; on one day the lower group or code first. */
function byAge(a: SourceSet, b: SourceSet): number {
  const [dayA, dayB] = [a.releaseDate ?? '9999', b.releaseDate ?? '9999']
  if (dayA !== dayB) return compareTexts(dayA, dayB)
  return a.group !== null && b.group !== null ? a.group - b.group : compareTexts(a.key, b.key)
}

/** Lower product first, a product's first sub-type first; cards without a product last. */
function byKey(a: SourceCard, b: SourceCard): number {
  if (a.product !== b.product) return (a.product ?? Number.MAX_SAFE_INTEGER) - (b.product ?? Number.MAX_SAFE_INTEGER)
  if (a.first !== b.first) return a.first ? -1 : 1
  return compareTexts(a.key, b.key)
}

/**
 *   the abbreviation was never assigned        the abbreviation
 *   no abbreviation                            g and the group's number
 *   another set has it, or had it              the abbreviation, a hyphen, and the group's number (or the source's set code)
 *   another source has the same set            that set's code
 */
function codeFor(source: CatalogSource, set: SourceSet, ids: Ids, sameSets: SameSets): string {
  const own = slug(set.abbreviation) || (source === 'tcgcsv' ? `g${set.key}` : slug(set.key) || 'set')
  for (const [other, same] of sameSets.of(source, set)) {
    const code = ids.codeOf(other, same.key)
    if (code !== undefined && !ids.setsOf(set.game, code).some(([of]) => of === source)) return code
  }
  let code = own
  while (ids.setsOf(set.game, code).length > 0) code = `${code}-${slug(set.key) || 'set'}`
  return code
}

/** Finds sets that two sources share: by the group, or by an equal code with an equal name or a common product. */
class SameSets {
  readonly #catalogs: Catalogs
  readonly #groupOfProduct = new Map<number, string>()
  /** By `source key` of a set: the groups of its cards' products. */
  readonly #groups = new Map<string, Set<string>>()

  constructor(catalogs: Catalogs) {
    this.#catalogs = catalogs
    if (catalogs.size < 2) return
    for (const { product, set } of catalogs.get('tcgcsv')?.cards ?? []) this.#groupOfProduct.set(product!, set)
    for (const [source, { cards }] of catalogs) {
      if (source === 'tcgcsv') continue
      for (const { product, set } of cards) {
        const group = product === null ? undefined : this.#groupOfProduct.get(product)
        if (group === undefined) continue
        const key = `${source} ${set}`
        const groups = this.#groups.get(key)
        if (groups === undefined) this.#groups.set(key, new Set([group]))
        else groups.add(group)
      }
    }
  }

  *of(source: CatalogSource, set: SourceSet): Generator<readonly [CatalogSource, SourceSet]> {
    for (const [other, { sets }] of this.#catalogs) {
      if (other === source) continue
      for (const candidate of sets) {
        if (candidate.game === set.game && this.#areSame(source, set, other, candidate)) yield [other, candidate]
      }
    }
  }

  #areSame(source: CatalogSource, set: SourceSet, other: CatalogSource, candidate: SourceSet): boolean {
    if (set.group !== null && set.group === candidate.group) return true
    if (slug(set.abbreviation) !== slug(candidate.abbreviation) || slug(set.abbreviation) === '') return false
    // MTGJSON and Scryfall use the publisher's codes; TCGplayer has abbreviations of its own.
    if (source !== 'tcgcsv' && other !== 'tcgcsv') return true
    if (foldName(set.name) === foldName(candidate.name)) return true
    const groups =
      source === 'tcgcsv' ? this.#groups.get(`${other} ${candidate.key}`) : this.#groups.get(`${source} ${set.key}`)
    return groups?.has(source === 'tcgcsv' ? set.key : candidate.key) === true
  }
}

/**
 * Finds the same card of another source, by TCGplayer's product and sub-type. A product that is unpriced at TCGplayer is the
 * first finish of the other source's cards, since its first sub-type will get its id.
 */
class Links {
  readonly #ids: Ids
  readonly #byProduct = new Map<string, string>()

  constructor(catalogs: Catalogs, ids: Ids) {
    this.#ids = ids
    for (const [source, { cards }] of catalogs) {
      if (source === 'tcgcsv') continue
      for (const card of cards) {
        const id = ids.idOf(source, card.key)
        if (id !== undefined) this.add(card, id)
      }
    }
  }

  add({ product, subType, first }: SourceCard, id: string): void {
    if (product === null || subType === null) return
    for (const key of [tcgplayerKeyText(product, subType), ...(first ? [tcgplayerKeyText(product, null)] : [])]) {
      if (!this.#byProduct.has(key)) this.#byProduct.set(key, id)
    }
  }

  /** True if the card keeps the id that it has. */
  keeps(source: CatalogSource, card: SourceCard, report: Report): boolean {
    const id = this.#ids.idOf(source, card.key)
    if (id === undefined) return false
    if (source === 'tcgcsv') return true
    const idKey = this.#ids.tcgplayerKeyOf(id)
    const own = this.#tcgplayerKey(card)
    if (typeof idKey === 'string') {
      // False if the source now names another product than the id's.
      return own === undefined || idKey === own
    }
    if (own !== undefined) {
      report.doubtful(
        card.game,
        cardsFile(source, card.game),
        null,
        `is also ${this.#ids.idOf('tcgcsv', own)}: both had ids before they were found to be the same card`,
        id,
      )
    }
    return true
  }

  find(source: CatalogSource, card: SourceCard): string | undefined {
    const { product, subType } = card
    if (product === null || (subType === null && source !== 'tcgcsv')) return undefined
    const id = this.#byProduct.get(tcgplayerKeyText(product, subType))
    // A product has one id, and an id one product.
    const isFree = id !== undefined && typeof this.#ids.tcgplayerKeyOf(id) !== 'string'
    if (source === 'tcgcsv') return isFree ? id : undefined
    const own = this.#tcgplayerKey(card)
    if (own !== undefined) return this.#ids.idOf('tcgcsv', own)
    return isFree ? id : undefined
  }

  /** TCGplayer's key of the card. An unpriced product's key is that of its first sub-type. */
  #tcgplayerKey({ product, subType, first }: SourceCard): string | undefined {
    if (product === null || subType === null) return undefined
    const key = tcgplayerKeyText(product, subType)
    if (this.#ids.idOf('tcgcsv', key) !== undefined) return key
    const unpriced = tcgplayerKeyText(product, null)
    return first && this.#ids.idOf('tcgcsv', unpriced) !== undefined ? unpriced : undefined
  }
}

/** `{game}-{set code}-{number}-{sub-type}`; if that is taken, with a hyphen and the product's number (or the source's id). */
function newId(source: CatalogSource, card: SourceCard, code: string, ids: Ids): string {
  const ownId = slug(source === 'tcgcsv' ? `${card.product}` : card.key.slice(0, card.key.indexOf(' ')))
  const number = slug(card.number ?? '') || ownId
  const printing = source === 'tcgcsv' ? card.subType : finishOf(card.key)
  const subType = printing === null || printing === normal ? '' : slug(printing)
  const parts = [card.game satisfies GameSlug, code, number, subType].filter((part) => part !== '')
  let id = parts.join('-')
  if (id.length > idCharsMax || ids.isAssigned(id)) {
    id = `${id.slice(0, idCharsMax - ownId.length - 1).replace(/-$/, '')}-${ownId}`
    for (let i = 2; ids.isAssigned(id); i++)
      id = `${id.slice(0, idCharsMax - ownId.length - 5).replace(/-$/, '')}-${ownId}-${i}`
  }
  return id
}
