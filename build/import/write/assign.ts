/**
 * Assigns codes to new sets and ids to new cards. A code or id, once assigned, never identifies another set or card. If
 * a source renames a record or names another product for it, the record can move to another id.
 */
import type { GameSlug } from '../../../src/games.ts'
import { idCharsMax } from '../../../src/limits.ts'
import { foldName } from '../../../src/names/fold.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { finishOf, idOfKey } from '../finishes.ts'
import { type Ids, slug, tcgplayerKeyText } from '../ids.ts'
import type { Report } from '../import-report.ts'
import { type CatalogSource, catalogSources, productsOf, type SourceCard, type SourceSet } from '../source-catalog.ts'
import { normal } from '../source-values.ts'
import { cardsFile } from './folder.ts'
import { successors } from './successors.ts'
import { type Catalogs, isKnownTo, type OwnProducts, ownProducts, tcgplayerKeyOfCard } from './tcgplayer-products.ts'

/** The cards of the imported source after its last import. */
interface LastImport {
  readonly source: CatalogSource
  readonly cards: readonly SourceCard[]
}

/**
 * Assigns all missing codes and ids. Returns the catalogs, in which at most one card of each source has a given
 * product.
 */
export function assignAll(catalogs: Catalogs, ids: Ids, report: Report, before: LastImport): OwnProducts {
  const sameSets = sameSetsOf(catalogs)
  for (const source of catalogSources) {
    const sets = catalogs.get(source)?.sets.filter(({ key }) => ids.codeOf(source, key) === undefined) ?? []
    for (const set of sets.sort(byAge)) ids.assignCode(source, set.key, set.game, codeFor(source, set, ids, sameSets))
  }
  if (before.source !== 'tcgcsv') inherit(before, catalogs.get(before.source)!.cards, ids, report)
  const own = ownProducts(catalogs, ids)
  reportLost(own, report)
  const links = new Links(own, ids)
  for (const source of catalogSources) {
    const { sets, cards } = own.catalogs.get(source) ?? { sets: [], cards: [] }
    const codes = new Map(sets.map(({ key }) => [key, ids.codeOf(source, key)!]))
    const withoutId: SourceCard[] = []
    /**
     * The ids that cards of this source have. An id belongs to one card of a source, even if several cards name its
     * product.
     */
    const taken = new Set<string>()
    for (const card of cards) {
      if (links.keeps(source, card, report)) taken.add(ids.idOf(source, card.key)!)
      else withoutId.push(card)
    }
    for (const card of withoutId.sort(byKey)) {
      const linked = links.find(source, card)
      const isFree = linked !== undefined && !taken.has(linked)
      const id = isFree ? linked : newId(source, card, codes.get(card.set)!, ids)
      if (!isFree) report.game(card.game).newIds++
      ids.assign(source, card.key, id)
      taken.add(id)
      links.add(card, id)
    }
  }
  return own
}

function reportLost({ catalogs, lost }: OwnProducts, report: Report): void {
  for (const [source, products] of lost)
    for (const { key, game } of catalogs.get(source)!.cards) {
      const found = products.get(key)
      if (found === undefined) continue
      const which = found.isDecided ? 'which is that of another card' : 'and so does another card'
      const reason = `names TCGplayer's product ${found.product}, ${which}: it has neither the product nor its price`
      report.doubtful({ game, file: cardsFile(source, game), reason, record: key })
    }
}

/** If a source has a card under a new id, the card keeps our id. */
function inherit({ source, cards }: LastImport, now: readonly SourceCard[], ids: Ids, report: Report): void {
  const games = new Map(now.map(({ key, game }) => [key, game]))
  for (const [earlier, key] of successors(cards, now)) {
    const id = ids.idOf(source, earlier)
    // A card that was gone for a while, and is back, already has an id.
    if (id === undefined || ids.idOf(source, key) !== undefined) continue
    ids.assign(source, key, id)
    report.change('inherited', games.get(key)!, id, `the source's id was ${idOfKey(earlier)}, is ${idOfKey(key)}`)
  }
}

/** The ids of each source's cards, in the order of the cards. */
export type AssignedIds = ReadonlyMap<CatalogSource, readonly string[]>

export const assignedIds = (catalogs: Catalogs, ids: Ids): AssignedIds =>
  new Map([...catalogs].map(([source, { cards }]) => [source, cards.map(({ key }) => ids.idOf(source, key)!)]))

/**
 * Sorts sets by release date, oldest first, undated sets last. Sets of the same day are sorted by group, else by code.
 */
function byAge(a: SourceSet, b: SourceSet): number {
  const [dayA, dayB] = [a.releaseDate ?? '9999', b.releaseDate ?? '9999']
  if (dayA !== dayB) return compareTexts(dayA, dayB)
  return a.group !== null && b.group !== null ? a.group - b.group : compareTexts(a.key, b.key)
}

/**
 * Sorts cards by product, lowest first; cards without a product come last. The first sub-type of a product comes first.
 */
function byKey(a: SourceCard, b: SourceCard): number {
  if (a.product !== b.product) return (a.product ?? Number.MAX_SAFE_INTEGER) - (b.product ?? Number.MAX_SAFE_INTEGER)
  if (a.first !== b.first) return a.first ? -1 : 1
  return compareTexts(a.key, b.key)
}

/**
 * The code of a new set:
 *
 *   another source has the same set                that set's code
 *   the abbreviation was never assigned            the abbreviation
 *   there is no abbreviation                       g and the group's number (or the source's set code)
 *   another set has or had the abbreviation        the abbreviation, a hyphen, and that number or code
 */
