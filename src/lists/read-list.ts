/**
 * Reads a list of cards, as a program exports it or a person writes it, into questions to `match`. The meanings of
 * columns, words and lines are in tables. Every text that may change an amount is read, or makes its column unsure, or
 * makes its line unreadable.
 *
 *   text ─ supported file form? ─ header? ─ CSV, a record at a time ─ columns settled ─┐
 *                               └ lines ─ heading? ─ typed line ───────────────────────┴─► questions, the surest first
 */
import type { Condition, Question } from './cards.ts'
import { printedNumber, uuid } from './column-values.ts'
import { type ColumnFields, type ReadColumn, rejectColumns } from './columns.ts'
import { behindSection, isHeading, passcode, passcodeHeading, tokenHeading } from './headings.ts'
import { idForm, onlyFirstGames } from './known-games.ts'
import type { KnownData } from './known-sets.ts'
import { isDek, listText } from './list-text.ts'
import { filled, fits, isVariantNumber, type ListLine, numbered, questionsOf, textCharsMax } from './match-questions.ts'
import { type OwnRow, ownCells, ownRow } from './own-csv.ts'
import { type CsvRecord, recordsOf, linesOf as textLinesOf } from './records.ts'
import { type Defaults, isSumRow, RecordReader, type Table, tableIn } from './table-lines.ts'
import { readTypedLine } from './typed-line.ts'
import { conditionOf, finishOf, gradeOf, isNoCollection } from './words.ts'

export { ListFormError } from './list-text.ts'

/** A line as fields, with the details that do not belong to the question. */
export interface ListedCard extends Question {
  readonly quantity?: number | undefined
  readonly condition?: string | null | undefined
  readonly grade?: string | null | undefined
  readonly language?: string | null | undefined
}

export interface ReadOptions {
  /** The game of lines that name none. */
  readonly game?: string | undefined
  /** The condition of lines that name none: `near_mint`, `Lightly Played`, `LP`. */
  readonly condition?: string | undefined
  /**
   * The fields of columns that the caller has settled, by the columns' names in the file. Null if a column changes no
   * amount.
   */
  readonly columns?: ColumnFields | undefined
  /** The sets and games of the data. Few lists need them: see `needsSets` and `needsGames`. */
  readonly known?: KnownData | undefined
}

export interface ReadList {
  readonly lines: readonly ListLine[]
  /** Empty if the list has no header. */
  readonly columns: readonly ReadColumn[]
  /** The number of lines that were skipped because they are no cards, such as headings of sections. */
  readonly headings: number
  /** True if a column's field may depend on the data's sets, which were not given: read the list again with them. */
  readonly needsSets: boolean
  /** The same for the data's games. */
  readonly needsGames: boolean
}

/** A list without lines. */
export const noList: ReadList = { lines: [], columns: [], headings: 0, needsSets: false, needsGames: false }

/** The most characters of a typed line. Longer lines are no cards, and would take long to read. */
const lineCharsMax = 300
/** The header is one of this many first lines with text. The lines above it are titles. */
const titlesMax = 4

/**
 * Reads a list. It yields after each line, so that a caller can pause. The yielded number is how many lines it has read
 * so far. For a CSV, the number begins anew several times, because all values must be known before a column is judged.
 * Throws a TypeError for an unknown condition, column or field, and a ListFormError for a text that is no list.
 */
export function* readList(text: string, options: ReadOptions = {}): Generator<number, ReadList, undefined> {
  const defaults = { game: options.game || undefined, condition: conditionIn(options.condition) }
  const list = yield* listText(text)
  const { separator, start, line } = yield* startOf(list)
  const rest = list.slice(start)
  for (const [titles, { text: names, start, line: at }] of firstLines(rest).entries()) {
    const table = tableIn(names, separator, options)
    // Below a title, a line with only one column is no header.
    if (table === undefined || (titles > 0 && table.header.claimed.length < 2)) continue
    const read = yield* readTable(rest.slice(start), line + at - 1, table, defaults)
    return { ...read, headings: read.headings + titles }
  }
  rejectColumns(options.columns)
  return yield* readLines(rest, line, separator, defaults)
}

