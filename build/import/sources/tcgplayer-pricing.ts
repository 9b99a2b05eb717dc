/**
 * The pricing files that sellers at TCGplayer export: market prices by condition, a row a SKU. A row names its card by game, set, number,
 * name and printing together; rows that name none, or several, are left out.
 */
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { conditions } from '../../../src/catalog/views.ts'
import { table } from '../../../src/command/table.ts'
import { type GameSlug, gameSlugs } from '../../../src/games.ts'
import { foldCase, foldName } from '../../../src/names/fold.ts'
import { identityOf } from '../../../src/names/identity.ts'
import { foldNumber, withoutNumber } from '../../../src/names/numbers.ts'
import { centsOf } from '../../read/cents.ts'
import { shown } from '../../read/problems.ts'
import { type ComposedCard, type LayerPrice, unknownCents } from '../catalog.ts'
import { readCsv } from '../read/csv.ts'
import { existingFile } from '../read/open.ts'
import { FileRecords } from '../read/records.ts'
import type { Report } from '../report.ts'
import { normal, numberOf, plainText } from './names.ts'
import type { Import, Reading, Source } from './source.ts'
import { dayOfTime } from './values.ts'

const columns = [
  ...['TCGplayer Id', 'Product Line', 'Set Name', 'Product Name', 'Number', 'Condition'],
  'TCG Market Price',
] as const

/** TCGCSV's names of categories, which differ between files. */
const productLines: Readonly<Record<GameSlug, readonly string[]>> = {
  mtg: ['Magic', 'Magic: The Gathering'],
  yugioh: ['YuGiOh', 'Yu-Gi-Oh!'],
  pokemon: ['Pokemon'],
  pokemonjp: ['Pokemon Japan'],
  fab: ['Flesh & Blood TCG', 'Flesh and Blood TCG'],
  onepiece: ['One Piece', 'One Piece Card Game'],
  lorcana: ['Lorcana TCG', 'Disney Lorcana'],
  swu: ['Star Wars Unlimited', 'Star Wars: Unlimited'],
}
const gamesByLine = new Map(
  gameSlugs.flatMap((game) => productLines[game].map((line) => [foldName(line), game] as const)),
)

/** In the order of `conditions`. */
const conditionNames = ['Near Mint', 'Lightly Played', 'Moderately Played', 'Heavily Played', 'Damaged']
const conditionForm = new RegExp(`^(${conditionNames.join('|')})(?: (?!- )(.+?))?(?: - (.+))?$`)
const unopened = /^Unopened\b/
const price = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?$/

/** The cards of one set, number and name. They differ by printing, or can't be distinguished. */
type Product = number[]

/** Why a row is left out. */
const noCard = 'no card of that game, set, number and name'
const severalCards = 'several cards of that game, set, number, name and printing'
const noPrinting = 'no such printing of the card'
const severalSkus = 'two products of one card and condition'
const otherCondition = 'another condition'
const otherLanguage = 'another language'
const sealed = 'sealed product'
const otherGame = 'another game'

class PricedCards {
  readonly #cards: readonly ComposedCard[]
  readonly #products: ReadonlyMap<string, Product>
  /** By the fields as they are written: a product has ten rows or so. */
  readonly #byFields = new Map<string, Product | null>()
  /** By card and condition. */
  readonly #cents: Int32Array
  readonly #skus: Float64Array
  readonly #isSeen: Uint8Array

