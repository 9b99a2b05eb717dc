/** Parses a list of cards as people and shops write it into lines for the API. It splits lines, but never interprets a field. */
import { parse } from 'csv-parse/sync'
import type { MatchLine } from '../../typescript/src/index.ts'

export interface StockLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /** Undefined where the line says neither an id nor a name. */
  readonly wanted: { readonly id: string } | (Omit<MatchLine, 'id'> & { readonly name: string }) | undefined
}

export interface StockList {
  readonly lines: readonly StockLine[]
  /** Columns of a CSV that nothing was read of. */
  readonly ignored: readonly string[]
}

type Field = 'quantity' | 'id' | 'name' | 'number' | 'set' | 'game' | 'printing'

/** The names of columns, folded, that exports of shops and collectors have; of two for a field the first here counts. */
const columnNames: Readonly<Record<Field, readonly string[]>> = {
  quantity: ['quantity', 'qty', 'count', 'copies', 'amount', 'stock', 'totalquantity'],
  id: ['id', 'cardid'],
  name: ['name', 'cardname', 'productname', 'card', 'product', 'title'],
  number: ['number', 'cardnumber', 'collectornumber', 'collector', 'no', 'nr'],
  set: ['set', 'setname', 'edition', 'expansion', 'setcode', 'editioncode', 'expansioncode'],
  game: ['game', 'productline'],
  printing: ['printing', 'finish'],
}

/** `4;Charizard;4/102;Base Set;Holo` */
const columnsWithoutHeader: readonly Field[] = ['quantity', 'name', 'number', 'set', 'printing']

const cardIdPattern = /^(?:pokemon|pokemonjp|mtg|yugioh|lorcana|onepiece|swu|fab)-[a-z0-9._~-]+$/
const quantityPattern = /^(\d{1,6})\s*[x×]?$/i
const printingAtEnd =
  /\s+((?:1st edition |reverse |unlimited )?(?:holo(?:foil)?|foil)|1st edition|etched|non-?foil|normal)$/i

const foldedName = (text: string): string => (text === '#' ? 'number' : text.toLowerCase().replace(/[^a-z]/g, ''))

/** @param game of lines that name none */
export function readStockList(text: string, game?: string): StockList {
  const rows = text.split(/\r?\n/)
  const first = rows.find((row) => row.trim() !== '') ?? ''
  const delimiter = ['\t', ';', ','].find((one) => first.includes(one))
  if (delimiter !== undefined) {
    const header = columnsOf(first.split(delimiter).map((cell) => cell.replaceAll('"', '').trim()))
    if (header.fields.includes('name') || header.fields.includes('id')) return readCsv(text, delimiter, header, game)
    // A comma may stand in a name, so without a header it parts nothing.
    if (delimiter !== ',') return readCsv(text, delimiter, undefined, game)
  }
  const lines = rows.flatMap((row, i) => (row.trim() === '' ? [] : [readLine(row.trim(), i + 1, game)]))
  return { lines, ignored: [] }
}

interface Header {
  /** By column. */
  readonly fields: readonly (Field | undefined)[]
  readonly ignored: readonly string[]
}

function columnsOf(names: readonly string[]): Header {
  const fields = new Array<Field | undefined>(names.length)
  for (const field of Object.keys(columnNames) as Field[]) {
    const column = columnNames[field]
      .map((known) =>
        names.findIndex((name, i) => name !== '' && fields[i] === undefined && foldedName(name) === known),
      )
      .find((found) => found !== -1)
    if (column !== undefined) fields[column] = field
  }
  return { fields, ignored: names.filter((_, i) => fields[i] === undefined) }
}

