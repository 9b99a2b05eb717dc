/**
 * Reads a list of cards, as a program exports it or a person writes it, into questions to `match`. Tables say what
 * columns, words and lines mean. A statement that may change an amount is read, asked about, or counted as unread.
 *
 *   text ─ header? ─ CSV, a record at a time ─ columns settled ─┐
 *        └ lines ─ heading? ─ typed line ───────────────────────┴─► questions, the surest first
 */
import { type ColumnFields, ownId, type ReadColumn, rejectColumns, uuid } from './list-columns.ts'
import { type CsvRecord, recordsOf, linesOf as textLinesOf } from './list-csv.ts'
import { headings, passcode, passcodeHeading, tokenHeading } from './list-decks.ts'
import { readTypedLine } from './list-line.ts'
import { filled, fits, type ListLine, questionsOf, textCharsMax } from './list-questions.ts'
import { type Defaults, RecordReader, tableIn } from './list-table.ts'
import { type Condition, conditionOf, finishOf, gradeOf, isNoCollection } from './list-words.ts'
import type { MatchLine } from './types.ts'

export type { Column, ReadColumn } from './list-columns.ts'
export type { ListLine, Said } from './list-questions.ts'

/** A line as fields. */
export interface ListedCard extends MatchLine {
  readonly quantity?: number | undefined
  readonly condition?: string | null | undefined
  readonly grade?: string | null | undefined
  readonly language?: string | null | undefined
}

export interface ReadOptions {
  /** Of lines that name none. */
  readonly game?: string | undefined
  /** Of lines that name none: `near_mint`, `Lightly Played`, `LP`. */
  readonly condition?: string | undefined
  /**
   * The fields of columns, by their names in the file, where the reader would take others. Null: the column changes no
   * amount.
   */
  readonly columns?: ColumnFields | undefined
}

export interface ReadList {
  readonly lines: readonly ListLine[]
  /** None without a header. */
  readonly columns: readonly ReadColumn[]
  /** Section headings that were passed over. */
  readonly headings: number
}

/** Longer ones are no cards, and reading them would take long. */
const lineCharsMax = 300
/** The first lines, which show whether the text is a table. */
const linesShown = 4

/**
 * Reads a list in steps of a line each, between which a caller may pause. Yields how many lines of text it has read
 * so far; a CSV is read twice, since its columns are judged by all of its values. Throws a TypeError for a condition,
 * a column or a field that it does not know.
 */
export function* readList(text: string, options: ReadOptions = {}): Generator<number, ReadList, undefined> {
  const defaults = { game: options.game || undefined, condition: conditionIn(options.condition) }
  const { separator, start, line } = startOf(text)
  const rest = text.slice(start)
  const table = tableIn(firstLines(rest), separator, options.columns)
  if (table !== undefined) return yield* readTable(rest, line, table, defaults)
  rejectColumns(options.columns)
  return yield* readLines(rest, line, defaults)
}