  constructor(cards: readonly ComposedCard[]) {
    this.#cards = cards
    const count = cards.length * conditions.length
    this.#cents = new Int32Array(count).fill(unknownCents)
    this.#skus = new Float64Array(count)
    this.#isSeen = new Uint8Array(count)
    this.#products = Map.groupBy(cards.keys(), (card) => {
      const { game, setName, number, name, printing } = cards[card]!
      const ending = ` [${printing}]`
      return keyOf(game, setName, number, name.endsWith(ending) ? name.slice(0, -ending.length) : name)
    })
  }

  /** The cards of a row's fields; null if there are none. */
  productOf(game: GameSlug, setName: string, number: string, name: string): Product | null {
    const fields = `${game}\n${setName}\n${number}\n${name}`
    let product = this.#byFields.get(fields)
    if (product === undefined) {
      const printed = plainText(number)
      const own = withoutNumber(plainText(name), printed === '' ? null : printed)
      product = this.#products.get(keyOf(game, plainText(setName), numberOf(number), own)) ?? null
      this.#byFields.set(fields, product)
    }
    return product
  }

  /** A card of the product, or why there is none. @param printing empty if the row names none */
  cardOf(product: Product | null, printing: string): number | string {
    if (product === null) return noCard
    const asked = foldCase(printing || normal)
    const fits = product.filter((card) => foldCase(this.#cards[card]!.printing ?? '') === asked)
    if (fits.length === 0) return printing === '' && product.length === 1 ? product[0]! : noPrinting
    return fits.length === 1 ? fits[0]! : severalCards
  }

  /** False if another SKU of the card has that condition: then neither counts. */
  set(card: number, condition: number, sku: number, cents: number): boolean {
    const at = card * conditions.length + condition
    const isOther = this.#isSeen[at] === 1 && this.#skus[at] !== sku
    this.#isSeen[at] = 1
    this.#skus[at] = isOther ? Number.NaN : sku
    this.#cents[at] = isOther ? unknownCents : cents
    return !isOther
  }

  /** The prices, and the cards by game that have some. */
  prices(): { byId: LayerPrice[]; cards: ReadonlyMap<GameSlug, number> } {
    const counts = new Map<GameSlug, number>()
    const byId = this.#cards.flatMap(({ id, game }, card): LayerPrice[] => {
      const own = conditions.flatMap((key, condition) => {
        const cents = this.#cents[card * conditions.length + condition]!
        return cents === unknownCents ? [] : [{ id, key, cents }]
      })
      if (own.length > 0) counts.set(game, (counts.get(game) ?? 0) + 1)
      return own
    })
    return { byId, cards: counts }
  }

  /** Whether the files say nothing about a price of an earlier import. It keeps little of this in memory. */
  isSilentOn(): (price: LayerPrice) => boolean {
    const isSeen = this.#isSeen
    const indexes = new Map(this.#cards.map(({ id }, card) => [id, card]))
    return ({ id, key }) => {
      const at = (indexes.get(id) ?? -1) * conditions.length + (conditions as readonly string[]).indexOf(key)
      return isSeen[at] !== 1
    }
  }
}

function keyOf(game: GameSlug, setName: string, number: string | null, name: string): string {
  const { key, signs, markers } = identityOf(name)
  return [game, foldName(setName), foldNumber(number ?? ''), key, signs, ...markers].join('\n')
}

async function readPricing({ options, errors, report, cards }: Import): Promise<Reading> {
  // Rows are garbage soon. By default V8 lets half as much memory again accumulate.
  setFlagsFromString('--heap-growing-percent=25')
  const known = cards()
  if (known.length === 0)
    errors.add(options.out, '', 'has no cards yet, whose prices these would be: import a mirror first')
  errors.check()
  const priced = new PricedCards(known)
  const rows = new Map<GameSlug, number>()
  let day = ''
  for (const path of options.paths) {
    const file = existingFile(path, errors)
    const fileDay = options.date ?? dayOfTime(file.mtimeMs)
    if (fileDay > day) day = fileDay
    const records = new FileRecords(path, null, errors, report)
    const leftOut = new LeftOut(path, report)
    const onRow = (field: (column: string) => string, line: number): void => {
      const productLine = field('Product Line').trim()
      const game = gamesByLine.get(foldName(productLine))
      if (game === undefined) leftOut.count(null, otherGame, productLine)
      else if (options.games.has(game)) {
        rows.set(game, (rows.get(game) ?? 0) + 1)
        takeRow(game, field, `line ${line}`, { priced, records, leftOut })
      }
    }
    await readCsv(file, records, errors, { required: columns, onRow })
    records.end()
    leftOut.end()
  }
  const { byId, cards: withConditions } = priced.prices()
  const counts = gameSlugs
    .filter((game) => rows.has(game))
    .map((game) => [game, rows.get(game)!, withConditions.get(game) ?? 0])
  const header = ['game', 'rows', 'cards with conditions']
  const lines = counts.map((cells) => cells.map((cell) => cell.toLocaleString('en')))
  report.notes.push(table([header, ...lines], { right: [1, 2] }))
  const file = options.paths.map((path) => basename(path)).join(', ')
  return {
    layer: { label: 'tcgplayer-pricing', file, day, byId, byName: [], byProduct: [] },
    keeps: priced.isSilentOn(),
    date: day,
  }
}

