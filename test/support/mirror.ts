/** Writes the files of a small mirror of TCGCSV, in the publisher's forms. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type MirrorGroup, type MirrorPrice, type MirrorProduct, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from './command.ts'

const modified = '2026-11-20T08:15:30.123'
/** The day in the mirror's own records. */
export const mirrorDay = '2026-11-20'

const extendedOf = ({ number, rarity, text }: MirrorProduct): [name: string, displayName: string, value: string][] => [
  ...(rarity === undefined ? [] : [['Rarity', 'Rarity', rarity] as [string, string, string]]),
  ...(number === undefined ? [] : [['Number', 'Card Number', number] as [string, string, string]]),
  ...(text === undefined ? [] : [['Card Text', 'Card Text', text] as [string, string, string]]),
]

const priceColumns = ['lowPrice', 'midPrice', 'highPrice', 'marketPrice', 'directLowPrice'] as const
const pricesOf = ({ low = null, mid = null, high = null, market = null }: MirrorPrice) => ({
  lowPrice: low,
  midPrice: mid,
  highPrice: high,
  marketPrice: market,
  directLowPrice: market === null ? null : Math.ceil(market),
})

const productOf = (product: MirrorProduct, { category, id }: MirrorGroup) => ({
  productId: product.id,
  name: product.name,
  cleanName: product.name.replace(/[^\w ]/g, ''),
  imageUrl: `https://tcgplayer-cdn.example/product/${product.id}_200w.jpg`,
  categoryId: category,
  groupId: id,
  url: `https://www.tcgplayer.example/product/${product.id}`,
  modifiedOn: modified,
  imageCount: 1,
})

const envelope = (results: readonly object[], counted: boolean): string =>
  JSON.stringify({ ...(counted ? { totalItems: results.length } : {}), success: true, errors: [], results })

export const productsJson = (group: MirrorGroup): string =>
  envelope(
    group.products.map((product) => ({
      ...productOf(product, group),
      presaleInfo: { isPresale: false, releasedOn: null, note: null },
      extendedData: extendedOf(product).map(([name, displayName, value]) => ({ name, displayName, value })),
    })),
    true,
  )

export const pricesJson = (group: MirrorGroup): string =>
  envelope(
    group.products.flatMap(({ id, prices = [] }) =>
      prices.map((row) => ({ productId: id, ...pricesOf(row), subTypeName: row.subType })),
    ),
    false,
  )

/**
 * Lines end with CRLF and LF in turn. The `ext` columns come before the prices in groups with an even id, else last.
 * They are those of the group's products, in the order of their first use.
 */
