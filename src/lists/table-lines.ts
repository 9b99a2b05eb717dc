/** Reads CSVs: `tableIn` recognizes the header, and `RecordReader` turns records into lines of the list. */

import type { Condition } from './cards.ts'
import { quantityOf } from './column-values.ts'
import { type ColumnFields, claimedBy, Header } from './columns.ts'
import { type Field, foldedName } from './fields.ts'
import { type KnownGames, onlyFirstGames } from './known-games.ts'
import type { KnownData } from './known-sets.ts'
import { type ListLine, questionsOf, textCharsMax } from './match-questions.ts'
import { ownFields } from './own-csv.ts'
import { type CsvRecord, recordsOf } from './records.ts'
import {
  conditionOf,
  type Finish,
  finishOf,
  gradeOf,
  isFinish,
  isLanguage,
  isNoCollection,
  isProxy,
  isYes,
  namedGradeOf,
  type ReadCondition,
} from './words.ts'

/** The game and the condition of lines that do not name their own. */
export interface Defaults {
  readonly game: string | undefined
  readonly condition: Condition | undefined
}

export interface Table {
  readonly delimiter: string
  readonly header: Header
  /** True if the file is our own CSV of a valued list (own-csv.ts). */
  readonly isOwn: boolean
}

const columnsMax = 200
/** The most names to store for rows that differ only by name. A card has two faces, so two names would suffice. */
const namedMax = 4
const identifying: readonly Field[] = ['id', 'scryfallId', 'mtgjsonId', 'tcgplayerId', 'cardmarketId', 'name']
/** The columns of a table without a header: `4;Charizard;4/102;Base Set;Holo`. */
const columnsWithoutHeader: readonly Field[] = ['quantity', 'name', 'number', 'set', 'printing']

/** Reads a line as a header, with the delimiter that yields the most known columns. Undefined if it is no header. */
export function tableIn(
  first: string,
  separator: string | undefined,
  { columns: given, known }: { readonly columns?: ColumnFields | undefined; readonly known?: KnownData | undefined },
): Table | undefined {
  if (first.length > columnsMax * textCharsMax) return undefined
  const delimiters = separator === undefined ? ['\t', ';', ',', '|'] : [separator]
  let best: { readonly delimiter: string; readonly names: readonly string[]; readonly known: number } | undefined
  for (const delimiter of delimiters) {
    if (delimiter !== '\t' && !first.includes(delimiter)) continue
    const { value: record } = recordsOf(first, delimiter).next()
    const names = record && record.cells.length <= columnsMax ? record.cells : []
    const known = knownColumnsIn(names)
    if (known > (best?.known ?? 0)) best = { delimiter, names, known }
  }
  if (best === undefined) return undefined
  const own = ownFields(best.names)
  const header = new Header(best.names, { ...own, ...given }, known)
  return { delimiter: best.delimiter, header, isOwn: own !== undefined }
}

/**
 * Returns how many columns have known names. It returns 0 if the names are no header: a header has a column for the
 * card's name or id, or one for its number and one for its set.
 */
function knownColumnsIn(names: readonly string[]): number {
  const fields = claimedBy(names).flatMap((meaning) => meaning?.field ?? [])
  const hasSet = fields.includes('set') || fields.includes('setCode')
  const isHeader = fields.some((field) => identifying.includes(field)) || (fields.includes('number') && hasSet)
  // One of these words alone on a line is not a header. It may be a card's name or a title.
  const isWord =
    names.length > 1 || !['name', 'title', 'article', 'product', 'carta'].includes(foldedName(names[0] ?? ''))
  return isHeader && isWord ? fields.length : 0
}

const sumWords = new Set(
  'total, totals, grandtotal, totalcards, totalvalue, sum, summe, gesamt, somme, totale, suma, soma, 合計'.split(', '),
)

/** True if the row has the sum of the other rows instead of a card. */
export function isSumRow(header: Header, cells: readonly string[]): boolean {
  const first = cells.find((cell) => cell !== '')
  if (first === undefined || !sumWords.has(foldedName(first.replace(/[:=]\s*$/, '')))) return false
  const others = header.claimed.some(
    (field, i) => (field === 'set' || field === 'setCode' || field === 'number') && (cells[i] ?? '') !== '',
  )
  return !others
}

/** Returns the filled cells of a record that belong to a field. */
type Cells = (field: Field) => readonly string[]

interface Copies {
  readonly quantity: number
  /** The printing of copies from a foil count. Undefined for other copies, whose printing the row may name. */
  readonly foil?: string
}

/** Fields that are equal in the rows of a card's faces. */
const sameOfFaces: readonly Field[] = ['set', 'setCode', 'printing', 'foil', 'condition', 'grade', 'language', 'game']
/** An edition. A finish may follow it: `1st Edition Holofoil`. */
const edition = /^(?:1st|first|unlimited|limited)\b/i

/** Turns records into lines. The header must be settled before. */
export class RecordReader {
  readonly #header: Header | undefined
  readonly #defaults: Defaults
  readonly #games: KnownGames
  readonly #isCardmarket: boolean
  readonly #isOfSeller: boolean
  /** The columns of each field. */
  readonly #columns = new Map<Field, number[]>()
  /** The results of `isNoCollection`, by the name of the binder. */
  readonly #places = new Map<string, boolean>()
  /**
   * Names of earlier rows, each with the index of its first line. The key has the number, the quantity and the fields
   * of `sameOfFaces`.
   */
  readonly #named = new Map<string, { readonly name: string; readonly index: number }[]>()

