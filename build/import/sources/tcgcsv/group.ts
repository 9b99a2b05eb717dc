/** Reads the products and prices of a group from its two JSON files, or its CSV. */
import type { GameSlug } from '../../../../src/games.ts'
import { shown } from '../../../read/problems.ts'
import { unknownCents } from '../../catalog.ts'
import { readCsv } from '../../read/csv.ts'
import type { InputFile } from '../../read/open.ts'
import { FileRecords } from '../../read/records.ts'
import type { OnPrice, PricesReader } from './prices.ts'
import { type Product, productOf, reportImage } from './products.ts'
import { readResults } from './results.ts'
import { priceFields, productSchema } from './shapes.ts'

/** Prices are cents, null if unknown. */
export interface PriceRow {
  readonly productId: number
  readonly subType: string
  readonly market: number | null
  readonly low: number | null
  readonly mid: number | null
  readonly high: number | null
}

export interface GroupRecords {
  readonly products: readonly Product[]
  readonly prices: ReadonlyMap<number, readonly PriceRow[]>
  readonly productsFile: string
  readonly pricesFile: string
}

interface GroupReading {
  readonly game: GameSlug
  readonly group: number
  readonly reader: PricesReader
  readonly imageBase: string | undefined
  /** Makes cards of sealed products. */
  readonly sealed: boolean
  /** Called with each `modifiedOn`. */
  readonly modified: (text: string | null) => void
}

export async function readJsonGroup(
  files: { readonly products: InputFile; readonly prices: InputFile },
  { game, group, reader, imageBase, sealed, modified }: GroupReading,
): Promise<GroupRecords> {
  const products = new Map<number, Product>()
  await readResults(files.products, game, reader, (record, place, records) => {
    reader.productFields.see(record, files.products.path)
    const found = records.check(productSchema, record, place)
    if (found === undefined) return
    const { productId, name, imageUrl, groupId, modifiedOn } = found
    if (groupId !== null && groupId !== group)
      records.wrong(`${place}.groupId`, `must be ${group}, its folder`, `${groupId}`)
    else if (products.has(productId)) records.wrong(`${place}.productId`, 'is there twice', `${productId}`)
    else {
      const extended = (key: string): string | null => {
        const value = found.extendedData.find((data) => data.name === key)?.value
        return value === undefined || value === null || `${value}`.trim() === '' ? null : `${value}`
      }
      const printed = { productId, name, imageUrl, number: extended('Number'), rarity: extended('Rarity') }
      const product = productOf(printed, place, { imageBase, sealed })
      reportImage(printed, product, game, records.file, reader.report)
      products.set(productId, product)
      modified(modifiedOn)
    }
  })
  const prices = new Map<number, PriceRow[]>()
  await reader.read(files.prices, game, collectInto(prices))
  const [productsFile, pricesFile] = [files.products.path, files.prices.path]
  return { products: [...products.values()], prices, productsFile, pricesFile }
}

function collectInto(prices: Map<number, PriceRow[]>): OnPrice {
  const known = (cents: number): number | null => (cents === unknownCents ? null : cents)
  return (productId, subType, market, low, mid, high, wrong) => {
    const row = { productId, subType, market: known(market), low: known(low), mid: known(mid), high: known(high) }
    const rows = prices.get(productId)
    if (rows === undefined) prices.set(productId, [row])
    else if (rows.some((other) => other.subType === subType)) {
      wrong('subTypeName', 'is there twice for its product', shown(subType))
    } else rows.push(row)
  }
}

const csvColumns = ['productId', 'name', 'subTypeName', ...priceFields] as const
const optionalColumns = ['imageUrl', 'groupId', 'modifiedOn', 'extNumber', 'extRarity'] as const

/** A row a price, with the product's fields repeated. A product without prices has one row with blank prices. */
export async function readCsvGroup(
  file: InputFile,
  { game, group, reader, imageBase, sealed, modified }: GroupReading,
): Promise<GroupRecords> {
  const { errors, report, fields } = reader
  const records = new FileRecords(file.path, game, errors, report)
  const products = new Map<number, Product>()
  const prices = new Map<number, PriceRow[]>()
  const onPrice = collectInto(prices)
  const onHeader = (columns: readonly string[]): void => {
    const twice = [...csvColumns, ...optionalColumns].find(
      (column) => columns.indexOf(column) !== columns.lastIndexOf(column),
    )
    if (twice !== undefined) errors.add(file.path, 'line 1', 'must have each column once', twice)
  }
  const onRow = (textOf: (column: string) => string, line: number): void => {
    const place = `line ${line}`
    const field = (column: string): string | null => (textOf(column).trim() === '' ? null : textOf(column))
    const product = records.check(
      productSchema,
      {
        productId: numeric(field('productId')),
        name: field('name') ?? '',
        imageUrl: field('imageUrl'),
        groupId: numeric(field('groupId')),
        modifiedOn: field('modifiedOn'),
      },
      place,
    )
    if (product === undefined) return
    if (product.groupId !== null && product.groupId !== group) {
      records.wrong(`${place}.groupId`, `must be ${group}, its folder`, `${product.groupId}`)
      return
    }
    const { productId, name, imageUrl, modifiedOn } = product
    if (!products.has(productId)) {
      const printed = { productId, name, imageUrl, number: field('extNumber'), rarity: field('extRarity') }
      const own = productOf(printed, place, { imageBase, sealed })
      reportImage(printed, own, game, file.path, report)
      products.set(productId, own)
      modified(modifiedOn)
    }
    const subTypeName = field('subTypeName')
    if (subTypeName === null && priceFields.every((name) => field(name) === null)) return
    const price = {
      productId,
      subTypeName: subTypeName ?? '',
      ...Object.fromEntries(priceFields.map((name) => [name, numeric(field(name))])),
    }
    fields.see(price, file.path)
    reader.take(price, place, records, onPrice)
  }
  await readCsv(file, records, errors, csvColumns, onRow, onHeader)
  records.end()
  return { products: [...products.values()], prices, productsFile: file.path, pricesFile: file.path }
}

/** A number if the text is one, else the text, which the schema rejects. */
const numeric = (text: string | null): number | string | null =>
  text !== null && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text