/** Reads the whole list without a pause. */
export function readAll(text: string, options: ReadOptions = {}): ReadList {
  const steps = readList(text, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Returns the condition that a text names; undefined for a blank text. Throws a TypeError for any other text. */
function conditionIn(text: string | undefined): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const condition = conditionOf(text)?.condition
  if (condition === undefined) throw new TypeError(`${JSON.stringify(text)} is not a condition that has a price`)
  return condition
}

interface Start {
  readonly separator: string | undefined
  readonly start: number
  readonly line: number
}

/** Finds the list's first line, after blank lines and the line `sep=,` of spreadsheets. */
function* startOf(text: string): Generator<number, Start, undefined> {
  let separator: string | undefined
  for (const { line, text: row, start } of textLinesOf(text)) {
    yield 0
    const said = separator === undefined ? /^[ \t]*"?sep=(.)"?[ \t]*$/i.exec(row.slice(0, lineCharsMax)) : null
    if (said !== null) separator = said[1]
    else if (row.trim() !== '') return { separator, start, line }
  }
  return { separator, start: text.length, line: 1 }
}

/** Returns the first lines with text. One of them may be the header. */
function firstLines(text: string) {
  const lines: { readonly text: string; readonly start: number; readonly line: number }[] = []
  for (const row of textLinesOf(text)) {
    if (row.line > titlesMax * 2) break
    if (row.text.trim() !== '' && lines.push(row) === titlesMax) break
  }
  return lines
}

function* readTable(
  text: string,
  line: number,
  { delimiter, header, isOwn }: Table,
  defaults: Defaults,
): Generator<number, ReadList, undefined> {
  let headings = 0
  const records: CsvRecord[] = []
  const all = recordsOf(text, delimiter, line)
  all.next()
  for (const record of all) {
    yield records.length
    if (record.cells.every((cell) => cell === '')) continue
    if (header.isAgain(record.cells)) headings++
    else records.push(record)
  }
  // Drop sums below the rows: `Total,,12`.
  for (let last = records.at(-1); last !== undefined && isSumRow(header, last.cells); last = records.at(-1)) {
    records.pop()
    headings++
  }
  for (const [i, { cells }] of records.entries()) {
    header.add(cells)
    yield i + 1
  }
  header.settle()
  const reader = new RecordReader(header, defaults)
  const lines: ListLine[] = []
  for (const [i, record] of records.entries()) {
    const cells = isOwn ? ownCells(record.cells) : record.cells
    for (const one of reader.linesOf({ ...record, cells }, lines.length)) {
      lines.push(isOwn ? ownLine(one, ownRow(header.names, cells, one.quantity), defaults) : one)
    }
    yield i + 1
  }
  return { lines, columns: header.columns, headings, needsSets: header.needsSets, needsGames: header.needsGames }
}

/**
 * Corrects a line that was read from a row of our own CSV. A row with a card has the questions of its columns. A row
 * without a card has the questions of its columns, then those of the original line.
 */
function ownLine(line: ListLine, { isExcluded, hasCard, text, grade, former }: OwnRow, defaults: Defaults): ListLine {
  if (isExcluded) return { ...line, text, questions: [], isExcluded, former }
  if (hasCard) return { ...line, text, grade, besides: undefined, former }
  const typed = typedLine(text, line.line, false, defaults)
  const questions = [...line.questions, ...typed.questions]
  return { ...line, text, grade, questions, counted: line.questions.length + typed.counted, besides: undefined, former }
}

function* readLines(
  text: string,
  line: number,
  separator: string | undefined,
  defaults: Defaults,
): Generator<number, ReadList, undefined> {
  const lines: ListLine[] = []
  const reader = new RecordReader(undefined, defaults)
  const isXml = isDek(text)
  let headings = 0
  let isToken = false
  let isWanted = false
  let isPasscodes = false
  let passcodes: { readonly line: number; count: number } | undefined
  for (const { line: number, text: row } of textLinesOf(text, line)) {
    yield lines.length
    const typed = row.trim()
    if (typed === '') continue
    const isShort = typed.length <= lineCharsMax
    if (isShort && (isHeading(typed, lines.length === 0) || (isXml && /^<(?!Cards )/.test(typed)))) {
      headings++
      isToken = tokenHeading.test(typed)
      isWanted = isNoCollection(typed.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())
      isPasscodes = passcodeHeading.test(typed)
    } else if (isPasscodes && passcode.test(typed)) {
      passcodes ??= { line: number, count: 0 }
      passcodes.count++
    } else {
      const cells = isXml ? undefined : cellsIn(typed, number, separator)
      const read =
        cells === undefined ? [typedLine(typed, number, isToken, defaults)] : reader.linesOf(cells, lines.length)
      for (const one of read) lines.push(isWanted ? { ...one, questions: [], isExcluded: true } : one)
    }
  }
  if (passcodes !== undefined) lines.push(passcodesLine(passcodes.line, passcodes.count))
  return { ...noList, lines, headings }
}

/**
 * Divides a line of a list without a header into cells: `4;Charizard;4/102;Base Set;Holo`. Undefined if the line has no
 * cells. Commas do not divide it, because names contain them. A semicolon may also be punctuation after a name, so a
 * line with semicolons needs three cells, or two if the first is a count.
 */
function cellsIn(text: string, line: number, separator: string | undefined): CsvRecord | undefined {
  const delimiter = separator ?? ['\t', ';'].find((one) => text.includes(one))
  if (delimiter === undefined || text.length > lineCharsMax) return undefined
  const { value: record } = recordsOf(text, delimiter, line).next()
  if (record === undefined) return undefined
  const filledCells = record.cells.filter((cell) => cell !== '').length
  const isParted =
    delimiter !== ';' || /^[x×]?\d{1,6}[x×]?$/i.test(record.cells[0]!) ? filledCells > 1 : filledCells > 2
  return isParted || separator !== undefined ? record : undefined
}

const nothing: Omit<ListLine, 'line' | 'text' | 'quantity'> = {
  questions: [],
  counted: 0,
  namesCondition: false,
  condition: undefined,
  grade: undefined,
  isExcluded: false,
  said: {},
}

/** One line for all passcodes of a list, because no passcode can be looked up. */
const passcodesLine = (line: number, count: number): ListLine => ({
  ...nothing,
  line,
  text: `${count} passcodes of a .ydk file: no source of prices has them. Export the deck as text.`,
  quantity: count,
})

function typedLine(text: string, line: number, isToken: boolean, { game, condition }: Defaults): ListLine {
  if (text.length > lineCharsMax) return { ...nothing, line, text, quantity: 1 }
  // Brackets around a whole line, as in `[Griselbrand]`, have no meaning.
  const bare = behindSection(text)
    .replace(/[ ;]+$/, '')
    .replace(/^\[([^[\]]+)\]$/, '$1')
  const typed = readTypedLine(bare, isToken)
  const { readings, printing, not, language, grade, isProxy } = typed
  const rest = typed.rest.replace(/^\[([^[\]]+)\]$/, '$1')
  const quantity = readings[0]!.quantity
  const common = {
    ...nothing,
    line,
    text,
    quantity,
    condition: typed.condition ?? (typed.namesCondition ? undefined : condition),
    namesCondition: typed.namesCondition,
    grade,
    said: { not, language },
  }
  if (isProxy) return { ...common, isExcluded: true }
  // A UUID may be an id of Scryfall or of MTGJSON.
  const isId = idForm.test(rest)
  const ids: Question[] = (
    isId ? [{ id: rest }] : uuid.test(rest) ? [{ scryfallId: rest }, { mtgjsonId: rest }] : []
  ).map((id) => filled({ ...id, printing }))
  if (ids.length > 0 && (!isId || onlyFirstGames.hasCard(rest)))
    return { ...common, questions: ids, counted: ids.length }
  const fitting = readings
    .map((reading) => ({ ...reading, question: filled({ ...reading.wish, printing: reading.printing, game }) }))
    .filter(({ question }) => fits(question))
  // A text in the form of an id may be the id of a game that is not built in, or a name: `blue-eyes`.
  const counted = ids.length + fitting.filter((reading) => reading.quantity === quantity).length
  const questions = [...ids, ...fitting.map(({ question }) => question)]
  if (!printedNumber.test(rest)) return { ...common, questions, counted }
  const byNumber = [...ids, ...numbered(rest).map((question) => filled({ ...question, printing, game }))]
  const said = { ...common.said, isVariant: isVariantNumber(rest) }
  return { ...common, said, questions: byNumber, counted: byNumber.length }
}

/** Returns cards that are given as fields as lines of a list. @param position the number of the first line */
export function linesOf(cards: readonly ListedCard[], options: ReadOptions = {}, position = 1): ListLine[] {
  const defaults = conditionIn(options.condition)
  return cards.map((card, i) => {
    const texts: Readonly<Record<string, string | undefined>> = Object.fromEntries(
      Object.entries(card).map(([field, value]) => [field, value == null || value === '' ? undefined : String(value)]),
    )
    const shown = [
      'id',
      'scryfallId',
      'mtgjsonId',
      'tcgplayerId',
      'cardmarketId',
      'name',
      'number',
      'set',
      'printing',
      'rarity',
    ]
    const { printing, not } = finishOf(texts['printing'] ?? '')
    const { questions, said } = questionsOf({
      id: texts['id'],
      scryfallId: texts['scryfallId'],
      mtgjsonId: texts['mtgjsonId'],
      tcgplayerId: texts['tcgplayerId'],
      cardmarketId: texts['cardmarketId'],
      names: texts['name'] === undefined ? [] : [texts['name']],
      number: texts['number'],
      set: texts['set'],
      game: texts['game'] ?? options.game,
      printing,
      not,
      language: texts['language'],
      askedRarity: texts['rarity'],
    })
    return {
      ...nothing,
      line: position + i,
      text: shown
        .flatMap((field) => texts[field] ?? [])
        .join(' ')
        .slice(0, textCharsMax),
      quantity: card.quantity ?? 1,
      questions,
      counted: questions.length,
      condition: texts['condition'] === undefined ? defaults : conditionOf(texts['condition'])?.condition,
      namesCondition: texts['condition'] !== undefined,
      grade: gradeOf(texts['grade'] ?? ''),
      said,
    }
  })
}
