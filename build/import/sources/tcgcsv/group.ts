/** Reads the products and prices of a group from its two JSON files, or its CSV. */
import type { GameSlug } from '../../../../src/games.ts'
import { readCsv } from '../../read/csv-file.ts'
import { type ExpectedFields, FileRecords } from '../../read/file-records.ts'
import type { InputFile } from '../../read/open.ts'
import { rejectOtherColumns } from '../../read/other-fields.ts'
import type { Import } from '../source.ts'
import type { GroupFiles } from './mirror.ts'
import { type OnRecord, type PriceFields, type PriceRow, priceRowOf, readResults, reportTwice } from './results.ts'
import { type GroupRecords, type Product, productOf } from './tcgcsv-cards.ts'
import { priceFields, productSchema } from './tcgcsv-schemas.ts'

interface Group {
  readonly game: GameSlug
  readonly group: number
  readonly task: Import
  readonly fields: { readonly price: PriceFields; readonly product: ExpectedFields }
  /** This is called with each `modifiedOn`. */
  readonly modified: (text: string | null) => void
}

export async function readGroup(
  files: GroupFiles,
  { game, group, task, fields, modified }: Group,
): Promise<GroupRecords> {
  const products = new Map<number, Product>()
  const prices = new Map<number, PriceRow[]>()

  /**
   * Returns the id of a record's product; undefined if the record is wrong. Of several records with one id, the first
   * is taken.
   */
  const takeProduct: TakeProduct = (record, place, records) => {
    const found = records.check(productSchema, record, place)
    if (found === undefined) return undefined
    const { productId, groupId, modifiedOn } = found
    if (groupId !== null && groupId !== group) {
      records.wrong(`${place}.groupId`, `must be ${group}, its folder`, `${groupId}`)
      return undefined
    }
    if (products.has(productId)) return productId
    products.set(productId, productOf(found, place, task.options))
    modified(modifiedOn)
    return productId
  }

  const takePrice: OnRecord = (record, place, records) => {
    const row = priceRowOf(record, place, records, fields.price)
    if (row === undefined) return
    const rows = prices.get(row.productId)
    if (rows === undefined) prices.set(row.productId, [row])
    else if (rows.some(({ subType }) => subType === row.subType)) reportTwice(row, place, records)
    else rows.push(row)
  }

  if ('csv' in files) {
    const records = new FileRecords(files.csv.path, game, task)
    await readGroupCsv(files.csv, records, takeProduct, takePrice)
    return { products: [...products.values()], prices, productsFile: records.file, pricesFile: records.file }
  }
  await readResults(files.products, game, task, (record, place, records) => {
    fields.product.see(record, records.file)
    const id = takeProduct(record, place, records)
    if (id !== undefined && products.get(id)!.place !== place)
      records.wrong(`${place}.productId`, 'is there twice', `${id}`)
  })
  await readResults(files.prices, game, task, takePrice)
  const paths = { productsFile: files.products.path, pricesFile: files.prices.path }
  return { products: [...products.values()], prices, ...paths }
}

/** Returns the id of the product. */
type TakeProduct = (...record: Parameters<OnRecord>) => number | undefined

const csvColumns = ['productId', 'name', 'subTypeName', ...priceFields] as const

/**
 * Reads a CSV with one row for each price. The product's fields are repeated in each of its rows. A product without
 * prices has one row, in which the prices are blank.
 */
async function readGroupCsv(
  file: InputFile,
  records: FileRecords,
  takeProduct: TakeProduct,
  takePrice: OnRecord,
): Promise<void> {
  const onRow = (textOf: (column: string) => string, line: number): void => {
    const place = `line ${line}`
    const field = (column: string): string | null => (textOf(column).trim() === '' ? null : textOf(column))
    const printed = {
      productId: numeric(field('productId')),
      name: field('name') ?? '',
      imageUrl: field('imageUrl'),
      groupId: numeric(field('groupId')),
      modifiedOn: field('modifiedOn'),
      extendedData: ['Number', 'Rarity'].map((name) => ({ name, value: field(`ext${name}`) })),
    }
    const productId = takeProduct(printed, place, records)
    const subTypeName = field('subTypeName')
    const priced = priceFields.map((name) => [name, numeric(field(name))] as const)
    if (productId === undefined || (subTypeName === null && priced.every(([, price]) => price === null))) return
    takePrice({ productId, subTypeName: subTypeName ?? '', ...Object.fromEntries(priced) }, place, records)
  }
  /** Columns `ext…` are fields of the product. Any other column describes the price of the row's sub-type. */
  const onHeader = (columns: readonly string[]): void => {
    const own = columns.filter((column) => !column.startsWith('ext'))
    rejectOtherColumns(own, csvColumns, records)
  }
  await readCsv(file, records, { required: csvColumns, onHeader, onRow })
}

/** The text as a number. A text that is not a number is returned as it is, and the schema then rejects it. */
const numeric = (text: string | null): number | string | null =>
  text !== null && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text