/** The whole list at once. */
export function readAll(text: string, options: ReadOptions = {}): ReadList {
  const steps = readList(text, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Throws for a text that is no condition. */
function conditionIn(text: string | undefined): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const condition = conditionOf(text)?.condition
  if (condition === undefined) throw new TypeError(`${JSON.stringify(text)} is not a condition that has a price`)
  return condition
}

/** Where the list begins: behind a byte order mark, blank lines, and the line `sep=,` of spreadsheets. */
function startOf(text: string): {
  readonly separator: string | undefined
  readonly start: number
  readonly line: number
} {
  const mark = text.startsWith('\ufeff') ? 1 : 0
  let separator: string | undefined
  for (const { line, text: row, start } of textLinesOf(text.slice(mark))) {
    const said = separator === undefined ? /^[ \t]*"?sep=(.)"?[ \t]*$/i.exec(row) : null
    if (said !== null) separator = said[1]
    else if (row.trim() !== '') return { separator, start: mark + start, line }
  }
  return { separator, start: text.length, line: 1 }
}

function firstLines(text: string): string[] {
  const lines: string[] = []
  for (const { text: row } of textLinesOf(text)) {
    if (lines.push(row) === linesShown) break
  }
  return lines
}

function* readTable(
  text: string,
  line: number,
  { delimiter, header }: NonNullable<ReturnType<typeof tableIn>>,
  defaults: Defaults,
): Generator<number, ReadList, undefined> {
  const records: CsvRecord[] = []
  const all = recordsOf(text, delimiter, line)
  if (header !== undefined) all.next()
  for (const record of all) {
    header?.add(record.cells)
    if (record.cells.some((cell) => cell !== '')) records.push(record)
    yield records.length
  }
  header?.settle()
  const reader = new RecordReader(header, defaults)
  const lines: ListLine[] = []
  for (const [i, record] of records.entries()) {
    for (const one of reader.linesOf(record, lines.length)) lines.push(one)
    yield i + 1
  }
  return { lines, columns: header?.columns ?? [], headings: 0 }
}

function* readLines(text: string, line: number, defaults: Defaults): Generator<number, ReadList, undefined> {
  const lines: ListLine[] = []
  let headingCount = 0
  let isAbout = false
  let isToken = false
  let isWanted = false
  let isPasscodes = false
  let passcodes: { readonly line: number; count: number } | undefined
  for (const { line: number, text: row } of textLinesOf(text, line)) {
    yield lines.length
    const typed = row.trim()
    if (typed === '') continue
    if ((typed.length <= lineCharsMax && isHeading(typed)) || (isAbout && /^name /i.test(typed))) {
      headingCount++
      isToken = tokenHeading.test(typed)
      isWanted = isNoCollection(typed.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())
      isPasscodes = passcodeHeading.test(typed)
    } else if (isPasscodes && passcode.test(typed)) {
      passcodes ??= { line: number, count: 0 }
      passcodes.count++
    } else {
      const read = typedLine(typed, number, isToken, defaults)
      lines.push(isWanted ? { ...read, questions: [], isExcluded: true } : read)
    }
    isAbout = /^about$/i.test(typed)
  }
  if (passcodes !== undefined) lines.push(passcodesLine(passcodes.line, passcodes.count))
  return { lines, columns: [], headings: headingCount }
}

const isHeading = (text: string): boolean => headings.some(({ pattern }) => pattern.test(text))

const nothing: Omit<ListLine, 'line' | 'text' | 'quantity'> = {
  questions: [],
  counted: 0,
  namesCondition: false,
  condition: undefined,
  grade: undefined,
  isExcluded: false,
  said: {},
}

/** Said once, since none of them can be looked up. */
const passcodesLine = (line: number, count: number): ListLine => ({
  ...nothing,
  line,
  text: `${count} passcodes of a .ydk file: no source of prices has them. Export the deck as text.`,
  quantity: count,
})

function typedLine(text: string, line: number, isToken: boolean, { game, condition }: Defaults): ListLine {
  if (text.length > lineCharsMax) return { ...nothing, line, text, quantity: 1 }
  const typed = readTypedLine(text, isToken)
  const { readings, rest, printing, not, language, grade, isProxy } = typed
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
  // A UUID may be Scryfall's or MTGJSON's.
  const ids: MatchLine[] = ownId.test(rest)
    ? [{ id: rest }]
    : uuid.test(rest)
      ? [{ scryfallId: rest }, { mtgjsonId: rest }]
      : []
  if (ids.length > 0) return { ...common, questions: ids.map((id) => filled({ ...id, printing })), counted: ids.length }
  const fitting = readings
    .map((reading) => ({ ...reading, question: filled({ ...reading.wish, printing: reading.printing, game }) }))
    .filter(({ question }) => fits(question))
  const counted = fitting.filter((reading) => reading.quantity === quantity).length
  return { ...common, questions: fitting.map(({ question }) => question), counted }
}

/** @param position of the first line */
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
