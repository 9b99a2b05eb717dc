/**
 * What the columns of a CSV mean, and which of them the caller is asked about. Such a column is not `sure`, and its
 * field is a guess. While a column is unsure, the list has no total. The first line that fits a column decides:
 *
 *   the caller has settled it ──────────────────► that field
 *   its whole name is that of a field ──────────► the field, or what its values are instead (`#checked`)
 *   its whole name is that of a binder or list ─► `exclude`: the name of a place may say that its cards are wanted
 *   its whole name is that of no amount ────────► null
 *   nothing in it could change an amount ───────► null
 *   everything else ────────────────────────────► asked about, with a guess by its values (`#guessed`)
 *
 * A word within a name only chooses the guess. Columns with known names are asked about in four cases: a flag is more
 * than 1, no name says whether one count has the copies of the other, each count is 0 (`#doubtCounts`), or a column
 * that counts something else is the only count (`otherCount`).
 */
import { quantityOf, Values } from './column-values.ts'
import {
  cardmarketColumns,
  type Field,
  fieldNames,
  foldedName,
  type KnownColumn,
  knownColumns,
  namingOf,
  placeColumns,
  sellersColumns,
} from './fields.ts'
import type { KnownData } from './known-sets.ts'
import { isFinish } from './words.ts'

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

const namesOf = (names: string | undefined): string[] => names?.split(', ').map(foldedName) ?? []
const known: readonly KnownNames[] = knownColumns.map((row) => ({
  ...row,
  names: namesOf(row.names),
  beside: namesOf(row.beside),
  unless: namesOf(row.unless),
}))
const quantityNames = new Set(
  known.flatMap(({ field, names, times }) => (field === 'quantity' && times === undefined ? names : [])),
)

/** Those that do not say whether the foils are among the copies. */
const untoldNames = new Set(
  known.flatMap(({ field, names, times, beside }) =>
    field === 'quantity' && times === undefined && beside.length === 0 ? names : [],
  ),
)

export type Meaning = Pick<KnownNames, 'field' | 'printing' | 'times'>