interface Taking {
  readonly priced: PricedCards
  readonly records: FileRecords
  readonly leftOut: LeftOut
}

function takeRow(
  game: GameSlug,
  field: (column: string) => string,
  place: string,
  { priced, records, leftOut }: Taking,
): void {
  const condition = field('Condition').trim()
  if (unopened.test(condition)) {
    leftOut.count(game, sealed, 'Unopened')
    return
  }
  const [, name, printing = '', language] = conditionForm.exec(condition) ?? []
  if (language !== undefined && language !== (game === 'pokemonjp' ? 'Japanese' : 'English')) {
    leftOut.count(game, otherLanguage, language)
    return
  }
  const leave = (reason: string) => {
    const product = ['Set Name', 'Product Name', 'Number'].map(field).join(', ')
    leftOut.list(game, place, reason, product, condition)
  }
  if (name === undefined) {
    leave(otherCondition)
    return
  }
  const text = field('TCG Market Price').trim()
  const [, whole, decimals = ''] = price.exec(text) ?? []
  const cents = text === '' ? 0 : centsOf(whole === undefined ? text : whole.replaceAll(',', '') + decimals)
  if (typeof cents === 'string') {
    records.wrong(`${place}.TCG Market Price`, cents, shown(text))
    return
  }
  const product = priced.productOf(game, field('Set Name'), field('Number'), field('Product Name'))
  const card = priced.cardOf(product, printing)
  if (typeof card === 'string') {
    leave(card)
    return
  }
  const known = cents === 0 ? unknownCents : cents
  const sku = Number(field('TCGplayer Id'))
  if (!priced.set(card, conditionNames.indexOf(name), sku, known)) leave(severalSkus)
}

/** The rows that are left out. Adjacent ones of a product and a reason are one record. */
class LeftOut {
  readonly #file: string
  readonly #report: Report
  readonly #counts = new Map<string, { game: GameSlug | null; reason: string; what: string; count: number }>()
  /** The last record, which may have more rows. */
  #last: { game: GameSlug; place: string; reason: string; product: string; conditions: string[] } | undefined

  constructor(file: string, report: Report) {
    this.#file = file
    this.#report = report
  }

  /** A row that is counted, not listed: a seller's file may have most of its rows in other languages. */
  count(game: GameSlug | null, reason: string, what: string): void {
    const key = `${game}\n${reason}\n${what}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { game, reason, what, count: 1 })
    else known.count++
  }

  list(game: GameSlug, place: string, reason: string, product: string, condition: string): void {
    if (this.#last?.product === product && this.#last.reason === reason && this.#last.game === game) {
      this.#last.conditions.push(condition)
      return
    }
    this.#endRecord()
    this.#last = { game, place, reason, product, conditions: [condition] }
  }

  #endRecord(): void {
    if (this.#last === undefined) return
    const { game, place, reason, product, conditions } = this.#last
    this.#report.leftOut(game, this.#file, place, reason, `${product}: ${conditions.join(', ')}`, conditions.length)
  }

  end(): void {
    this.#endRecord()
    for (const { game, reason, what, count } of this.#counts.values())
      this.#report.leftOut(game, this.#file, null, reason, `${what}: ${count} rows`, count)
  }
}

export const tcgplayerPricing: Source = {
  catalog: null,
  composes: true,
  pathsMax: Number.MAX_SAFE_INTEGER,
  paths: 'FILE.csv…',
  adds: 'a seller’s pricing files: prices by condition for existing cards',
  games: gameSlugs,
  read: readPricing,
}
