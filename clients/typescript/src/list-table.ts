/** Reads the records of a CSV: which columns it has, and each record's lines. */
import { type ColumnFields, claimedBy, Header, quantityOf } from './list-columns.ts'
import { type CsvRecord, recordsOf } from './list-csv.ts'
import { type Field, folded } from './list-fields.ts'
import { type ListLine, questionsOf, textCharsMax } from './list-questions.ts'
import {
  type Condition,
  conditionOf,
  type Finish,
  finishOf,
  gameOf,
  gradeOf,
  isFinish,
  isLanguage,
  isNoCollection,
  isProxy,
  isYes,
  namedGradeOf,
} from './list-words.ts'

/** Of lines that name none. */
export interface Defaults {
  readonly game: string | undefined
  readonly condition: Condition | undefined
}

export interface Table {
  readonly delimiter: string
  /** Undefined without a header. */
  readonly header: Header | undefined
}

const columnsMax = 200
/** Names of rows that are equal otherwise: faces are two. */
const namedMax = 4
const identifying: readonly Field[] = ['id', 'scryfallId', 'mtgjsonId', 'tcgplayerId', 'cardmarketId', 'name']
/** `4;Charizard;4/102;Base Set;Holo` */
const columnsWithoutHeader: readonly Field[] = ['quantity', 'name', 'number', 'set', 'printing']

/**
 * Undefined for lines that are no table. A comma may stand in a name, so without a header it parts nothing. @param
 * lines the first ones
 */
export function tableIn(
  lines: readonly string[],
  separator: string | undefined,
  given: ColumnFields | undefined,
): Table | undefined {
  const [first = '', ...next] = lines
  if (first.length > columnsMax * textCharsMax) return undefined
  const delimiters = (separator === undefined ? ['\t', ';', ',', '|'] : [separator]).filter((one) =>
    first.includes(one),
  )
  let best: { readonly delimiter: string; readonly names: readonly string[]; readonly known: number } | undefined
  for (const delimiter of [...delimiters, ...(delimiters.length === 0 ? ['\t'] : [])]) {
    const { value: record } = recordsOf(first, delimiter).next()
    const names = record && record.cells.length <= columnsMax ? record.cells : []
    const known = knownColumnsIn(names)
    if (known > (best?.known ?? 0)) best = { delimiter, names, known }
  }
  if (best !== undefined) return { delimiter: best.delimiter, header: new Header(best.names, given) }
  const isInAll = (one: string) => next.every((row) => row.trim() === '' || row.includes(one))
  const delimiter = delimiters.find((one) => (one === '\t' || one === ';') && isInAll(one)) ?? separator
  return delimiter === undefined ? undefined : { delimiter, header: undefined }
}

/** 0 if the names are no header: a header names a card, or its set and its number. */
function knownColumnsIn(names: readonly string[]): number {
  const fields = claimedBy(names).flatMap((meaning) => meaning?.field ?? [])
  const isHeader =
    fields.some((field) => identifying.includes(field)) || (fields.includes('number') && fields.length > 2)
  // A line of one word is a name, unless the word is that of such a column.
  const isWord = names.length > 1 || !['name', 'title', 'article', 'product', 'carta'].includes(folded(names[0] ?? ''))
  return isHeader && isWord ? fields.length : 0
}

/** A record's filled cells by field. */
type Cells = (field: Field) => readonly string[]

interface Copies {
  readonly quantity: number
  /** Undefined for copies that are foils only if the row says so. */
  readonly foil?: string
}

/** Words that a finish may stand behind: `1st Edition Holofoil`. */
const edition = /^(?:1st|first|unlimited|limited)\b/i

/** Reads records when all are counted. */
export class RecordReader {
  readonly #header: Header | undefined
  readonly #defaults: Defaults
  readonly #isCardmarket: boolean
  readonly #isOfSeller: boolean
  /** Columns by field. */
  readonly #columns = new Map<Field, number[]>()
  /** Whether the name of a binder says that its cards are none of a collection. */
  readonly #places = new Map<string, boolean>()
  /** By all that a row says besides its name: the first row of each name. */
  readonly #named = new Map<string, { readonly name: string; readonly index: number }[]>()

  constructor(header: Header | undefined, defaults: Defaults) {
    this.#header = header
    this.#defaults = defaults
    this.#isCardmarket = header?.isCardmarket === true
    this.#isOfSeller = header?.isOfSeller === true
    for (const [i, meaning] of header?.meanings.entries() ?? []) {
      if (meaning === undefined) continue
      const columns = this.#columns.get(meaning.field)
      if (columns === undefined) this.#columns.set(meaning.field, [i])
      else columns.push(i)
    }
  }