/** The meaning of each column by its name alone, or undefined. */
export function claimedBy(names: readonly string[]): (Meaning | undefined)[] {
  const columns = names.map(foldedName)
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

/** Fields whose columns may be something else. */
const doubted = new Set<Field>([
  'id',
  'foil',
  'firstEdition',
  'game',
  'set',
  'setCode',
  'number',
  'condition',
  'printing',
])

/** A known column with many different values is judged by its first cells. */
const sampled = new Set<Field>(['id', 'set', 'setCode', 'number'])
const sampleMax = 1000

/** How many cells of a column are judged. */
function judgedMax(name: string, meaning: Meaning | undefined): number {
  if (meaning === undefined) return ['unknown', 'otherCount'].includes(namingOf(name)) ? Number.POSITIVE_INFINITY : 0
  if (sampled.has(meaning.field)) return sampleMax
  return doubted.has(meaning.field) || meaning.printing !== undefined ? Number.POSITIVE_INFINITY : 0
}

/** What a name says of a column of yes and no, in any part of it: it only chooses the best guess. */
const flagNames: readonly (readonly [field: Field, words: RegExp])[] = [
  ['grade', /grad(?:e|ing)|slab|psa|bgs|cgc|benotet|bewertet|gradu/],
  ['exclude', /prox|want|wish|wunsch|such|playtest|desej|deseo|souhait/],
  ['firstEdition', /first|1st|erst|prima|primeir|premiere/],
  ['foil', /foil|holo|premium|brill|フォイル|glanz|shiny/],
]

/** The columns while records are read: first their names, then also their values. */
export class Header {
  /** Sets of the data would tell more about a column. */
  needsSets = false
  /** Games of the data would tell more about a column. */
  needsGames = false
  readonly names: readonly string[]
  readonly #folded: readonly string[]
  readonly #meanings: (Meaning | undefined)[]
  readonly #sure: boolean[]
  readonly #values: Values[]
  readonly known: KnownData
  /** Columns that are named like quantities, beside the quantity. `differs`: a row has another number there. */
  readonly #rivals: { readonly column: number; readonly quantity: number; differs: boolean }[]
  readonly #given: ReadonlyMap<number, Field | null>

  /** Throws a TypeError for a column that is not there, and for a field that nobody knows. */
  constructor(names: readonly string[], given: ColumnFields = {}, known: KnownData = {}) {
    this.names = names
    this.#folded = names.map(foldedName)
    this.#given = givenTo(names, given)
    this.#meanings = claimedBy(names)
    this.#sure = names.map(() => true)
    this.known = known
    this.#values = names.map((name, i) => new Values(judgedMax(name, this.#meanings[i]), known))
    const quantity = this.#meanings.findIndex((meaning) => meaning?.field === 'quantity' && meaning.times === undefined)
    this.#rivals = names.flatMap((name, column) =>
      quantity !== -1 && this.#meanings[column] === undefined && quantityNames.has(foldedName(name))
        ? [{ column, quantity, differs: false }]
        : [],
    )
  }

  /** True for the names again, as under a second page. */
  isAgain(cells: readonly string[]): boolean {
    return this.names.every((name, i) => name === cells[i] || this.#folded[i] === foldedName(cells[i] ?? ''))
  }

  /** Counts the values of a record. */
  add(cells: readonly string[]): void {
    for (const [i, values] of this.#values.entries()) values.add(cells[i] ?? '')
    for (const rival of this.#rivals) {
      const cell = cells[rival.column] ?? ''
      const own = quantityOf(cell)
      rival.differs ||= cell !== '' && own !== 0 && own !== quantityOf(cells[rival.quantity] ?? '')
    }
  }

  /** Decides what the values decide. Called when all records are counted. */
  settle(): void {
    for (const [i, field] of this.#given)
      this.#meanings[i] = field === null ? undefined : { ...this.#meanings[i], field }
    /** Columns that are something else than their names say. */
    const declined = new Set<number>()
    for (const [i, meaning] of this.#meanings.entries()) {
      if (meaning === undefined || this.#given.has(i)) continue
      this.#meanings[i] = this.#checked(i, meaning)
      if (this.#meanings[i] === undefined && meaning.field !== 'game') declined.add(i)
    }
    const isCount = (meaning: Meaning | undefined) => meaning !== undefined && /quantity/i.test(meaning.field)
    const hasCount = this.#meanings.some(
      (meaning, i) => isCount(meaning) && (this.#given.has(i) || this.#values[i]!.counted > 0),
    )
    for (const [i, name] of this.names.entries()) {
      if (this.#meanings[i] !== undefined || this.#given.has(i) || declined.has(i)) continue
      const naming = namingOf(name)
      if (naming === 'place') this.#meanings[i] = { field: 'exclude' }
      if (naming === 'otherCount' && !hasCount && this.#values[i]!.counted > 0) this.#guess(i, 'quantity')
      // A second count that says the same in each row.
      if (this.#rivals.some(({ column, differs }) => column === i && !differs)) continue
      if (naming === 'unknown' && !this.#values[i]!.isHarmless) this.#guess(i, this.#guessed(i, hasCount))
    }
    this.#doubtCounts()
  }

  #guess(i: number, field: Field | undefined): void {
    this.#sure[i] = false
    if (field === undefined) return
    this.#meanings[i] = field === 'foilQuantity' ? { field, printing: this.names[i]! } : { field }
  }

  /** Counts of which no name says whether they have each other's copies, and counts that are 0 in every row. */
  #doubtCounts(): void {
    const columnsOf = (field: Field) =>
      this.#meanings.flatMap((meaning, i) => (meaning?.field === field && meaning.times === undefined ? [i] : []))
    const [plain, foils, totals] = (['quantity', 'foilQuantity', 'totalQuantity'] as const).map(columnsOf)
    const counts = [...plain!, ...foils!, ...totals!]
    const isGiven = counts.some((i) => this.#given.has(i))
    if (isGiven || counts.length === 0) return
    const [only] = plain!
    const isUntold =
      totals!.length === 0 && only !== undefined && foils!.length > 0 && untoldNames.has(foldedName(this.names[only]!))
    if (isUntold) for (const i of [only, ...foils!]) this.#sure[i] = false
    // Cells that are no number are told line by line.
    const isEmpty = counts.every((i) => this.#values[i]!.zeros === this.#values[i]!.filled)
    if (isEmpty) this.#sure[counts[0]!] = false
  }

  /** A known column, unless its values are something else, or the caller has named another one for its field. */
  #checked(i: number, meaning: Meaning): Meaning | undefined {
    const values = this.#values[i]!
    const { field } = meaning
    const name = foldedName(this.names[i]!)
    const isGivenElsewhere = [...this.#given.values()].includes(field)
    if (isGivenElsewhere && field !== 'printing' && field !== 'exclude' && field !== 'name') return undefined
    if (field === 'id') {
      if (values.isMostly('uuid') && !this.#has('scryfallId')) return { field: 'scryfallId' }
      if (values.isMostly('ownId')) return meaning
      if (values.isMostly('idForm')) this.#needGames()
      return values.isMostly('coded') && !this.#has('number') ? { field: 'number' } : undefined
    }
    // Shops of one game use these names for other things.
    if (field === 'game' && name !== 'game' && !values.isMostly('game')) {
      if (values.isMostly('letters')) this.#needGames()
      return undefined
    }
    if ((field === 'set' || field === 'setCode') && values.isMostly('finish') && this.#isSet(i) !== true)
      return { field: 'printing' }
    if (field === 'setCode' && values.isMostly('coded') && this.#isSet(i) !== true) return { field: 'number' }
    if (field === 'number' && values.isMostly('letters') && !values.isMostly('printed') && this.#isSet(i) === true)
      return { field: 'setCode' }
    if (field === 'printing' && meaning.printing === undefined && !values.isMostly('finish') && this.#isSet(i) === true)
      return { field: 'set' }
    // A flag that is more than 1 counts.
    if (
      (field === 'foil' || field === 'firstEdition' || meaning.printing !== undefined) &&
      values.count('several') > 0 &&
      field !== 'foilQuantity'
    ) {
      this.#sure[i] = false
      const printing = field === 'firstEdition' ? { printing: '1st Edition' } : {}
      return { ...meaning, ...printing, field: 'foilQuantity' }
    }
    return meaning
  }

  /** Undefined if the sets of the data are not known, and would tell. */
  #isSet(i: number): boolean | undefined {
    const values = this.#values[i]!
    if (this.known.sets !== undefined) return values.isMostly('set')
    if (values.isMostly('letters')) this.needsSets = true
    return undefined
  }

  #needGames(): void {
    const { sets, games } = this.known
    if (games === undefined && sets?.hasOtherGames !== false) this.needsGames = true
  }

  #has(field: Field): boolean {
    return this.#meanings.some((meaning) => meaning?.field === field)
  }

  /** The field that the values of half or more of the filled cells are. */
  #guessed(i: number, hasCount: boolean): Field | undefined {
    const values = this.#values[i]!
    const name = foldedName(this.names[i]!)
    if (this.#isSet(i) === true) return 'set'
    for (const [kind, field] of [
      ['finish', 'printing'],
      ['condition', 'condition'],
      ['grade', 'grade'],
      ['language', 'language'],
      ['game', 'game'],
    ] as const)
      if (values.isMostly(kind)) return field
    if (values.isMostly('letters')) this.#needGames()
    const flag = values.isFlag ? flagNames.find(([, words]) => words.test(name))?.[0] : undefined
    if (flag !== undefined) return flag
    if (values.isMostly('number')) {
      if (!hasCount) return 'quantity'
      // `Cosmos Holo Qty`
      if (isFinish(this.names[i]!)) return 'foilQuantity'
    }
    // Few copies beside a quantity are something else.
    const isNumber = values.isMostly('number') ? values.isMostly('large') : values.isMostly('printed')
    return isNumber && !this.#has('number') ? 'number' : undefined
  }

  /** What the columns' names alone say. */
  get claimed(): readonly (Field | undefined)[] {
    return claimedBy(this.names).map((meaning) => meaning?.field)
  }

  get columns(): ReadColumn[] {
    return this.names.map((column, i) => ({
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
    return placeColumns.has(foldedName(this.names[column]!))
  }

  /** True for a file that has the finish within the condition, or says nothing for the usual finish. */
  get isOfSeller(): boolean {
    return this.names.some((name) => sellersColumns.has(foldedName(name)))
  }

  /** True for a list with Cardmarket's scale of conditions: a file of theirs, or one with words that only it has. */
  get isCardmarket(): boolean {
    return (
      this.names.some((name) => cardmarketColumns.has(foldedName(name))) ||
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
