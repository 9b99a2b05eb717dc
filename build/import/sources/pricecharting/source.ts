/**
 * PriceCharting's price guide: what graded cards fetch. Cards are named as people name them, `Pokemon Base Set`,
 * `Charizard #4`, and matched by game, set, number and name, all four. An unsold grade is blank or 0.
 */
import { basename } from 'node:path'
import { type GameSlug, gameSlugs } from '../../../../src/games.ts'
import { shown } from '../../../read/problems.ts'
import { readCsv } from '../../read/csv.ts'
import { inputFile } from '../../read/open.ts'
import { FileRecords } from '../../read/records.ts'
import { numberOf, plainText } from '../names.ts'
import { type Import, type NamedPrices, type Reading, readAtOnce, type Source } from '../source.ts'
import { dayOfTime } from '../values.ts'
import { Money } from './money.ts'

/** The grades by column; `loose-price` is of ungraded cards. Grades of any grader are `grade_…`. */
const grades: Readonly<Record<string, string>> = {
  'cib-price': 'grade_7',
  'new-price': 'grade_8',
  'graded-price': 'grade_9',
  'box-only-price': 'grade_9_5',
  'manual-only-price': 'psa_10',
  'bgs-10-price': 'bgs_10',
  'condition-17-price': 'cgc_10',
  'condition-18-price': 'sgc_10',
}

/** How the names of its consoles begin, longer ones first. */
const consoles: readonly (readonly [beginning: string, GameSlug])[] = [
  ['Pokemon Japanese ', 'pokemonjp'],
  ['Pokemon ', 'pokemon'],
  ['Magic ', 'mtg'],
  ['YuGiOh ', 'yugioh'],
  ['Lorcana ', 'lorcana'],
  ['Disney Lorcana ', 'lorcana'],
  ['One Piece ', 'onepiece'],
  ['Star Wars Unlimited ', 'swu'],
  ['Star Wars: Unlimited ', 'swu'],
  ['Flesh and Blood ', 'fab'],
  ['Flesh & Blood ', 'fab'],
]

const named = /^(.*\S)\s+#(\S+)$/

async function readGuide({ options, errors, report }: Import): Promise<Reading> {
  const path = options.paths[0]!
  const file = inputFile(path, errors)
  if (file === undefined) errors.add(path, '', 'there is no such file')
  errors.check()
  const records = new FileRecords(path, null, errors, report)
  const money = new Money(path, errors)
  const rows: NamedPrices[] = []
  let places = new Map<string, number>()
  const onHeader = (columns: readonly string[]): boolean => {
    places = new Map(columns.map((column, place) => [column, place]))
    const missing = ['console-name', 'product-name'].filter((column) => !places.has(column))
    if (missing.length > 0) errors.add(path, 'line 1', `must have the column ${missing.join(' and ')}`)
    else if (!Object.keys(grades).some((column) => places.has(column)))
      errors.add(path, 'line 1', `must have a column of a grade, as ${Object.keys(grades)[0]}`)
    return errors.count === 0
  }
  await readCsv(file!, records, errors, onHeader, (fields, line) => {
    const field = (column: string): string => (fields[places.get(column) ?? -1] ?? '').trim()
    const place = `line ${line}`
    const consoleName = plainText(field('console-name'))
    const product = plainText(field('product-name'))
    const prices: (readonly [string, number])[] = []
    for (const column of places.keys()) {
      if (!column.endsWith('-price')) continue
      const price = money.cents(field(column), `${place}.${column}`)
      if (typeof price === 'string') {
        records.wrong(`${place}.${column}`, price, shown(field(column)))
        return
      }
      const grade = grades[column]
      if (grade !== undefined && price !== null && price > 0) prices.push([grade, price])
    }
    if (consoleName === '' || product === '') {
      records.wrong(`${place}.${consoleName === '' ? 'console-name' : 'product-name'}`, 'must not be blank')
      return
    }
    const what = `${consoleName}: ${product}`
    const console = consoles.find(([beginning]) => consoleName.toLowerCase().startsWith(beginning.toLowerCase()))
    if (console === undefined) {
      report.leftOut(null, path, place, 'another game', what)
      return
    }
    const [beginning, game] = console
    if (!options.games.has(game)) return
    const match = named.exec(product)
    const number = match === null ? null : numberOf(match[2]!)
    if (match === null || number === null) report.leftOut(game, path, place, 'no number', what)
    else if (prices.length === 0) report.leftOut(game, path, place, 'no graded price', what)
    else rows.push({ game, setName: consoleName.slice(beginning.length), number, name: match[1]!, prices })
  })
  records.end()
  const day = options.date ?? dayOfTime(file!.mtimeMs)
  return { layer: { label: 'pricecharting', file: basename(path), day, byId: [], byName: rows }, date: day }
}

export const pricecharting: Source = {
  catalog: null,
  composes: true,
  pathsMin: 1,
  pathsMax: 1,
  paths: 'FILE.csv',
  adds: 'a price guide: graded prices, laid over cards that are there',
  games: gameSlugs,
  start: readAtOnce(readGuide),
}