function codeFor(source: CatalogSource, set: SourceSet, ids: Ids, sameSets: SameSets): string {
  const own = slug(set.abbreviation) || (source === 'tcgcsv' ? `g${set.key}` : slug(set.key) || 'set')
  for (const [other, same] of sameSets(source, set)) {
    const code = ids.codeOf(other, same.key)
    if (code !== undefined && !ids.sourcesOf(set.game, code).includes(source)) return code
  }
  let code = own
  while (ids.sourcesOf(set.game, code).length > 0) code = `${code}-${slug(set.key) || 'set'}`
  return code
}

type SameSets = (source: CatalogSource, set: SourceSet) => Generator<readonly [CatalogSource, SourceSet]>

/**
 * Finds the same set in other sources. Sets with the same group are the same. So are sets with equal codes, if their
 * names are equal or a product is in both. For MTGJSON and Scryfall, equal codes are enough.
 */
function sameSetsOf(catalogs: Catalogs): SameSets {
  const groupOf = new Map(catalogs.get('tcgcsv')?.cards.map(({ product, set }) => [product, set]))
  /** For each set of another source, by `source key`, the TCGplayer groups of its cards' products. */
  const groups = new Map<string, ReadonlySet<string>>(
    [...catalogs].flatMap(([source, { cards }]) =>
      [...Map.groupBy(source === 'tcgcsv' ? [] : cards, ({ set }) => set)].map(([set, own]) => {
        const ofProducts = own.flatMap(({ product }) => groupOf.get(product) ?? [])
        return [`${source} ${set}`, new Set(ofProducts)] as const
      }),
    ),
  )
  const areSame = (source: CatalogSource, set: SourceSet, other: CatalogSource, candidate: SourceSet): boolean => {
    if (set.group !== null && set.group === candidate.group) return true
    if (slug(set.abbreviation) !== slug(candidate.abbreviation) || slug(set.abbreviation) === '') return false
    // MTGJSON and Scryfall use the publisher's codes; TCGplayer has abbreviations of its own.
    if (source !== 'tcgcsv' && other !== 'tcgcsv') return true
    if (foldName(set.name) === foldName(candidate.name)) return true
    const [own, group] = source === 'tcgcsv' ? [`${other} ${candidate.key}`, set] : [`${source} ${set.key}`, candidate]
    return groups.get(own)?.has(group.key) === true
  }
  return function* (source, set) {
    for (const [other, { sets }] of catalogs)
      for (const candidate of other === source ? [] : sets)
        if (candidate.game === set.game && areSame(source, set, other, candidate)) yield [other, candidate]
  }
}

/**
 * Finds the same card in another source, by TCGplayer's product and sub-type. An unpriced product of TCGplayer is
 * linked to the first finish of the other source's cards. Once it is priced, the product's first sub-type gets its id.
 */
class Links {
  readonly #ids: Ids
  readonly #lost: OwnProducts['lost']
  readonly #byProduct = new Map<string, string>()

  constructor({ catalogs, lost }: OwnProducts, ids: Ids) {
    this.#ids = ids
    this.#lost = lost
    for (const [source, { cards }] of catalogs) {
      if (source === 'tcgcsv') continue
      for (const card of cards) {
        const id = ids.idOf(source, card.key)
        if (id !== undefined) this.add(card, id)
      }
    }
  }

  add(card: SourceCard, id: string): void {
    const { subType, first } = card
    const products = productsOf(card)
    if (subType === null) return
    const keys = products.map((product) => tcgplayerKeyText(product, subType))
    // If the card may belong to two unpriced products, its first finish is linked to neither, as it may be of either.
    if (first && products.length === 1) keys.push(tcgplayerKeyText(products[0]!, null))
    for (const key of keys) if (!this.#byProduct.has(key)) this.#byProduct.set(key, id)
  }

  /** True if the card keeps the id that it has. */
  keeps(source: CatalogSource, card: SourceCard, report: Report): boolean {
    const id = this.#ids.idOf(source, card.key)
    if (id === undefined) return false
    if (source === 'tcgcsv') return true
    const idKey = this.#ids.keyOf('tcgcsv', id)
    // The id belongs to the card that owns the product. This card has lost the product.
    if (idKey !== undefined && this.#lost.get(source)?.has(card.key)) return false
    const own = tcgplayerKeyOfCard(card, isKnownTo(this.#ids))
    // A card loses its id if the source now names a known product other than the id's product.
    if (idKey !== undefined) return own === undefined || idKey === own
    if (own !== undefined) {
      const reason = `is also ${this.#ids.idOf('tcgcsv', own)}: both had ids before they were found to be the same card`
      report.doubtful({ game: card.game, file: cardsFile(source, card.game), reason, record: id })
    }
    return true
  }

  find(source: CatalogSource, card: SourceCard): string | undefined {
    const { subType } = card
    if (subType === null && source !== 'tcgcsv') return undefined
    const own = source === 'tcgcsv' ? undefined : tcgplayerKeyOfCard(card, isKnownTo(this.#ids))
    if (own !== undefined) return this.#ids.idOf('tcgcsv', own)
    // A product has one id, and an id has one product. So an id that already has a product is skipped.
    return productsOf(card)
      .map((product) => this.#byProduct.get(tcgplayerKeyText(product, subType)))
      .find((id) => id !== undefined && this.#ids.keyOf('tcgcsv', id) === undefined)
  }
}

/**
 * `{game}-{set code}-{number}-{sub-type}`. If that id is taken or too long, it ends with a hyphen and the product's
 * number (or the source's id).
 */
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
