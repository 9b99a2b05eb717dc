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
import { gameOf } from '../ids.ts'
import { readCsv } from '../read/csv.ts'
import { existingFile } from '../read/open.ts'
import { FileRecords, LeftOutCounts } from '../read/records.ts'
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
type Condition = (typeof conditions)[number]
const price = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?$/

/** The cards of one set, number and name. They differ by printing, or can't be distinguished. */
type Product = readonly number[]

class PricedCards {
  readonly #products: ReadonlyMap<string, Product>
  /** By the fields as they are written: a product has ten rows or so. */
  readonly #byFields = new Map<string, Product>()
  readonly #cards: readonly ComposedCard[]
  /** By card and condition. A SKU is 0 if there is none yet, and not a number if there are two. */
  readonly #skus: Float64Array
  readonly #cents: Int32Array

  constructor(cards: readonly ComposedCard[]) {
    this.#cards = cards
    this.#skus = new Float64Array(cards.length * conditions.length)
    this.#cents = new Int32Array(cards.length * conditions.length).fill(unknownCents)
    this.#products = Map.groupBy(cards.keys(), (card) => {
      const { game, setName, number, name, printing } = cards[card]!
      const ending = ` [${printing}]`
      return keyOf(game, setName, number, name.endsWith(ending) ? name.slice(0, -ending.length) : name)
    })
  }

  /** The cards of a row's fields. */
  productOf(game: GameSlug, setName: string, number: string, name: string): Product {
    const fields = `${game}\n${setName}\n${number}\n${name}`
    let product = this.#byFields.get(fields)
    if (product === undefined) {
      const printed = plainText(number)
      const own = withoutNumber(plainText(name), printed === '' ? null : printed)
      product = this.#products.get(keyOf(game, plainText(setName), numberOf(number), own)) ?? []
      this.#byFields.set(fields, product)
    }
    return product
  }

  /** A card of the product, or why there is none. @param printing empty if the row names none */
  cardOf(product: Product, printing: string): number | string {
    if (product.length === 0) return 'no card of that game, set, number and name'
    const asked = foldCase(printing || normal)
    const fits = product.filter((card) => foldCase(this.#cards[card]!.printing ?? '') === asked)
    if (fits.length === 0) return printing === '' && product.length === 1 ? product[0]! : 'no such printing of the card'
    return fits.length === 1 ? fits[0]! : 'several cards of that game, set, number, name and printing'
  }

  /** False if another SKU of the card has that condition: then neither counts. */
  set(card: number, condition: number, sku: number, cents: number): boolean {
    const at = card * conditions.length + condition
    const isOther = this.#skus[at] !== 0 && this.#skus[at] !== sku
    this.#skus[at] = isOther ? Number.NaN : sku
    this.#cents[at] = isOther ? unknownCents : cents
    return !isOther
  }

  /** The known prices. */
  known(): LayerPrice[] {
    return this.#cards.flatMap(({ id }, card) =>
      conditions.flatMap((key, condition) => {
        const cents = this.#cents[card * conditions.length + condition]!
        return cents === unknownCents ? [] : [{ id, key, cents }]
      }),
    )
  }

  /** Whether the files say nothing about a price of an earlier import. It keeps little of this in memory. */
  isSilentOn(): (price: LayerPrice) => boolean {
    const skus = this.#skus
    const indexes = new Map(this.#cards.map(({ id }, card) => [id, card]))
    return ({ id, key }) => {
      const card = indexes.get(id)
      return card === undefined || skus[card * conditions.length + conditions.indexOf(key as Condition)] === 0
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
  const leftOut = new LeftOutCounts(report)
  const rows = new Map<GameSlug, number>()
  let date = ''
  for (const path of options.paths) {
    const file = existingFile(path, errors)
    const fileDay = options.date ?? dayOfTime(file.mtimeMs)
    if (fileDay > date) date = fileDay
    const records = new FileRecords(path, null, errors, report)
    const onRow = (field: Field, line: number): void => {
      const productLine = field('Product Line').trim()
      const game = gamesByLine.get(foldName(productLine))
      if (game === undefined) leftOut.count(null, path, 'another game', productLine)
      else if (options.games.has(game)) {
        rows.set(game, (rows.get(game) ?? 0) + 1)
        takeRow(game, field, `line ${line}`, { priced, records, leftOut, report })
      }
    }
    await readCsv(file, records, errors, { required: columns, onRow })
    records.end()
  }
  leftOut.end()
  const byId = priced.known()
  const withConditions = Map.groupBy(new Set(byId.map(({ id }) => id)), gameOf)
  const counts = gameSlugs
    .filter((game) => rows.has(game))
    .map((game) => [game, rows.get(game)!, withConditions.get(game)?.length ?? 0])
  const header = ['game', 'rows', 'cards with conditions']
  const lines = counts.map((cells) => cells.map((cell) => cell.toLocaleString('en')))
  report.notes.push(table([header, ...lines], [1, 2]))
  const file = options.paths.map((path) => basename(path)).join(', ')
  return {
    layer: { label: 'tcgplayer-pricing', file, day: date, byId, byName: [], byProduct: [] },
    keeps: priced.isSilentOn(),
    date,
  }
}

type Field = (column: string) => string

interface Taking {
  readonly priced: PricedCards
  readonly records: FileRecords
  /** For rows that are not listed: a seller's file may have most of its rows in other languages. */
  readonly leftOut: LeftOutCounts
  readonly report: Report
}

function takeRow(game: GameSlug, field: Field, place: string, { priced, records, leftOut, report }: Taking): void {
  const condition = field('Condition').trim()
  const leave = (reason: string) => {
    const product = ['Set Name', 'Product Name', 'Number'].map(field).join(', ')
    report.leftOut(game, records.file, place, reason, `${product}: ${condition}`)
  }
  const [, name, printing = '', language] = conditionForm.exec(condition) ?? []
  const text = field('TCG Market Price').trim()
  const [, whole, decimals = ''] = price.exec(text) ?? []
  const cents = text === '' ? 0 : centsOf(whole === undefined ? text : whole.replaceAll(',', '') + decimals)
  if (unopened.test(condition)) leftOut.count(game, records.file, 'sealed product', 'Unopened')
  else if (language !== undefined && language !== (game === 'pokemonjp' ? 'Japanese' : 'English'))
    leftOut.count(game, records.file, 'another language', language)
  else if (name === undefined) leave('another condition')
  else if (typeof cents === 'string') records.wrong(`${place}.TCG Market Price`, cents, shown(text))
  else {
    const product = priced.productOf(game, field('Set Name'), field('Number'), field('Product Name'))
    const card = priced.cardOf(product, printing)
    if (typeof card === 'string') leave(card)
    else {
      const sku = Number(field('TCGplayer Id')) || Number.NaN
      const isOnly = priced.set(card, conditionNames.indexOf(name), sku, cents === 0 ? unknownCents : cents)
      if (!isOnly) leave('two products of one card and condition')
    }
  }
}

export const tcgplayerPricing: Source = {
  catalog: null,
  takesMany: true,
  paths: 'FILE.csv…',
  adds: 'a seller’s pricing files: prices by condition for existing cards',
  games: gameSlugs,
  read: readPricing,
}