  constructor(header: Header | undefined, defaults: Defaults) {
    this.#header = header
    this.#defaults = defaults
    this.#games = header?.known.games ?? onlyFirstGames
    this.#isCardmarket = header?.isCardmarket === true
    this.#isOfSeller = header?.isOfSeller === true
    for (const [i, meaning] of header?.meanings.entries() ?? []) {
      if (meaning === undefined) continue
      const columns = this.#columns.get(meaning.field)
      if (columns === undefined) this.#columns.set(meaning.field, [i])
      else columns.push(i)
    }
  }

  /**
   * Returns the lines of a record: one for each of its counts, further divided if the condition names several.
   * @param index the index of the first returned line in the list
   */
  linesOf({ line, text, cells }: CsvRecord, index: number): ListLine[] {
    const all: Cells = this.#header === undefined ? cellsWithoutHeader(cells) : (field) => this.#cellsOf(cells, field)
    const first =
      this.#header === undefined ? (field: Field) => all(field)[0] : (field: Field) => this.#firstOf(cells, field)
    const isExcluded = this.#isExcluded(text, cells)
    const copies = this.#header === undefined ? plainCopies(all) : this.#copiesIn(cells)
    const grades = all('grade').filter((cell) => gradeOf(cell) !== undefined)
    // A column of grades may contain conditions.
    const conditionText = first('condition') ?? grades.find((cell) => conditionOf(cell) !== undefined)
    const condition = conditionOf(conditionText ?? '', this.#isCardmarket)
    const grade =
      namedGradeOf(conditionText ?? '') ??
      (grades.length > 0 && conditionText !== grades[0] ? gradeOf(grades.join(' ')) : undefined)
    const game = first('game')
    const finish = this.#finishIn(all, cells, condition?.printing)
    const names = all('name').map((name, i) => (i === 0 ? name + finish.marker : name))
    const parted = partsOf(copies ?? [{ quantity: 1 }], conditionText)
    const lines = parted.map(({ quantity, foil, part = condition }): ListLine => {
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
        game: game === undefined ? this.#defaults.game : (this.#games.find(game) ?? game),
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
        condition: part?.condition ?? (conditionText === undefined ? this.#defaults.condition : undefined),
        namesCondition: conditionText !== undefined,
        grade,
        isExcluded,
        said,
      }
    })
    return this.#besides(lines, first, all, index)
  }

  /** Returns the field's filled cells in the order of the columns, but a grading company before its grade. */
  #cellsOf(cells: readonly string[], field: Field): string[] {
    const columns = this.#columns.get(field) ?? []
    const filled: string[] = []
    for (const column of columns) {
      const cell = cells[column]
      if (cell !== undefined && cell !== '') filled.push(cell)
    }
    return field === 'grade' && filled.length > 1 && /^\d/.test(filled[0]!) ? filled.reverse() : filled
  }

  /** Returns the field's first filled cell. */
  #firstOf(cells: readonly string[], field: Field): string | undefined {
    for (const column of this.#columns.get(field) ?? []) {
      const cell = cells[column]
      if (cell !== undefined && cell !== '') return cell
    }
    return undefined
  }

  /**
   * Returns the row's plain copies, then the copies of each foil column. Counts of 0 are left out, unless all are 0.
   * Undefined if a count is not a number, or if the only count is blank.
   */
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

  /**
   * Returns the finish that the row names. If a printing column has a text that is no finish, the text becomes a marker
   * of the card's name: ` (Showcase)`.
   */
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
    if (all('firstEdition').some(isYes)) named.push({ printing: '1st Edition' })
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

  /** True if a flag, the name of the binder, or another cell says that the card is a proxy or a want. */
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

  /**
   * Sets `besides` of a row that differs only by name from an earlier row, because both may be faces of one card. The
   * rows need not follow each other.
   */
  #besides(lines: ListLine[], firstOf: (field: Field) => string | undefined, all: Cells, index: number): ListLine[] {
    const [first] = lines
    const number = firstOf('number')
    if (lines.length !== 1 || number === undefined || first === undefined) return lines
    const name = firstOf('name') ?? ''
    let key = `${number}\n${first.quantity}`
    for (const field of sameOfFaces) {
      key += `\n${this.#columns.get(field)?.length === 1 ? firstOf(field) : all(field).join('|')}`
    }
    const named = this.#named.get(key) ?? []
    if (named.length === 0) this.#named.set(key, named)
    if (named.length < namedMax && !named.some((one) => one.name === name)) named.push({ name, index })
    const other = named.find((one) => one.name !== name && one.index < index)
    return other === undefined ? lines : [{ ...first, besides: other.index }]
  }
}

interface Part extends Copies {
  /** The condition of these copies alone. */
  readonly part?: ReadCondition | undefined
}

/**
 * Divides copies by condition if the text is as UrzaGatherer writes it: `2xMint, 1xNear mint`. The conditions belong to
 * the plain copies first, then to the foils.
 */
function partsOf(copies: readonly Copies[], text: string | undefined): readonly Part[] {
  const parts = text?.split(/, ?/).map((part) => /^(\d{1,6}) ?x ?(\S.*)$/i.exec(part.trim())) ?? []
  if (parts.length === 0 || parts.includes(null)) return copies
  const left = parts.map((found) => ({ count: Number(found![1]), part: conditionOf(found![2]!) }))
  const split: Part[] = []
  for (const { quantity, ...one } of copies) {
    let open = quantity
    while (open > 0) {
      const next = left[0]
      const taken = Math.min(open, next?.count ?? open)
      if (taken > 0) split.push({ ...one, quantity: taken, part: next?.part })
      open -= taken
      if (next === undefined) break
      next.count -= taken
      if (next.count <= 0) left.shift()
    }
  }
  return split.length === 0 ? copies : split
}

/**
 * Assigns the cells of a row without a header to fields. If the first cell is no number, it is the name. Cells after
 * the known columns get a field by their words (`fieldOfWord`).
 */
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
