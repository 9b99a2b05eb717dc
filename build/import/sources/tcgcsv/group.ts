/** Reads the products and prices of a group from its two JSON files, or its CSV. */
import type { GameSlug } from '../../../../src/games.ts'
import { readCsv } from '../../read/csv-file.ts'
import { type ExpectedFields, FileRecords } from '../../read/file-records.ts'
import type { InputFile } from '../../read/open.ts'
import type { ImportOptions } from '../source.ts'
import type { GroupFiles } from './mirror.ts'
import { type PriceRow, type PricesReader, reportTwice } from './prices.ts'
import { type Product, productOf } from './products.ts'
import { readResults } from './results.ts'
import { priceFields, productSchema } from './tcgcsv-schemas.ts'

export interface GroupRecords {
  readonly products: readonly Product[]
  readonly prices: ReadonlyMap<number, readonly PriceRow[]>
  readonly productsFile: string
  readonly pricesFile: string
}

interface Group {
  readonly game: GameSlug
  readonly group: number
  readonly options: ImportOptions
  readonly prices: PricesReader
  readonly productFields: ExpectedFields
  /** Called with each `modifiedOn`. */
  readonly modified: (text: string | null) => void
}

export const readGroup = (files: GroupFiles, group: Group): Promise<GroupRecords> =>
  'csv' in files ? new GroupReader(group).csv(files.csv) : new GroupReader(group).json(files.products, files.prices)

const csvColumns = ['productId', 'name', 'subTypeName', ...priceFields] as const
const optionalColumns = ['imageUrl', 'groupId', 'modifiedOn', 'extNumber', 'extRarity'] as const

class GroupReader {
  readonly #group: Group
  readonly #products = new Map<number, Product>()
  readonly #prices = new Map<number, PriceRow[]>()

  constructor(group: Group) {
    this.#group = group
  }

  async json(productsFile: InputFile, pricesFile: InputFile): Promise<GroupRecords> {
    const { game, prices, productFields } = this.#group
    await readResults(productsFile, game, prices, (record, place, records) => {
      productFields.see(record, records.file)
      const id = this.#product(record, place, records)
      if (id !== undefined && this.#products.get(id)!.place !== place)
        records.wrong(`${place}.productId`, 'is there twice', `${id}`)
    })
    await prices.read(pricesFile, game, (...row) => this.#price(...row))
    return this.#records(productsFile, pricesFile)
  }

  /** A row a price, with the product's fields repeated. A product without prices has one row with blank prices. */
  async csv(file: InputFile): Promise<GroupRecords> {
    const { game, prices } = this.#group
    const { errors, report } = prices
    const records = new FileRecords(file.path, game, errors, report)
    const onHeader = (columns: readonly string[]): void => {
      const isTwice = (column: string) => columns.indexOf(column) !== columns.lastIndexOf(column)
      const twice = [...csvColumns, ...optionalColumns].find(isTwice)
      if (twice !== undefined) errors.add(file.path, 'line 1', 'must have each column once', twice)
    }
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
      const productId = this.#product(printed, place, records)
      const subTypeName = field('subTypeName')
      const priced = priceFields.map((name) => [name, numeric(field(name))] as const)
      if (productId === undefined || (subTypeName === null && priced.every(([, price]) => price === null))) return
      const price = { productId, subTypeName: subTypeName ?? '', ...Object.fromEntries(priced) }
      const row = prices.row(price, place, records)
      if (row !== undefined) this.#price(row, place, records)
    }
    await readCsv(file, records, errors, { required: csvColumns, onHeader, onRow })
    records.end()
    return this.#records(file, file)
  }

  /** The id of a record's product, which is taken if it is the first with the id; undefined if the record is wrong. */
  #product(record: unknown, place: string, records: FileRecords): number | undefined {
    const { game, group, options, prices, modified } = this.#group
    const found = records.check(productSchema, record, place)
    if (found === undefined) return undefined
    const { productId, imageUrl, groupId, modifiedOn } = found
    if (groupId !== null && groupId !== group) {
      records.wrong(`${place}.groupId`, `must be ${group}, its folder`, `${groupId}`)
      return undefined
    }
    if (this.#products.has(productId)) return productId
    const product = productOf(found, place, options)
    this.#products.set(productId, product)
    modified(modifiedOn)
    if (product.image === null && imageUrl !== null && product.leftOutAs === null) {
      const reason = 'is no http or https address, so the image is unknown'
      prices.report.doubtful(game, records.file, `${place}.imageUrl`, reason, imageUrl)
    }
    return productId
  }

  #price(row: PriceRow, place: string, records: FileRecords): void {
    const rows = this.#prices.get(row.productId)
    if (rows === undefined) this.#prices.set(row.productId, [row])
    else if (rows.some(({ subType }) => subType === row.subType)) reportTwice(row, place, records)
    else rows.push(row)
  }

  #records({ path: productsFile }: InputFile, { path: pricesFile }: InputFile): GroupRecords {
    return { products: [...this.#products.values()], prices: this.#prices, productsFile, pricesFile }
  }
}

/** A number if the text is one, else the text, which the schema rejects. */
const numeric = (text: string | null): number | string | null =>
  text !== null && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text
