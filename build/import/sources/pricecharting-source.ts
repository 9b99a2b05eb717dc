/**
 * PriceCharting's price guide: prices of graded cards. The guide has no ids. A card such as `Pokemon Base Set`,
 * `Charizard [1st Edition] #4` is found by game, set, number and name together. Square brackets contain a printing or a
 * marker. The price of an unsold grade is blank or 0.
 */
import { basename } from 'node:path'
import type { GameSlug } from '../../../src/games.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import { shown } from '../../read/snapshot-problems.ts'
import { centsOf } from '../../read/snapshot-schema.ts'
import { readCsv } from '../read/csv-file.ts'
import { FileRecords } from '../read/file-records.ts'
import { existingFile } from '../read/open.ts'
import { rejectOtherColumns } from '../read/other-fields.ts'
import type { NamedPrices } from '../source-catalog.ts'
import { dayOfTime, numberOf, plainText } from '../source-values.ts'
import type { Import, Reading, Source } from './source.ts'

/**
 * The grade of each column. `grade_…` means a grade of any grader. The column `loose-price`, of ungraded cards, is not
 * imported.
 */
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

/** The beginnings of console names, longer beginnings first. */
const consolesOf = ({ rows }: FolderGames): readonly (readonly [beginning: string, GameSlug])[] =>
  rows
    .flatMap(({ id, pricecharting }) => (pricecharting?.consoles ?? []).map((name) => [`${name} `, id] as const))
    .sort(([a], [b]) => b.length - a.length)

const numbered = /^(.*\S)\s+#(\S+)$/
const numberedByPrint = /^(.*\S)\s+([^\s[\]()]+-[^\s[\]()]*\d[^\s[\]()]*)$/

async function readGuide(task: Import): Promise<Reading> {
  const { options, errors } = task
  const path = options.paths[0]!
  const file = existingFile(path, errors)
  const records = new FileRecords(path, null, task)
  const centsOfPrice = priceReader()
  const consoles = consolesOf(task.folder)
  const rows: NamedPrices[] = []
  let priceColumns: ReadonlySet<string> = new Set()
  const onHeader = (columns: readonly string[]): void => {
    priceColumns = new Set(columns.filter((column) => column.endsWith('-price')))
    if (!Object.keys(grades).some((column) => priceColumns.has(column)))
      errors.add(path, 'line 1', `must have a column of a grade, such as ${Object.keys(grades)[0]}`)
    rejectOtherColumns(columns, Object.keys(grades), records)
  }
  const onRow = (field: (column: string) => string, line: number): void => {
    const place = `line ${line}`
    const consoleName = plainText(field('console-name'))
    const product = plainText(field('product-name'))
    const prices: (readonly [string, number])[] = []
    for (const column of priceColumns) {
      const text = field(column).trim()
      const price = centsOfPrice(text)
      if (typeof price === 'string') {
        records.wrong(`${place}.${column}`, price, shown(text))
        return
      }
      const grade = grades[column]
      if (grade !== undefined && price) prices.push([grade, price])
    }
    if (consoleName === '' || product === '') {
      records.wrong(`${place}.${consoleName === '' ? 'console-name' : 'product-name'}`, 'must not be blank')
      return
    }
    const what = `${consoleName}: ${product}`
    const console = consoles.find(([beginning]) => consoleName.toLowerCase().startsWith(beginning.toLowerCase()))
    if (console === undefined) {
      records.leftOut(place, 'another game', what)
      return
    }
    const [beginning, game] = console
    if (!options.games.has(game)) return
    const match =
      numbered.exec(product) ??
      (task.folder.row(game)?.pricecharting?.hasPrintedNumbers ? numberedByPrint.exec(product) : null)
    const number = match === null ? null : numberOf(match[2]!)
    const leftOut = { game, file: path, place, record: what }
    if (match === null || number === null) task.report.leftOut({ ...leftOut, reason: 'no number' })
    else if (prices.length === 0) task.report.leftOut({ ...leftOut, reason: 'no graded price' })
    else rows.push({ game, setName: consoleName.slice(beginning.length), number, name: match[1]!, prices })
  }
  await readCsv(file, records, { required: ['console-name', 'product-name'], onHeader, onRow })
  const day = options.date ?? dayOfTime(file.mtimeMs)
  return {
    layer: {
      label: 'pricecharting',
      file: basename(path),
      day,
      byId: [],
      cardmarketIds: [],
      byName: rows,
      byProduct: [],
    },
    date: day,
  }
}

export const pricecharting: Source = {
  catalog: null,
  paths: 'FILE.csv',
  adds: 'a price guide: graded prices for existing cards',
  read: readGuide,
}

const dollars = /^\$(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?$/
const wholeCents = /^\d+$/

/**
 * Returns a function that parses the prices of one file. The first price decides the form of all: dollars with a `$`,
 * or whole cents, as from the API. The function returns cents, null for a blank, or a message about what is wrong.
 */
export function priceReader(): (text: string) => number | string | null {
  let isInDollars: boolean | undefined
  return (text) => {
    if (text === '') return null
    const match = dollars.exec(text)
    if (match === null && !wholeCents.test(text)) return 'must be dollars such as $1,234.56, or whole cents'
    isInDollars ??= match !== null
    if (isInDollars !== (match !== null))
      return `must be in ${isInDollars ? 'dollars' : 'cents'}, as the file's first price`
    return centsOf(match === null ? `${text}e-2` : `${match[1]!.replaceAll(',', '')}${match[2] ?? ''}`)
  }
}
