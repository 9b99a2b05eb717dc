/**
 * Cardmarket's daily price guides, in euros. They have prices of products, which apply to the cards that have the
 * products' ids. A price of 0 is unknown.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import type { GameSlug } from '../../../src/games.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import type { GameRow } from '../../games/game-rows.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { centsOf } from '../../read/snapshot-schema.ts'
import { ExpectedFields, FileRecords } from '../read/file-records.ts'
import { readValues } from '../read/json.ts'
import { existingFile } from '../read/open.ts'
import { OtherFields } from '../read/other-fields.ts'
import type { ProductPrices } from '../source-catalog.ts'
import { dayOfText, dayOfTime, wholeNumber } from '../source-values.ts'
import { hasReverseHolofoils } from '../write/guide-prices.ts'
import { newestDay } from '../write/plausibility.ts'
import type { Import, Reading, Source } from './source.ts'

/**
 * For each guide, by its number, the games whose cards it has. Cardmarket has Japanese Pokémon cards among its products
 * of Pokémon.
 */
function guidesOf({ rows }: FolderGames): ReadonlyMap<string, readonly GameSlug[]> {
  const known = rows.flatMap(({ id, cardmarket }) => (cardmarket === undefined ? [] : [[`${cardmarket}`, id] as const]))
  const byNumber = Map.groupBy(known, ([number]) => number)
  return new Map([...byNumber].map(([number, games]) => [number, games.map(([, id]) => id)]))
}
const guideName = /^price_guide_(.*?)\.json(\.gz)?$/

/**
 * The endings of the fields with prices of a product's other finish. `-holo` means Reverse Holofoils in Pokémon's
 * guide; `-foil` means foils in all other guides.
 */
type Finish = '-holo' | '-foil'
const finishOf = (row: GameRow | undefined): Finish => (hasReverseHolofoils(row) ? '-holo' : '-foil')

const averages = ['trend', 'avg30', 'avg'] as const
const price = v.nullish(v.number('must be a number or null'), null)
const columnsOf = <Ending extends '' | Finish>(ending: Ending) =>
  [...averages, 'low' as const].map((name) => `${name}${ending}` as const)
const schemaOf = (finish: Finish) =>
  v.object({ idProduct: wholeNumber, ...v.entriesFromList([...columnsOf(''), ...columnsOf(finish)], price) })
const schemas = { '-holo': schemaOf('-holo'), '-foil': schemaOf('-foil') }
type Product = Readonly<Record<string, number | null>>
/** The fields of a guide that are not read, and are not in the schema. */
const unread = (finish: Finish): string[] => [
  'idCategory',
  ...['', finish].flatMap((end) => [`avg1${end}`, `avg7${end}`]),
]

async function readGuides(task: Import): Promise<Reading> {
  const { options, errors } = task
  const dir = options.paths[0]!
  const guides = guidesOf(task.folder)
  const isFolder = statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
  const names = isFolder ? readdirSync(dir).sort() : []
  const found = new Map<string, string>()
  for (const name of names) {
    const number = guideName.exec(name)?.[1]
    if (number === undefined) continue
    const path = join(dir, name)
    const known = found.get(number)
    if (!guides.has(number)) errors.add(path, '', 'is the guide of a game that is not imported')
    else if (known !== undefined) errors.add(path, '', `is there twice, also as ${basename(known)}`)
    else found.set(number, path)
  }
  if (found.size === 0 && errors.count === 0)
    errors.add(dir, '', 'must be a folder with price_guide_1.json or the like')
  errors.check()
  const byProduct: ProductPrices[] = []
  for (const [number, path] of found) {
    const games = guides.get(number)!.filter((game) => options.games.has(game))
    if (games.length > 0) byProduct.push(...(await readGuide(path, games, task)))
  }
  errors.check()
  const day = newestDay(byProduct)
  return {
    layer: { label: 'cardmarket', file: basename(dir), day, byId: [], cardmarketIds: [], byName: [], byProduct },
    date: day || null,
  }
}

async function readGuide(path: string, games: readonly GameSlug[], task: Import): Promise<ProductPrices[]> {
  const { options, errors } = task
  const file = existingFile(path, errors)
  const records = new FileRecords(path, games[0]!, task)
  const fields = new ExpectedFields(['trend'])
  const finish = finishOf(task.folder.row(games[0]!))
  const schema = schemas[finish]
  const others = new OtherFields([...Object.keys(schema.entries), ...unread(finish)])
  const products = new Map<number, Omit<ProductPrices, 'day'>>()
  let createdAt: string | null = null
  const complete = await readValues(file, 'priceGuides', errors, {
    onValue: (at, value) => {
      const place = `priceGuides[${at}]`
      records.count()
      fields.see(value, path)
      const product = records.check<Product & { readonly idProduct: number }>(schema, value, place)
      if (product === undefined) return
      others.see(value as object, place, records)
      const prices = pricesOf(product, finish, place, records)
      if (prices === undefined) return
      if (products.has(product.idProduct)) records.wrong(`${place}.idProduct`, 'is there twice', `${product.idProduct}`)
      else products.set(product.idProduct, { product: product.idProduct, games, ...prices })
    },
    onRootMember: (key, value) => {
      if (key === 'createdAt' && typeof value === 'string') createdAt = value
      if (key === 'version' && value !== 1) errors.add(path, 'version', 'must be 1', shown(value))
    },
  })
  records.end()
  fields.check('product of the file', 'priceGuides', errors)
  if (complete && products.size === 0 && errors.count === 0) errors.add(path, 'priceGuides', 'is missing or empty')
  const day = options.date ?? dayOfText(createdAt) ?? dayOfTime(file.mtimeMs)
  return [...products.values()].filter(isPriced).map((prices) => ({ ...prices, day }))
}

type Prices = Pick<ProductPrices, 'price' | 'low' | 'foilPrice' | 'foilLow'>

const isPriced = (prices: Prices): boolean =>
  [prices.price, prices.low, prices.foilPrice, prices.foilLow].some((cents) => cents !== null)

/** The prices of a product; undefined if one of them is wrong. */
function pricesOf(product: Product, finish: Finish, place: string, records: FileRecords): Prices | undefined {
  let isWrong = false
  /** The first known price among these fields. */
  const of = (ending: '' | Finish, ...names: readonly string[]): number | null => {
    const column = names.map((name) => name + ending).find((name) => product[name] !== null && product[name] !== 0)
    if (column === undefined) return null
    const cents = centsOf(product[column]!)
    if (typeof cents === 'number') return cents
    records.wrong(`${place}.${column}`, cents, shown(product[column]))
    isWrong = true
    return null
  }
  const prices = {
    price: of('', ...averages),
    low: of('', 'low'),
    foilPrice: of(finish, ...averages),
    foilLow: of(finish, 'low'),
  }
  return isWrong ? undefined : prices
}

export const cardmarket: Source = {
  catalog: null,
  paths: 'DIR',
  adds: 'price guides, price_guide_1.json …: prices in euros for cards with a cardmarketId',
  read: readGuides,
}
