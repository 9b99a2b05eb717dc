/** An operator's own prices, by card id: `id,key,price`. A price of 0 is one; a blank is none. */
import { basename } from 'node:path'
import * as v from 'valibot'
import { gameSlugs } from '../../../../src/games.ts'
import { centsOf } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { readCsv } from '../../read/csv.ts'
import { inputFile } from '../../read/open.ts'
import { FileRecords } from '../../read/records.ts'
import { gameOf } from '../../write/ids.ts'
import { priceKey } from '../keys.ts'
import { type Import, type LayerPrice, type Reading, readAtOnce, type Source } from '../source.ts'
import { dayOfTime } from '../values.ts'

const columns = ['id', 'key', 'price'] as const

const rowSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  key: priceKey,
  price: v.string(),
})

async function readOverlay({ options, errors, report }: Import): Promise<Reading> {
  const path = options.paths[0]!
  const file = inputFile(path, errors)
  if (file === undefined) errors.add(path, '', 'there is no such file')
  errors.check()
  const records = new FileRecords(path, null, errors, report)
  const prices = new Map<string, LayerPrice>()
  // All of them: also ids of no game, which are listed as no card's.
  const isAll = options.games.size === gameSlugs.length
  let places: readonly number[] = []
  const onHeader = (names: readonly string[]): boolean => {
    places = columns.map((column) => names.indexOf(column))
    const missing = columns.filter((_, i) => places[i] === -1)
    if (missing.length > 0) errors.add(path, 'line 1', `must have the column ${missing.join(' and ')}`)
    return missing.length === 0
  }
  await readCsv(file!, records, errors, onHeader, (fields, line) => {
    const [id, key, price] = places.map((place) => fields[place]!.trim())
    const row = records.check(rowSchema, { id, key, price }, `line ${line}`)
    if (row === undefined || row.price === '') return
    const cents = centsOf(row.price)
    const isTwice = prices.has(`${row.id} ${row.key}`)
    if (typeof cents === 'string') records.wrong(`line ${line}.price`, cents, shown(row.price))
    else if (isTwice) records.wrong(`line ${line}.key`, 'is there twice for its card', shown(row.key))
    else if (isAll || options.games.has(gameOf(row.id))) {
      prices.set(`${row.id} ${row.key}`, { id: row.id, key: row.key, cents })
    }
  })
  records.end()
  const day = options.date ?? dayOfTime(file!.mtimeMs)
  const label = basename(path).replace(/(\.csv)?(\.gz)?$/i, '') || basename(path)
  return { layer: { label, file: basename(path), day, byId: [...prices.values()], byName: [] }, date: day }
}

export const overlay: Source = {
  catalog: null,
  composes: true,
  pathsMin: 1,
  pathsMax: 1,
  paths: 'FILE.csv',
  adds: 'your own prices, id,key,price, laid over cards that are there',
  games: gameSlugs,
  start: readAtOnce(readOverlay),
}
