/**
 * Reads a list of cards, as a program exports it or a person writes it, into questions to `match`. It interprets no field: what
 * it can't tell, it leaves to `match` or leaves out.
 *
 *   text ─ header? ─ CSV, a record at a time ─┐
 *        └ lines ─ heading? ─ typed line ─────┴─► questions, the surest first
 */
import {
  type Condition,
  conditionOf,
  type Field,
  type Finish,
  finishOf,
  gameOf,
  type Header,
  headerOf,
} from './list-columns.ts'
import { type CsvRecord, recordsOf } from './list-csv.ts'
import { isHeading, readTypedLine } from './list-line.ts'
import type { MatchLine } from './types.ts'

/** The statements of a line that `match` does not compare. */
export interface Said {
  readonly scryfallId?: string | undefined
  readonly tcgplayerId?: string | undefined
  readonly set?: string | undefined
  readonly setCode?: string | undefined
  readonly language?: string | undefined
  readonly not?: Finish['not']
}

export interface ListLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /** Questions to `match`: if one finds nothing, the next is asked. None if the line can't be read. */
  readonly questions: readonly MatchLine[]
  /** It or the list's default names a condition, known or not: a price that is not of that condition is said to be none. */
  readonly namesCondition: boolean
  readonly condition: Condition | undefined
  /** As keys of `graded`: `psa_10`. */
  readonly grade: string | undefined
  /** A proxy or a want: it counts nothing. */
  readonly isExcluded: boolean
  readonly said: Said
  /** It was typed: the questions understand it differently, so an ambiguous answer may still be followed by an exact one. */
  readonly isTyped: boolean
}

/** A line as fields. */
export interface ListedCard extends MatchLine {
  readonly quantity?: number | undefined
  readonly condition?: string | null | undefined
  readonly language?: string | null | undefined
}

export interface ReadOptions {
  /** Of lines that name none. */
  readonly game?: string | undefined
  /** Of lines that name none: `near_mint`, `Lightly Played`, `LP`. */
  readonly condition?: string | undefined
  /** The fields of columns, by their names in the file, where the reader would take others. Null: the column changes no amount. */
  readonly columns?: Readonly<Record<string, Field | null>> | undefined
}

/** A column of a CSV with a header. */
export interface Column {
  readonly column: string
  /** Null if it changes no amount. */
  readonly field: Field | null
  /** False if the field is a guess from the values. */
  readonly sure: boolean
}

/** A column with its first three different values. */
export interface ReadColumn extends Column {
  readonly values: readonly string[]
}

export interface ReadList {
  readonly lines: readonly ListLine[]
  /** None without a header. */
  readonly columns: readonly ReadColumn[]
  /** Section headings that were passed over. */
  readonly headings: number
}

const textCharsMax = 200
/** Longer ones are no cards, and reading them would take long. */
const lineCharsMax = 300
const columnsMax = 200
const columnValuesMax = 3
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const cardId = /^(?:pokemon|pokemonjp|mtg|yugioh|lorcana|onepiece|swu|fab)-[a-z0-9._~-]+$/
const productId = /^[1-9]\d{0,14}$/
const quantityCell = /^[x×]?\s*(\d{1,6})(?:\.0+)?\s*[x×]?$/i
/** `4;Charizard;4/102;Base Set;Holo` */
const columnsWithoutHeader: readonly Field[] = ['quantity', 'name', 'number', 'set', 'printing']

/**
 * Reads a list in steps of a line each, between which a caller may pause. Yields how many lines it has read. Throws a
 * TypeError for a condition, a column or a field that it does not know.
 */
export function* readList(text: string, options: ReadOptions = {}): Generator<number, ReadList, undefined> {
  const defaults = { game: options.game, condition: conditionIn(options.condition) }
  const [, separator, rest] = /^\ufeff?(?:[ \t]*\r?\n)*(?:"?sep=(.)"?[ \t]*\r?\n)?(?:[ \t]*\r?\n)*([\s\S]*)$/i.exec(
    text,
  )!
  const firstLine = text.length - rest!.length === 0 ? 1 : text.slice(0, text.length - rest!.length).split('\n').length
  const table = tableIn(rest!, separator)
  const lines: ListLine[] = []
  if (table === undefined) {
    let headings = 0
    let isAbout = false
    for (const [i, row] of rest!.split('\n').entries()) {
      yield lines.length
      const typed = row.trim()
      if (typed === '') continue
      if ((typed.length <= lineCharsMax && isHeading(typed)) || (isAbout && /^name /i.test(typed))) headings++
      else lines.push(typedLine(typed, i + firstLine, defaults))
      isAbout = /^about$/i.test(typed)
    }
    return { lines, columns: [], headings }
  }
  const records = recordsOf(rest!, table.delimiter)
  const head = table.header === undefined ? [] : records.next().value!.cells
  const values = head.map(() => new Set<string>())
  for (const record of records) {
    yield lines.length
    for (const [i, cell] of record.cells.entries()) {
      if (cell !== '' && i < values.length && values[i]!.size < columnValuesMax) values[i]!.add(cell)
    }
    if (record.cells.some((cell) => cell !== '')) {
      lines.push(recordLine({ ...record, line: record.line + firstLine - 1 }, table.header, defaults))
    }
  }
  const columns = head.map((column, i) => ({
    column,
    field: table.header!.fields[i] ?? null,
    sure: true,
    values: [...values[i]!],
  }))
  return { lines, columns, headings: 0 }
}

