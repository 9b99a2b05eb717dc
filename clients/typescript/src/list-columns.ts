/**
 * What the columns of a CSV mean. Their names decide; columns with names that nobody knows are judged by their
 * values, and are unsure until the caller settles them.
 *
 *   names ─► claimed by the table of fields ─┐
 *   values ─► counted by kind ───────────────┴─► settled: a meaning for each column, sure or not
 */
import {
  cardmarketColumns,
  type Field,
  fieldNames,
  folded,
  type KnownColumn,
  knownColumns,
  namingOf,
  placeColumns,
  sellersColumns,
} from './list-fields.ts'
import { conditionOf, gameSlugs, isFinish, isGame, isLanguage, isOfCardmarket, namedGradeOf } from './list-words.ts'

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

export type ColumnFields = Readonly<Record<string, Field | null>>

interface KnownNames extends Pick<KnownColumn, 'field' | 'isMany' | 'printing' | 'times'> {
  readonly names: readonly string[]
  readonly beside: readonly string[]
  readonly unless: readonly string[]
}

const namesOf = (names: string | undefined): string[] => names?.split(', ').map(folded) ?? []
const known: readonly KnownNames[] = knownColumns.map((row) => ({
  ...row,
  names: namesOf(row.names),
  beside: namesOf(row.beside),
  unless: namesOf(row.unless),
}))
const quantityNames = new Set(
  known.flatMap(({ field, names, times }) => (field === 'quantity' && times === undefined ? names : [])),
)

export type Meaning = Pick<KnownNames, 'field' | 'printing' | 'times'>

/** The meanings of columns by their names alone; undefined for those that have none. */
export function claimedBy(names: readonly string[]): (Meaning | undefined)[] {
  const columns = names.map(folded)
  const meanings = new Array<Meaning | undefined>(names.length)
  const claimed = new Set<Field>()
  const has = (some: readonly string[]) => some.some((name) => columns.includes(name))
  for (const { names, beside, unless, isMany, ...meaning } of known) {
    if (beside.length > 0 && !has(beside)) continue
    if (has(unless) || (isMany !== true && claimed.has(meaning.field))) continue
    for (const name of names) {
      const at = columns.findIndex((column, i) => column === name && meanings[i] === undefined)
      if (at === -1) continue
      meanings[at] = meaning
      if (isMany !== true) {
        claimed.add(meaning.field)
        break
      }
    }
  }
  return meanings
}

const kinds = {
  number: 1,
  several: 2,
  finish: 4,
  condition: 8,
  grade: 16,
  language: 32,
  game: 64,
  uuid: 128,
  ownId: 256,
  printed: 512,
}
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]
export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
export const ownId = new RegExp(`^(?:${gameSlugs.join('|')})-[a-z0-9._~-]+$`)

/** A collector's number that no name is: it has a code before the hyphen. */
export const printedNumber = /^[A-Z]{1,5}\d{0,3}-\S+$/i

function kindOf(cell: string): number {
  const isNumber = /^\d{1,4}$/.test(cell)
  return (
    (isNumber ? kinds.number : 0) |
    (isNumber && Number(cell) > 1 ? kinds.several : 0) |
    (isFinish(cell) ? kinds.finish : 0) |
    (!isNumber && conditionOf(cell) !== undefined ? kinds.condition : 0) |
    (namedGradeOf(cell) !== undefined ? kinds.grade : 0) |
    (isLanguage(cell) ? kinds.language : 0) |
    (isGame(cell) ? kinds.game : 0) |
    (uuid.test(cell) ? kinds.uuid : 0) |
    (ownId.test(cell) ? kinds.ownId : 0) |
    (printedNumber.test(cell) ? kinds.printed : 0)
  )
}

const valuesShown = 3
/** Kinds are remembered for so many values of a column. */
const valuesKnownMax = 500

/** The values of a column, counted by kind. */
class Values {
  readonly first: string[] = []
  filled = 0
  readonly counts = new Map<keyof typeof kinds, number>()
  /** A condition that only Cardmarket's scale has. */
  hasCardmarketWord = false
  readonly #kinds = new Map<string, number>()
  readonly #isJudged: boolean

  /** @param isJudged kinds are counted */
  constructor(isJudged: boolean) {
    this.#isJudged = isJudged
  }