  /** The lines of a record: one for each of its counts. @param index of the next line */
  linesOf({ line, text, cells }: CsvRecord, index: number): ListLine[] {
    const all: Cells = this.#header === undefined ? cellsWithoutHeader(cells) : (field) => this.#cellsOf(cells, field)
    const first = (field: Field) => all(field)[0]
    const isExcluded = this.#isExcluded(text, cells)
    const copies = this.#header === undefined ? plainCopies(all) : this.#copiesIn(cells)
    const grades = all('grade').filter((cell) => gradeOf(cell) !== undefined)
    // A column of grades may have conditions.
    const conditionText = first('condition') ?? grades.find((cell) => conditionOf(cell) !== undefined)
    const condition = conditionOf(conditionText ?? '', this.#isCardmarket)
    const grade =
      namedGradeOf(conditionText ?? '') ??
      (grades.length > 0 && conditionText !== grades[0] ? gradeOf(grades.join(' ')) : undefined)
    const game = first('game')
    const finish = this.#finishIn(all, cells, condition?.printing)
    const names = all('name').map((name, i) => (i === 0 ? name + finish.marker : name))
    const lines = (copies ?? [{ quantity: 1 }]).map(({ quantity, foil }): ListLine => {
      const isPlain = foil === undefined
      const { questions, said } = questionsOf({
        id: first('id'),
        scryfallId: first('scryfallId'),
        mtgjsonId: first('mtgjsonId'),
        tcgplayerId: first('tcgplayerId'),
        cardmarketId: first('cardmarketId'),
        names,
        number: first('number'),
        set: first('set'),
        setCode: first('setCode'),
        game: game === undefined ? this.#defaults.game : gameOf(game),
        printing: isPlain ? finish.printing : (finish.printing ?? foil),
        not: isPlain ? finish.not : undefined,
        language: first('language') ?? condition?.language,
        rarity: first('rarity'),
      })
      return {
        line,
        text,
        quantity,
        questions: copies === undefined || isExcluded ? [] : questions,
        counted: questions.length,
        condition: condition?.condition ?? (conditionText === undefined ? this.#defaults.condition : undefined),
        namesCondition: conditionText !== undefined,
        grade,
        isExcluded,
        said,
      }
    })
    return this.#besides(lines, all, index)
  }

  /** In the order of the columns, but the company of a grade before the grade. */
  #cellsOf(cells: readonly string[], field: Field): string[] {
    const columns = this.#columns.get(field) ?? []
    const filled: string[] = []
    for (const column of columns) {
      const cell = cells[column]
      if (cell !== undefined && cell !== '') filled.push(cell)
    }
    return field === 'grade' && filled.length > 1 && /^\d/.test(filled[0]!) ? filled.reverse() : filled
  }

  /** Undefined if a count is no number, or there is none. */
  #copiesIn(cells: readonly string[]): Copies[] | undefined {
    const { meanings } = this.#header!
    const quantities = this.#columns.get('quantity') ?? []
    const foils = this.#columns.get('foilQuantity') ?? []
    const totals = this.#columns.get('totalQuantity') ?? []
    const counted = quantities.filter((column) => meanings[column]!.times === undefined)
    if (counted.length + foils.length + totals.length === 0) return [{ quantity: 1 }]
    const filled = [...counted, ...foils, ...totals].filter((column) => (cells[column] ?? '') !== '')
    const counts = new Map(filled.map((column) => [column, quantityOf(cells[column]!)]))
    if (filled.length === 0 && counted.length === 1 && foils.length + totals.length === 0) return undefined
    if ([...counts.values()].includes(undefined)) return undefined
    const sumOf = (columns: readonly number[]) => columns.reduce((sum, column) => sum + (counts.get(column) ?? 0), 0)
    let times = 1
    for (const column of quantities) {
      const flag = meanings[column]!.times
      if (flag !== undefined && isYes(cells[column] ?? '')) times *= flag
    }
    const plain = counted.length > 0 ? sumOf(counted) : Math.max(0, sumOf(totals) - sumOf(foils))
    const copies: Copies[] = [{ quantity: plain * times }]
    for (const column of foils)
      copies.push({ quantity: (counts.get(column) ?? 0) * times, foil: meanings[column]!.printing ?? 'Foil' })
    const some = copies.filter(({ quantity }) => quantity > 0)
    return some.length === 0 ? copies.slice(0, 1) : some
  }