/** The whole list at once. */
export function readAll(text: string, options: ReadOptions = {}): ReadList {
  const steps = readList(text, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

interface Defaults {
  readonly game: string | undefined
  readonly condition: Condition | undefined
}

/** Throws for a text that is no condition. */
function conditionIn(text: string | undefined): Condition | undefined {
  const condition = text === undefined || text === '' ? undefined : conditionOf(text)
  if (text !== undefined && text !== '' && condition === undefined) throw new TypeError(`${text} is not a condition`)
  return condition?.condition
}

interface Table {
  readonly delimiter: string
  readonly header: Header | undefined
}

/** Undefined for lines that are no table. A comma may stand in a name, so without a header it parts nothing. */
function tableIn(text: string, separator: string | undefined): Table | undefined {
  const [first = '', ...next] = text.split('\n', 4)
  if (first.length > columnsMax * textCharsMax) return undefined
  const delimiters = (separator === undefined ? ['\t', ';', ',', '|'] : [separator]).filter((one) =>
    first.includes(one),
  )
  let best: (Table & { readonly columns: number }) | undefined
  for (const delimiter of delimiters) {
    const { value: record } = recordsOf(first, delimiter).next()
    const header = record && record.cells.length <= columnsMax ? headerOf(record.cells) : undefined
    const columns = header?.fields.filter((field) => field !== undefined).length ?? 0
    if (header !== undefined && columns > (best?.columns ?? 0)) best = { delimiter, header, columns }
  }
  if (best !== undefined) return best
  // A column of ids alone.
  const header = delimiters.length === 0 ? headerOf([first.trim()]) : undefined
  if (header?.fields.some((field) => field === 'id' || field === 'scryfallId' || field === 'tcgplayerId') === true)
    return { delimiter: '\t', header }
  const isInAll = (one: string) => next.every((row) => row.trim() === '' || row.includes(one))
  const delimiter = delimiters.find((one) => (one === '\t' || one === ';') && isInAll(one)) ?? separator
  return delimiter === undefined ? undefined : { delimiter, header: undefined }
}

function recordLine({ line, text, cells }: CsvRecord, header: Header | undefined, defaults: Defaults): ListLine {
  const startsWithName = header === undefined && !quantityCell.test(cells[0]!)
  const fields = header?.fields ?? (startsWithName ? columnsWithoutHeader.slice(1) : columnsWithoutHeader)
  const of = (field: Field) => cells[fields.indexOf(field)] || undefined
  const names = cells.filter((cell, i) => cell !== '' && fields[i] === 'name')
  const condition = conditionOf(of('condition') ?? '')
  const printing = of('printing') ?? condition?.printing
  const finish =
    printing === undefined && fields.includes('foil') ? finishOf(of('foil') ?? '', true) : finishOf(printing ?? '')
  // TCGplayer's pricing file names a printing within the condition, or none for the usual one.
  const isUsual = header?.isPricing === true && printing === undefined
  const quantity = quantityCell.exec(of('quantity') ?? '1')
  const game = of('game')
  return lineOf(
    {
      id: of('id'),
      scryfallId: of('scryfallId'),
      tcgplayerId: of('tcgplayerId'),
      name: names[0],
      plainName: names[1],
      number: of('number'),
      set: of('set'),
      setCode: of('setCode'),
      game: game === undefined ? defaults.game : gameOf(game),
      printing: finish.printing,
      not: finish.not ?? (isUsual ? 'plain' : undefined),
      language: of('language') ?? condition?.language,
    },
    {
      line,
      text,
      quantity: quantity === null ? undefined : Number(quantity[1]),
      condition: condition?.condition ?? (of('condition') === undefined ? defaults.condition : undefined),
      namesCondition: (of('condition') ?? defaults.condition) !== undefined,
    },
  )
}

/** @param position of the first line */
export const linesOf = (cards: readonly ListedCard[], options: ReadOptions = {}, position = 1): ListLine[] => {
  const defaults = conditionIn(options.condition)
  return cards.map((card, i) => {
    const condition = card.condition ? conditionOf(card.condition)?.condition : defaults
    const { printing, not } = finishOf(card.printing ?? '')
    const said = [
      card.id,
      card.scryfallId,
      card.tcgplayerId,
      card.name,
      card.number,
      card.set,
      card.printing,
      card.rarity,
    ]
    const text = said.filter((part) => part != null && part !== '').join(' ')
    const texts = Object.fromEntries(
      Object.entries(card).map(([field, value]) => [field, value == null ? undefined : String(value)]),
    )
    return lineOf(
      { ...texts, game: texts['game'] ?? options.game, printing, not },
      {
        ...{ line: position + i, text, quantity: card.quantity ?? 1, condition },
        namesCondition: (card.condition || defaults) !== undefined,
      },
    )
  })
}

interface Fields extends Omit<Said, 'setCode'> {
  readonly id?: string | undefined
  readonly mtgjsonId?: string | undefined
  readonly name?: string | undefined
  readonly plainName?: string | undefined
  readonly number?: string | undefined
  readonly setCode?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  readonly rarity?: string | undefined
}

interface Place {
  readonly line: number
  readonly text: string
  /** Undefined if it is none. */
  readonly quantity: number | undefined
  readonly condition: Condition | undefined
  readonly namesCondition: boolean
}

/** Ids first; then the names with the set's code; then with its name. */
function lineOf(fields: Fields, { line, text, quantity, condition, namesCondition }: Place): ListLine {
  const { id, mtgjsonId, name, plainName, number, set, setCode, game, printing, rarity, not, language } = fields
  const scryfallId = fields.scryfallId !== undefined && uuid.test(fields.scryfallId) ? fields.scryfallId : undefined
  const tcgplayerId =
    fields.tcgplayerId !== undefined && productId.test(fields.tcgplayerId) ? fields.tcgplayerId : undefined
  const ids: MatchLine[] = [
    ...(id !== undefined && cardId.test(id) ? [{ id }] : []),
    ...(scryfallId === undefined ? [] : [{ scryfallId }]),
    ...(tcgplayerId === undefined ? [] : [{ tcgplayerId: Number(tcgplayerId) }]),
    ...(mtgjsonId !== undefined && uuid.test(mtgjsonId) ? [{ mtgjsonId }] : []),
  ].slice(0, 1)
  const names = [...new Set([name, plainName])].filter((one) => one !== undefined && one.trim() !== '')
  const sets = setCode !== undefined && set !== undefined ? [setCode, set] : [setCode ?? set]
  const named = names.flatMap((name) => sets.map((set) => ({ name, number, set, game, rarity })))
  const questions = [...ids, ...named].map((question) => given({ ...question, printing }))
  return {
    ...{ line, text, quantity: quantity ?? 1, condition, namesCondition, isTyped: false },
    ...{ grade: undefined, isExcluded: false },
    questions: quantity === undefined ? [] : questions.filter(fits),
    said: { scryfallId: scryfallId?.toLowerCase(), tcgplayerId, set, setCode, language, not },
  }
}

function typedLine(text: string, line: number, { game, condition }: Defaults): ListLine {
  const common = {
    ...{ line, text, condition, namesCondition: condition !== undefined },
    ...{ grade: undefined, isExcluded: false, isTyped: true },
  }
  if (text.length > lineCharsMax) {
    return { ...common, quantity: 1, questions: [], said: {} }
  }
  const { quantity, rest, wishes, not } = readTypedLine(text)
  const read = { ...common, quantity, said: { not } }
  const printing = wishes[0]?.printing
  if (cardId.test(rest)) return { ...read, questions: [given({ id: rest, printing })] }
  if (uuid.test(rest)) return { ...read, questions: [given({ scryfallId: rest, printing })] }
  return { ...read, questions: wishes.map((wish) => given({ ...wish, game })).filter(fits) }
}

const given = (question: MatchLine): MatchLine =>
  Object.fromEntries(Object.entries(question).filter(([, value]) => value != null && String(value).trim() !== ''))

/** The API rejects a request for a text that is longer, and for a line without name and id. */
const fits = (question: MatchLine): boolean =>
  Object.values(question).every((value) => typeof value !== 'string' || value.length <= textCharsMax) &&
  (['name', 'id', 'scryfallId', 'tcgplayerId', 'mtgjsonId'] as const).some((field) => question[field] !== undefined)
