/**
 * The pricing files that sellers at TCGplayer export: market prices by condition, with one row for each SKU. A row
 * identifies its card by game, set, number, name and printing together. A row that matches no card, or several, is left
 * out.
 */
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { conditions } from '../../../src/catalog/card-fields.ts'
import { table } from '../../../src/command/table.ts'
import type { GameSlug } from '../../../src/games.ts'
import { foldCase, foldName } from '../../../src/names/fold.ts'
import { identityOf } from '../../../src/names/identity.ts'
import { foldNumber, withoutNumber } from '../../../src/names/numbers.ts'
import { isPrintingOf } from '../../../src/names/printings.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import { tcgplayerNames } from '../../games/game-rows.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { centsOf } from '../../read/snapshot-schema.ts'
import { gameOf } from '../ids.ts'
import { readCsv } from '../read/csv-file.ts'
import { FileRecords } from '../read/file-records.ts'
import { existingFile } from '../read/open.ts'
import { type ComposedCard, type LayerPrice, unknownCents } from '../source-catalog.ts'
import { dayOfTime, normal, numberOf, plainText } from '../source-values.ts'
import { FurtherColumns } from './pricing-columns.ts'
import type { Import, Reading, Source } from './source.ts'

const columns = [
  'TCGplayer Id',
  'Product Line',
  'Set Name',
  'Product Name',
  'Number',
  'Condition',
  'TCG Market Price',
] as const

/** The game of each product line. A game has several names, since the names differ between files. */
function gamesByLineOf({ rows }: FolderGames): ReadonlyMap<string, GameSlug> {
  const games = new Map<string, GameSlug>()
  for (const row of rows) {
    // If two games share a name, it means the first game.
    for (const line of tcgplayerNames(row).map(foldName)) if (!games.has(line)) games.set(line, row.id)
  }
  return games
}

/** The names are in the order of `conditions`. */
export const conditionNames = ['Near Mint', 'Lightly Played', 'Moderately Played', 'Heavily Played', 'Damaged']
const conditionForm = new RegExp(`^(${conditionNames.join('|')})(?: (?!- )(.+?))?(?: - (.+))?$`)
const unopened = /^Unopened\b/
const price = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?$/

/** The cards with one set, number and name. They differ by printing, or are indistinguishable. */
type Product = readonly ComposedCard[]

class Products {
  readonly #products: ReadonlyMap<string, Product>
  /** The products found so far, by the fields as written in the file. About ten rows have the same fields. */
  readonly #byFields = new Map<string, Product>()

  constructor(cards: readonly ComposedCard[]) {
    this.#products = Map.groupBy(cards, ({ game, setName, number, name, printing }) => {
      const ending = ` [${printing}]`
      return keyOf(game, setName, number, name.endsWith(ending) ? name.slice(0, -ending.length) : name)
    })
  }

  /** The cards that a row's fields name. */
  find(game: GameSlug, setName: string, number: string, name: string): Product {
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
}

/**
 * Prices by card and condition, in columns, because a million rows may have as many prices. The prices are needed
 * longer than the products.
 */
class ConditionPrices {
  /** For each id, where the card's conditions start in the columns. */
  readonly #starts: ReadonlyMap<string, number>
  /** For each card and condition, its SKU in the files: 0 if no row has one, NaN if rows contradict each other. */
  readonly #skus: Float64Array
  readonly #cents: Int32Array

  constructor(cards: readonly ComposedCard[]) {
    this.#starts = new Map(cards.map(({ id }, i) => [id, i * conditions.length]))
    this.#skus = new Float64Array(cards.length * conditions.length)
    this.#cents = new Int32Array(this.#skus.length).fill(unknownCents)
  }

