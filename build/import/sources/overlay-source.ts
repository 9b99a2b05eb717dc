/** An operator's own prices, by card id: `id,key,price`. A blank price is unknown. 0 is a price. */
import { basename } from 'node:path'
import * as v from 'valibot'
import { conditions } from '../../../src/catalog/card-fields.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { centsOf, currencyCode, grade, marketName } from '../../read/snapshot-schema.ts'
import { gameOf } from '../ids.ts'
import { readCsv } from '../read/csv-file.ts'
import { FileRecords } from '../read/file-records.ts'
import { existingFile } from '../read/open.ts'
import { rejectOtherColumns } from '../read/other-fields.ts'
import { type CardmarketProduct, cardmarketKey, type LayerPrice, sourceLabels } from '../source-catalog.ts'
import { dayOfTime } from '../source-values.ts'
import { marketOfKey } from '../write/markets.ts'
import type { Import, Reading, Source } from './source.ts'

const named: readonly string[] = ['market', 'low', 'mid', 'high', cardmarketKey, ...conditions]

const priceKey = v.pipe(
  v.string(),
  v.check(
    (key) => named.includes(key) || v.is(grade, key) || isMarket(key),
    'must be market, low, mid, high, a condition (near_mint), a grader and a grade (psa_10), cardmarketId, or market:NAME:CURRENCY',
  ),
)

function isMarket(key: string): boolean {
  const named = marketOfKey(key)
  return named !== undefined && v.is(marketName, named.market) && v.is(currencyCode, named.currency)
}

const rowSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  key: priceKey,
  price: v.string(),
})

/** The name is shown in `sources` of cards, and is a part of a file's name. */
const layerName = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u
const sourceNames: readonly string[] = [
  'pricecharting',
  'cardmarket',
  'tcgplayer-pricing',
  ...Object.values(sourceLabels),
]

/** The message for a wrong name of a layer; undefined if the name is right. */
export function wrongLayerName(name: string): string | undefined {
  if (sourceNames.includes(name)) return 'must not be the name of a source'
  return layerName.test(name) ? undefined : 'must be 1 to 40 letters, digits, spaces, dots, hyphens or underscores'
}

async function readOverlay(task: Import): Promise<Reading> {
  const { options, errors } = task
  if (options.remove !== undefined) return { removes: options.remove, date: null }
  const path = options.paths[0]!
  const file = existingFile(path, errors)
  const records = new FileRecords(path, null, task)
  const prices = new Map<string, LayerPrice>()
  const cardmarketIds = new Map<string, CardmarketProduct>()
  // If all games are imported, rows of unknown games stay in the layer, so that the report lists them.
  const isAll = options.games.size === task.folder.slugs.length
  const onRow = (field: (column: string) => string, line: number): void => {
    const given = { id: field('id').trim(), key: field('key').trim(), price: field('price').trim() }
    const row = records.check(rowSchema, given, `line ${line}`)
    if (row === undefined || row.price === '') return
    const { id, key } = row
    const isId = key === cardmarketKey
    const value = isId ? idOf(row.price) : centsOf(row.price)
    const isDuplicate = isId ? cardmarketIds.has(id) : prices.has(`${id} ${key}`)
    if (typeof value === 'string') records.wrong(`line ${line}.price`, value, shown(row.price))
    else if (isDuplicate) records.wrong(`line ${line}.key`, 'is there twice for its card', shown(key))
    else if (!isAll && !options.games.has(gameOf(id))) return
    else if (isId) cardmarketIds.set(id, { id, cardmarketId: value })
    else prices.set(`${id} ${key}`, { id, key, cents: value })
  }
  const required = Object.keys(rowSchema.entries)
  const onHeader = (columns: readonly string[]): void => rejectOtherColumns(columns, required, records)
  await readCsv(file, records, { required, onHeader, onRow })
  const day = options.date ?? dayOfTime(file.mtimeMs)
  const name = basename(path)
  const label = options.as ?? (name.replace(/(\.csv)?(\.gz)?$/i, '').trim() || name.trim())
  if (sourceNames.includes(label)) errors.add(path, '', 'has the name of a source: name its layer with --as')
  const byId = { byId: [...prices.values()], cardmarketIds: [...cardmarketIds.values()] }
  return { layer: { label, file: basename(path), day, ...byId, byName: [], byProduct: [] }, date: day }
}

const idOf = (text: string): number | string =>
  /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 'must be a whole number above 0'

export const overlay: Source = {
  catalog: null,
  paths: 'FILE.csv',
  adds: 'your own prices for existing cards: id,key,price, also with ; or tabs',
  read: readOverlay,
}