  add(cell: string): void {
    if (cell === '') return
    this.filled++
    if (this.first.length < valuesShown && !this.first.includes(cell)) this.first.push(cell)
    if (!this.#isJudged) return
    let kind = this.#kinds.get(cell)
    if (kind === undefined) {
      kind = kindOf(cell)
      this.hasCardmarketWord ||= isOfCardmarket(cell)
      if (this.#kinds.size < valuesKnownMax) this.#kinds.set(cell, kind)
    }
    if (kind === 0) return
    for (const name of kindNames) if ((kind & kinds[name]) !== 0) this.counts.set(name, this.count(name) + 1)
  }

  count(kind: keyof typeof kinds): number {
    return this.counts.get(kind) ?? 0
  }

  /** True if half of the filled cells are of the kind. */
  isMostly(kind: keyof typeof kinds): boolean {
    return this.filled > 0 && this.count(kind) * 2 >= this.filled
  }
}

/** Fields whose columns may be something else. */
const doubted = new Set<Field>(['id', 'foil', 'game', 'set', 'setCode', 'condition'])

const isJudged = (name: string, meaning: Meaning | undefined): boolean =>
  meaning === undefined
    ? ['unknown', 'otherCount'].includes(namingOf(name))
    : doubted.has(meaning.field) || meaning.printing !== undefined

const quantityPattern = /^[x×]?\s?(\d{1,6})(?:[.,]0{1,2})?\s?[x×]?$/i

/** `4`, `4x`, `x4`, `4.0`, `4,00`. Undefined for any other text. */
export function quantityOf(cell: string): number | undefined {
  const found = quantityPattern.exec(cell)
  return found === null ? undefined : Number(found[1])
}

/** The columns while records are read: first their names, then also their values. */
export class Header {
  readonly #names: readonly string[]
  readonly #meanings: (Meaning | undefined)[]
  readonly #sure: boolean[]
  readonly #values: Values[]
  /** Columns that are named like quantities, beside the one that is it, and whether they say something else. */
  readonly #rivals: { readonly column: number; readonly quantity: number; differs: boolean }[]
  readonly #given: ReadonlyMap<number, Field | null>

  /** Throws a TypeError for a column that is not there, and for a field that nobody knows. */
  constructor(names: readonly string[], given: ColumnFields = {}) {
    this.#names = names
    this.#given = givenTo(names, given)
    this.#meanings = claimedBy(names)
    this.#sure = names.map(() => true)
    this.#values = names.map((name, i) => new Values(isJudged(name, this.#meanings[i])))
    const quantity = this.#meanings.findIndex((meaning) => meaning?.field === 'quantity' && meaning.times === undefined)
    this.#rivals = names.flatMap((name, column) =>
      quantity !== -1 && this.#meanings[column] === undefined && quantityNames.has(folded(name))
        ? [{ column, quantity, differs: false }]
        : [],
    )
  }

  /** Counts the values of a record. */
  add(cells: readonly string[]): void {
    for (const [i, values] of this.#values.entries()) values.add(cells[i] ?? '')
    for (const rival of this.#rivals) {
      const own = quantityOf(cells[rival.column] ?? '') ?? 0
      rival.differs ||= own !== 0 && own !== quantityOf(cells[rival.quantity] ?? '')
    }
  }

  /** Decides what the values decide. Called when all records are counted. */
  settle(): void {
    for (const [i, field] of this.#given)
      this.#meanings[i] = field === null ? undefined : { ...this.#meanings[i], field }
    /** Columns whose values are something that changes no amount. */
    const declined = new Set<number>()
    for (const [i, meaning] of this.#meanings.entries()) {
      if (meaning === undefined || this.#given.has(i)) continue
      this.#meanings[i] = this.#checked(i, meaning)
      if (this.#meanings[i] === undefined) declined.add(i)
    }
    const hasCount = this.#meanings.some((meaning) => meaning !== undefined && /quantity/i.test(meaning.field))
    for (const [i, name] of this.#names.entries()) {
      if (this.#meanings[i] !== undefined || this.#given.has(i) || declined.has(i)) continue
      const naming = namingOf(name)
      if (naming === 'place') this.#meanings[i] = { field: 'exclude' }
      const field = naming === 'unknown' || naming === 'otherCount' ? this.#judged(i, naming, hasCount) : undefined
      if (field === undefined) continue
      this.#meanings[i] = field === 'foilQuantity' ? { field, printing: name } : { field }
      this.#sure[i] = false
    }
    for (const { column, differs } of this.#rivals) if (differs && !this.#given.has(column)) this.#sure[column] = false
  }

  /** A known column, unless its values are something else, or the caller has named another one for its field. */
  #checked(i: number, meaning: Meaning): Meaning | undefined {
    const values = this.#values[i]!
    const { field } = meaning
    const name = folded(this.#names[i]!)
    const isGivenElsewhere = [...this.#given.values()].includes(field)
    if (isGivenElsewhere && field !== 'printing' && field !== 'exclude' && field !== 'name') return undefined
    if (field === 'id') {
      if (values.isMostly('uuid') && !this.#has('scryfallId')) return { field: 'scryfallId' }
      if (values.isMostly('ownId')) return meaning
      return values.isMostly('printed') && !this.#has('number') ? { field: 'number' } : undefined
    }
    // Shops of one game use these names for other things.
    if (field === 'game' && name !== 'game' && !values.isMostly('game')) return undefined
    if ((field === 'set' || field === 'setCode') && name === 'edition' && values.isMostly('finish'))
      return { field: 'printing' }
    // A flag that is more than 1 counts.
    if (
      (field === 'foil' || meaning.printing !== undefined) &&
      values.count('several') > 0 &&
      field !== 'foilQuantity'
    ) {
      this.#sure[i] = false
      return { ...meaning, field: 'foilQuantity' }
    }
    return meaning
  }

  #has(field: Field): boolean {
    return this.#meanings.some((meaning) => meaning?.field === field)
  }

  #judged(i: number, naming: 'unknown' | 'otherCount', hasCount: boolean): Field | undefined {
    const values = this.#values[i]!
    if (!hasCount && values.isMostly('number')) return 'quantity'
    if (naming === 'otherCount') return undefined
    // `Cosmos Holo Qty`
    if (values.isMostly('number') && isFinish(this.#names[i]!)) return 'foilQuantity'
    if (values.isMostly('grade')) return 'grade'
    if (values.isMostly('condition')) return 'condition'
    if (values.isMostly('finish')) return 'printing'
    return values.isMostly('language') ? 'language' : undefined
  }

  get columns(): ReadColumn[] {
    return this.#names.map((column, i) => ({
      column,
      field: this.#meanings[i]?.field ?? null,
      sure: this.#sure[i]!,
      values: this.#values[i]!.first,
    }))
  }

  /** By column. */
  get meanings(): readonly (Meaning | undefined)[] {
    return this.#meanings
  }

  /** True for a column that names a binder or a list. */
  isPlace(column: number): boolean {
    return placeColumns.has(folded(this.#names[column]!))
  }

  /** True for a file that names a finish within the condition, or none for the usual one. */
  get isOfSeller(): boolean {
    return this.#names.some((name) => sellersColumns.has(folded(name)))
  }

  /** True for a list with Cardmarket's scale of conditions: a file of theirs, or one with words that only it has. */
  get isCardmarket(): boolean {
    return (
      this.#names.some((name) => cardmarketColumns.has(folded(name))) ||
      this.#meanings.some((meaning, i) => meaning?.field === 'condition' && this.#values[i]!.hasCardmarketWord)
    )
  }
}

function givenTo(names: readonly string[], given: ColumnFields): Map<number, Field | null> {
  const found = new Map<number, Field | null>()
  for (const [name, field] of Object.entries(given)) {
    if (field !== null && !fieldNames.includes(field)) {
      throw new TypeError(`${JSON.stringify(field)} is not a field: there are ${fieldNames.join(', ')}, and null`)
    }
    const columns = names.flatMap((one, i) => (one === name ? [i] : []))
    if (columns.length === 0) {
      const there = names.length === 0 ? 'the list has no header' : `there are ${names.join(', ')}`
      throw new TypeError(`${JSON.stringify(name)} is not a column: ${there}`)
    }
    for (const column of columns) found.set(column, field)
  }
  return found
}

/** For a list without a header. */
export const rejectColumns = (given: ColumnFields = {}): void => {
  givenTo([], given)
}