  /**
   * Sets a price. If the card's condition already has another SKU or another price, neither price is used, and the
   * reason is returned. Otherwise the result is undefined.
   * @param cents `unknownCents` if the price is blank
   */
  set(id: string, condition: number, sku: number, cents: number): string | undefined {
    const at = this.#starts.get(id)! + condition
    const isFirst = this.#skus[at] === 0
    const isSameSku = isFirst || this.#skus[at] === sku
    const isSame = isSameSku && (isFirst || this.#cents[at] === cents)
    this.#skus[at] = isSame ? sku : Number.NaN
    this.#cents[at] = isSame ? cents : unknownCents
    if (isSame) return undefined
    return isSameSku ? 'two prices of one card and condition' : 'two products of one card and condition'
  }

  known(): LayerPrice[] {
    const known: LayerPrice[] = []
    for (const [id, start] of this.#starts)
      for (const [i, key] of conditions.entries()) {
        const cents = this.#cents[start + i]!
        if (cents !== unknownCents) known.push({ id, key, cents })
      }
    return known
  }

  /** True if the files have no row for this price of an earlier import. */
  isSilentOn({ id, key }: LayerPrice): boolean {
    const start = this.#starts.get(id)
    return start === undefined || this.#skus[start + (conditions as readonly string[]).indexOf(key)] === 0
  }
}

/**
 * Returns a card of the product, or the reason why there is none.
 * @param printing empty if the row names no printing
 */
function cardOf(product: Product, printing: string): ComposedCard | string {
  if (product.length === 0) return 'no card of that game, set, number and name'
  const wanted = foldCase(printing || normal)
  const same = product.filter((card) => foldCase(card.printing ?? '') === wanted)
  const fits =
    same.length > 0 || printing === '' ? same : product.filter((card) => isPrintingOf(wanted, card.printing ?? normal))
  if (fits.length === 0) return printing === '' && product.length === 1 ? product[0]! : 'no such printing of the card'
  return fits.length === 1 ? fits[0]! : 'several cards of that game, set, number, name and printing'
}

function keyOf(game: GameSlug, setName: string, number: string | null, name: string): string {
  const { key, signs, markers } = identityOf(name)
  return [game, foldName(setName), foldNumber(number ?? ''), key, signs, ...markers].join('\n')
}

async function readPricing(task: Import): Promise<Reading> {
  const { options, errors, report, cards } = task
  // Rows are soon garbage. By default, V8 lets the heap grow by half before it collects the garbage.
  setFlagsFromString('--heap-growing-percent=10')
  const known = cards()
  if (known.length === 0)
    errors.add(options.out, '', 'has no cards yet, whose prices these would be: import a mirror first')
  errors.check()
  const prices = new ConditionPrices(known)
  const { rows, date } = await readRows(task, new Products(known), prices)
  const byId = prices.known()
  const withConditions = Map.groupBy(new Set(byId.map(({ id }) => id)), gameOf)
  const counts = task.folder.slugs
    .filter((game) => rows.has(game))
    .map((game) => [game, rows.get(game)!, withConditions.get(game)?.length ?? 0])
  const header = ['game', 'rows', 'cards with conditions']
  const lines = counts.map((cells) => cells.map((cell) => cell.toLocaleString('en')))
  report.notes.push(table([header, ...lines], [1, 2]))
  const file = options.paths.map((path) => basename(path)).join(', ')
  return {
    layer: { label: 'tcgplayer-pricing', file, day: date, byId, cardmarketIds: [], byName: [], byProduct: [] },
    keeps: (price) => prices.isSilentOn(price),
    date,
  }
}

/** Returns the number of rows of each game, and the newest day of the files. */
async function readRows(task: Import, products: Products, prices: ConditionPrices) {
  const { options, errors } = task
  const rows = new Map<GameSlug, number>()
  const gamesByLine = gamesByLineOf(task.folder)
  let date = ''
  for (const path of options.paths) {
    const file = existingFile(path, errors)
    const fileDay = options.date ?? dayOfTime(file.mtimeMs)
    if (fileDay > date) date = fileDay
    const records = new FileRecords(path, null, task)
    let further: FurtherColumns
    const onHeader = (header: readonly string[]): void => {
      further = new FurtherColumns(header, columns, records)
    }
    const onRow = (field: Field, line: number): void => {
      const productLine = field('Product Line').trim()
      const game = gamesByLine.get(foldName(productLine))
      if (game === undefined) records.leftOutOften('another game', productLine)
      else if (options.games.has(game)) {
        rows.set(game, (rows.get(game) ?? 0) + 1)
        takeRow(game, field, line, { products, prices, records, further, language: task.folder.row(game)!.language })
      }
    }
    await readCsv(file, records, { required: columns, onHeader, onRow })
  }
  return { rows, date }
}

type Field = (column: string) => string

interface Taking {
  readonly products: Products
  readonly prices: ConditionPrices
  readonly records: FileRecords
  readonly further: FurtherColumns
  /** The language of the game's cards. */
  readonly language: string
}

function takeRow(game: GameSlug, field: Field, line: number, taking: Taking): void {
  const { products, prices, records, further } = taking
  const { file, report } = records
  const place = `line ${line}`
  const condition = field('Condition').trim()
  const leave = (reason: string) => {
    const product = ['Set Name', 'Product Name', 'Number'].map(field).join(', ')
    report.leftOut({ game, file, place, reason, record: `${product}: ${condition}` })
  }
  /** Such rows are not listed one by one, since most rows of a seller's file may be in other languages. */
  const leaveOften = (reason: string, record: string) => report.leftOutOften({ game, file, reason, record })
  const [, name, printing = '', language] = conditionForm.exec(condition) ?? []
  const said = further.read(field, line, { printing, language })
  const text = field('TCG Market Price').trim()
  const [, whole, decimals = ''] = price.exec(text) ?? []
  const cents = text === '' ? 0 : centsOf(whole === undefined ? text : whole.replaceAll(',', '') + decimals)
  if (said === undefined) return
  if (unopened.test(condition)) leaveOften('sealed product', 'Unopened')
  else if (typeof said === 'string') leave(`${said} contradicts Condition or another column`)
  else if (said.language !== undefined && said.language !== taking.language)
    leaveOften('another language', said.language)
  else if (name === undefined) leave('another condition')
  else if (typeof cents === 'string') records.wrong(`${place}.TCG Market Price`, cents, shown(text))
  else {
    const product = products.find(game, field('Set Name'), field('Number'), field('Product Name'))
    const card = cardOf(product, said.printing)
    if (typeof card === 'string') leave(card)
    else {
      const sku = Number(field('TCGplayer Id')) || Number.NaN
      const reason = prices.set(card.id, conditionNames.indexOf(name), sku, cents === 0 ? unknownCents : cents)
      if (reason !== undefined) leave(reason)
    }
  }
}

export const tcgplayerPricing: Source = {
  catalog: null,
  takesMany: true,
  paths: 'FILE.csv…',
  adds: 'a seller’s pricing files: prices by condition for existing cards',
  read: readPricing,
}