export function productsAndPricesCsv(group: MirrorGroup): string {
  const extended = [
    ...new Set(
      group.products.flatMap((product) => extendedOf(product).map(([name]) => `ext${name.replaceAll(' ', '')}`)),
    ),
  ]
  const columns = 'productId name cleanName imageUrl categoryId groupId url modifiedOn imageCount'.split(' ')
  const split = group.id % 2 === 0 ? extended.length : 0
  const header = [...columns, ...extended.slice(0, split), ...priceColumns, 'subTypeName', ...extended.slice(split)]
  const rows = group.products.flatMap((product) => {
    const own: Record<string, unknown> = productOf(product, group)
    for (const [name, , value] of extendedOf(product)) own[`ext${name.replaceAll(' ', '')}`] = value
    const prices: readonly (MirrorPrice | undefined)[] = product.prices?.length ? product.prices : [undefined]
    return prices.map(
      (row): Record<string, unknown> => ({ ...own, ...(row && { ...pricesOf(row), subTypeName: row.subType }) }),
    )
  })
  const field = (value: unknown): string => {
    const text = value === undefined || value === null ? '' : `${value}`
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lines = [header, ...rows.map((row) => header.map((column) => row[column]))]
  return lines.map((line, i) => `${line.map(field).join(',')}${i % 2 === 0 ? '\r\n' : '\n'}`).join('')
}

const categories = [
  [1, 'Magic', 'Magic: The Gathering'],
  [2, 'YuGiOh', 'YuGiOh'],
  [3, 'Pokemon', 'Pokemon'],
  [21, 'My Little Pony', 'My Little Pony'],
  [62, 'Flesh & Blood TCG', 'Flesh and Blood TCG'],
  [68, 'One Piece Card Game', 'One Piece Card Game'],
  [71, 'Lorcana TCG', 'Disney Lorcana'],
  [79, 'Star Wars Unlimited', 'Star Wars: Unlimited'],
  [85, 'Pokemon Japan', 'Pokemon Japan'],
] as const

/** The files of a mirror, by name. */
export function mirrorFiles(groups: readonly MirrorGroup[] = mirrorGroups): Map<string, string | Buffer> {
  const files = new Map<string, string | Buffer>()
  files.set(
    'categories',
    envelope(
      categories.map(([categoryId, name, displayName]) => ({ categoryId, name, displayName })),
      true,
    ),
  )
  for (const category of new Set(groups.map((group) => group.category))) {
    const own = groups.filter((group) => group.category === category)
    const records = own.map(({ id, name, abbreviation, published }) => ({
      groupId: id,
      name,
      abbreviation,
      isSupplemental: false,
      publishedOn: published,
      modifiedOn: modified,
      categoryId: category,
    }))
    const isPacked = category === 68
    files.set(
      `${category}/groups${isPacked ? '.json.gz' : ''}`,
      isPacked ? gzipSync(envelope(records, true)) : envelope(records, true),
    )
    for (const group of own) {
      const folder = `${category}/${group.id}`
      const { form = 'json' } = group
      if (form === 'csv') files.set(`${folder}/ProductsAndPrices.csv`, productsAndPricesCsv(group))
      else if (form === 'csv.gz') files.set(`${folder}/ProductsAndPrices.csv.gz`, gzipSync(productsAndPricesCsv(group)))
      else {
        const suffix = form === 'json' ? '' : form === '.json' ? '.json' : '.gz'
        const content = (text: string): string | Buffer => (form === 'json.gz' ? gzipSync(text) : text)
        files.set(`${folder}/products${suffix}`, content(productsJson(group)))
        files.set(`${folder}/prices${suffix}`, content(pricesJson(group)))
      }
    }
  }
  return files
}

/** Writes files into `folder`, by default a new one. */
export function writeFiles(files: ReadonlyMap<string, string | Buffer>, folder = temporaryFolder()): string {
  for (const [name, content] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return folder
}

export const writeMirror = (groups?: readonly MirrorGroup[]): string => writeFiles(mirrorFiles(groups))

/** The groups of a mirror, some of them changed. @param changes the change of each group, by the group's id */
export const withGroups = (
  changes: Readonly<Record<number, (group: MirrorGroup) => MirrorGroup>>,
  groups: readonly MirrorGroup[] = mirrorGroups,
): MirrorGroup[] => groups.map((group) => changes[group.id]?.(group) ?? group)

/** Removes a product from a group. @param id the product's id */
export const dropped =
  (id: number) =>
  (group: MirrorGroup): MirrorGroup => ({ ...group, products: group.products.filter((product) => product.id !== id) })

/** Changes a product of a group. @param id the product's id */
export const changed =
  (id: number, change: object) =>
  (group: MirrorGroup): MirrorGroup => ({
    ...group,
    products: group.products.map((product) => (product.id === id ? { ...product, ...change } : product)),
  })

export type Market = number | null

/** Groups of up to 40 cards each. `markets` has the market price of each card. */
export const groupsOf = (markets: readonly Market[], category = 3): MirrorGroup[] =>
  Array.from({ length: Math.ceil(markets.length / 40) }, (_, group) => ({
    category,
    id: 100 * category + group,
    name: `Group ${group}`,
    abbreviation: `G${group}`,
    published: '2020-01-01T00:00:00',
    products: markets.slice(40 * group, 40 * group + 40).map((market, i) => ({
      id: 10_000 * category + 40 * group + i,
      name: `Card ${i}`,
      number: `${i}`,
      rarity: 'Rare',
      prices: [{ subType: 'Normal', market, low: null, mid: null, high: null }],
    })),
  }))

/** The ten days before the mirror's own day. */
export const archiveDays = Array.from({ length: 10 }, (_, i) => `2026-11-${String(10 + i).padStart(2, '0')}`)
/** A group on an earlier day: each market price is a cent lower for each day. */
const older = (group: MirrorGroup, age: number): MirrorGroup => ({
  ...group,
  products: group.products.map((product) => ({
    ...product,
    prices: (product.prices ?? []).map((row) => ({
      subType: row.subType,
      market: row.market == null ? null : Math.max(Math.round(row.market * 100) - age, 0) / 100,
      low: row.low ?? null,
      high: row.high ?? null,
    })),
  })),
})

/**
 * Writes the files `YYYY-MM-DD/{category}/{group}/prices` of all days. A day's files end with `.gz`, with nothing, or
 * with `.json`.
 */
export function writeArchive(groups: readonly MirrorGroup[] = mirrorGroups): string {
  const files = new Map<string, string | Buffer>()
  archiveDays.forEach((day, i) => {
    for (const group of groups) {
      const text = pricesJson(older(group, archiveDays.length - i))
      const name = `${day}/${group.category}/${group.id}/prices`
      if (i % 3 === 0) files.set(`${name}.gz`, gzipSync(text))
      else files.set(i % 3 === 1 ? name : `${name}.json`, text)
    }
  })
  return writeFiles(files)
}