function readCsv(text: string, delimiter: string, header: Header | undefined, game: string | undefined): StockList {
  const records = recordsOf(text, delimiter)
  const lines = (header === undefined ? records : records.slice(1)).map(({ record, info }): StockLine => {
    const startsWithName = header === undefined && !quantityPattern.test(record[0]!)
    const fields = header?.fields ?? (startsWithName ? columnsWithoutHeader.slice(1) : columnsWithoutHeader)
    const of = (field: Field) => record[fields.indexOf(field)]?.trim() || undefined
    const quantity = quantityPattern.exec(of('quantity') ?? '1')
    const line = { line: info.lines, text: record.join(delimiter), quantity: Number(quantity?.[1] ?? 1) }
    if (quantity === null) return { ...line, wanted: undefined }
    return { ...line, wanted: wantedBy({ ...fieldsOf(of), game: of('game') ?? game }) }
  })
  return { lines, ignored: header?.ignored ?? [] }
}

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Where a quote is never closed, all quotes are letters. */
function recordsOf(text: string, delimiter: string): CsvRecord[] {
  const options = { delimiter, bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true }
  const read = (quotes: object) => parse(text, { ...options, ...quotes }) as unknown as CsvRecord[]
  try {
    return read({ relax_quotes: true })
  } catch {
    return read({ quote: false })
  }
}

const fieldsOf = (of: (field: Field) => string | undefined) => ({
  id: of('id'),
  name: of('name'),
  number: of('number'),
  set: of('set'),
  printing: of('printing'),
})

export interface Wish {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly number?: string | undefined
  readonly set?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  readonly rarity?: string | undefined
}

/** An id counts before a name, if it is one of the API's. */
export function wantedBy({ id, name, ...others }: Wish): StockLine['wanted'] {
  if (id !== undefined && cardIdPattern.test(id)) return { id }
  if (name === undefined || name.trim() === '') return undefined
  const given = Object.entries(others).filter(([, value]) => value !== undefined && value.trim() !== '')
  return { name, ...Object.fromEntries(given) }
}

/** `4 Charizard 4/102 Base Set`, `4x Lightning Bolt (2X2) 117`, `2 pokemon-base1-004`, `Charizard`. */
function readLine(text: string, line: number, game: string | undefined): StockLine {
  const [, count, rest] = /^(?:(\d{1,6})\s*[x×]?\s+)?(.+)$/i.exec(text)!
  const quantity = Number(count ?? 1)
  if (cardIdPattern.test(rest!)) return { line, text, quantity, wanted: { id: rest! } }
  return { line, text, quantity, wanted: wantedBy({ ...partsOf(rest!), game }) }
}

function partsOf(text: string): Wish {
  const deck = /^(.+?)\s+\(([A-Z0-9-]{2,8})\)\s+(\S+)(?:\s+\*([FE])\*)?$/.exec(text)
  if (deck !== null) {
    const [, name, set, number, finish] = deck
    return { name, set, number, printing: finish === undefined ? undefined : finish === 'F' ? 'Foil' : 'Etched' }
  }
  const words = text.split(/\s+/)
  const at = numberAt(words)
  if (at === -1) return { name: text }
  const behind = ` ${words.slice(at + 1).join(' ')}`
  const printing = printingAtEnd.exec(behind)
  return {
    name: withoutSeparators(words.slice(0, at).join(' ')),
    number: words[at]!.replace(/^#|[,;]$/g, ''),
    set: withoutSeparators(printing === null ? behind : behind.slice(0, printing.index)) || undefined,
    printing: printing?.[1],
  }
}

/** Words that can't be part of a name: `4/102`, `SV001/SV122`, `#4`, `OP01-001`, `LOB-EN001`; else `25` or `SV25`. */
const numberPatterns = [
  /^#?[A-Z]{0,6}\d+[a-z]?\/\S+$|^#\S+$|^[A-Z0-9]{1,5}-[A-Z]{0,4}\d{1,4}(?:[a-z]|_\w+)?[,;]?$/i,
  /^(?:[A-Z]{1,6})?\d{1,4}[a-z]?[,;]?$/,
]

/** -1 if no word behind the first is a number. */
function numberAt(words: readonly string[]): number {
  for (const pattern of numberPatterns) {
    const at = words.findIndex((word, i) => i > 0 && pattern.test(word))
    if (at !== -1) return at
  }
  return -1
}

const withoutSeparators = (text: string): string => text.replace(/^[\s,;:|–-]+|[\s,;:|–-]+$/g, '')