  /** The printing that the row names; a text that names none is a marker of the name: ` (Showcase)`. */
  #finishIn(
    all: Cells,
    cells: readonly string[],
    inCondition: string | undefined,
  ): Finish & { readonly marker: string } {
    const named: Finish[] = inCondition === undefined ? [] : [finishOf(inCondition)]
    let marker = ''
    for (const column of this.#columns.get('printing') ?? []) {
      const cell = cells[column] ?? ''
      const { printing } = this.#header!.meanings[column]!
      if (cell === '' || (printing !== undefined && !isYes(cell))) continue
      if (printing !== undefined) named.push({ printing })
      else if (isFinish(cell)) named.push(finishOf(cell))
      else if (!/^[\d-]*$/.test(cell) && cell.length < textCharsMax) marker = ` (${cell})`
    }
    if (this.#header === undefined) for (const cell of all('printing')) named.push(finishOf(cell))
    const editions = named.filter(({ printing }) => printing !== undefined && edition.test(printing))
    const others = named.filter((one) => !editions.includes(one))
    const isFlagged = named.length === 0 && this.#columns.has('foil')
    const other = others[0] ?? (isFlagged ? finishOf(all('foil')[0] ?? '', true) : {})
    const isUsual = named.length === 0 && !isFlagged && (this.#isOfSeller || this.#columns.has('foilQuantity'))
    const printing = [editions[0]?.printing, other.printing].filter((text) => text !== undefined).join(' ') || undefined
    return {
      printing,
      not: printing === undefined ? (other.not ?? (isUsual ? 'plain' : undefined)) : undefined,
      marker,
    }
  }

  /** A proxy or a want, by a flag, by the name of its binder, or by a cell that says so. */
  #isExcluded(text: string, cells: readonly string[]): boolean {
    for (const column of this.#columns.get('exclude') ?? []) {
      const cell = cells[column] ?? ''
      if (cell === '') continue
      if (!this.#header!.isPlace(column) && isYes(cell)) return true
      let isOutside = this.#places.get(cell)
      if (isOutside === undefined) {
        isOutside = isNoCollection(cell)
        this.#places.set(cell, isOutside)
      }
      if (isOutside) return true
    }
    if (!/prox|playtest/i.test(text)) return false
    const names = this.#columns.get('name') ?? []
    return cells.some((cell, i) => (names.includes(i) ? /[([]proxy[)\]]/i.test(cell) : isProxy(cell)))
  }

  /** Two rows that differ by the name alone may be the faces of one card, wherever they stand. */
  #besides(lines: ListLine[], all: Cells, index: number): ListLine[] {
    const [first] = lines
    const number = all('number')[0]
    if (lines.length !== 1 || number === undefined || first === undefined) return lines
    const [name = ''] = all('name')
    const same: readonly Field[] = ['set', 'setCode', 'printing', 'foil', 'condition', 'grade', 'language', 'game']
    const key = [number, first.quantity, ...same.map((field) => all(field).join('|'))].join('\n')
    const named = this.#named.get(key) ?? []
    if (named.length === 0) this.#named.set(key, named)
    if (named.length < namedMax && !named.some((one) => one.name === name)) named.push({ name, index })
    const other = named.find((one) => one.name !== name && one.index < index)
    return other === undefined ? lines : [{ ...first, besides: other.index }]
  }
}

/** A first cell that is no number is the name. Cells behind the known ones are what their words say. */
function cellsWithoutHeader(cells: readonly string[]): Cells {
  const fields = quantityOf(cells[0] ?? '') === undefined ? columnsWithoutHeader.slice(1) : columnsWithoutHeader
  const found = new Map<Field, string[]>()
  for (const [i, cell] of cells.entries()) {
    const field = fields[i] ?? fieldOfWord(cell)
    if (cell === '' || field === undefined) continue
    const others = found.get(field)
    if (others === undefined) found.set(field, [cell])
    else others.push(cell)
  }
  return (field) => found.get(field) ?? []
}

function fieldOfWord(cell: string): Field | undefined {
  if (namedGradeOf(cell) !== undefined) return 'grade'
  if (conditionOf(cell) !== undefined) return 'condition'
  if (isFinish(cell)) return 'printing'
  return isLanguage(cell) ? 'language' : undefined
}

const plainCopies = (all: Cells): Copies[] => [{ quantity: quantityOf(all('quantity')[0] ?? '1') ?? 1 }]
