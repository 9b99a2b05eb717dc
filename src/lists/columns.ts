/**
 * Decides the field of each column of a CSV. If a column's meaning is uncertain, its field is a guess, and `sure` is
 * false: the caller must confirm or replace the guess. While a column is unsure, the list has no total.
 *
 * Names are compared as a whole. The first row of this table that fits a column decides:
 *
 *   the caller has settled its field ───────────► that field
 *   its name gives it a field (`claimedBy`) ────► `#checked`: the field, another one that its values fit, or null
 *   its name is that of a binder or list ───────► `exclude`, because a binder may hold proxies or wants
 *   its name is in `otherCounts` ───────────────► null, or an unsure quantity if no known column counts anything
 *   its name is in `unpricedNames` ─────────────► null, because such a column never changes an amount
 *   its name is a quantity's, and it repeats one ► null (`#rivals`)
 *   none of its values could change an amount ──► null
 *   everything else ────────────────────────────► unsure, with a guess by its values (`#guessed`)
 *
 * `#checked` declines ids of other programs, and columns whose field the caller has given to another column; it
 * keeps names, printings and exclusions in this case. Declined columns get null, and are sure. A declined `game` column
 * is the exception: the next rows of the table decide it.
 *
 * Words within a name only improve the guess. A column with a known field is also unsure in three cases:
 *
 *   1. It is a flag of foils, first editions or a printing, and one of its cells is above 1.
 *   2. It counts copies beside a column of foils, and its name does not say whether it includes these foils. Then the
 *      column of foils is unsure, too (`#doubtCounts`).
 *   3. It is the first count of a list whose counts are all 0 or blank (`#doubtCounts`).
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
  /** Null if the column changes no amount or, for an unsure column, if there is no guess. */
  readonly field: Field | null
  /** False if the caller must confirm or replace the field. */
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

/** Names of quantity columns that do not say whether the quantity includes foils. */
const untoldNames = new Set(
  known.flatMap(({ field, names, times, beside }) =>
    field === 'quantity' && times === undefined && beside.length === 0 ? names : [],
  ),
)

export type Meaning = Pick<KnownNames, 'field' | 'printing' | 'times'>

/** Returns each column's meaning by its name alone. It is undefined for a name that gives no field. */
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

/** Fields whose columns are checked by their values, because other programs use the names for other things. */
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

/** Fields with many different values: only the first `sampleMax` cells of their columns are judged. */
const sampled = new Set<Field>(['id', 'set', 'setCode', 'number'])
const sampleMax = 1000

/** Returns how many cells of a column to judge at most. */
function judgedMax(name: string, meaning: Meaning | undefined): number {
  if (meaning === undefined) return ['unknown', 'otherCount'].includes(namingOf(name)) ? Number.POSITIVE_INFINITY : 0
  if (sampled.has(meaning.field)) return sampleMax
  return doubted.has(meaning.field) || meaning.printing !== undefined ? Number.POSITIVE_INFINITY : 0
}

/** Guesses for a column of yes and no, by words anywhere in its name. */
const flagNames: readonly (readonly [field: Field, words: RegExp])[] = [
  ['grade', /grad(?:e|ing)|slab|psa|bgs|cgc|benotet|bewertet|gradu/],
  ['exclude', /prox|want|wish|wunsch|such|playtest|desej|deseo|souhait/],
  ['firstEdition', /first|1st|erst|prima|primeir|premiere/],
  ['foil', /foil|holo|premium|brill|フォイル|glanz|shiny/],
]

/** The columns of a CSV. After `add` for each record and one call of `settle`, each column has its field. */
export class Header {
  /** True if the names of the data's sets could change a column's field. */
  needsSets = false
  /** True if the games of the data could change a column's field. */
  needsGames = false
  readonly names: readonly string[]
  readonly #folded: readonly string[]
  readonly #meanings: (Meaning | undefined)[]
  readonly #sure: boolean[]
  readonly #values: Values[]
  readonly known: KnownData
  /**
   * Columns that are named like quantities, beside the quantity column. `differs` is true if a row has another number
   * there than in the quantity column. Blank cells and 0 do not differ.
   */
  readonly #rivals: { readonly column: number; readonly quantity: number; differs: boolean }[]
  readonly #given: ReadonlyMap<number, Field | null>

  /** Throws a TypeError if `given` names a column that the list lacks, or an unknown field. */
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

  /** True if the cells repeat the header, as at the top of a second page. */
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

  /** Decides all fields. Call it once, after `add` for all records. */
  settle(): void {
    for (const [i, field] of this.#given)
      this.#meanings[i] = field === null ? undefined : { ...this.#meanings[i], field }
    /** Columns that `#checked` has declined. Their field stays null, and they are sure. */
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
      // A second count that agrees with the quantity in each row adds nothing, so it is not unsure.
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

  /**
   * Makes counts unsure in two cases.
   *
   *   1. The list has foil counts, and the plain count's name does not say whether it includes the foils.
   *   2. All counts are 0 or blank in every row.
   */
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
    // A cell that is no number makes its own line unreadable, so the column need not be unsure.
    const isEmpty = counts.every((i) => this.#values[i]!.zeros === this.#values[i]!.filled)
    if (isEmpty) this.#sure[counts[0]!] = false
  }

  /**
   * Returns the meaning of a known column, corrected by its values. Undefined if the column should contain ids or games
   * and does not, or if the caller has given its field to another column. Names, printings and exclusions stay then.
   */
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
    // Shops that sell one game use names such as `Category` and `Collection` for other things.
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
    // If a cell of a flag is above 1, the column counts copies.
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

  /**
   * True if at least half of the column's cells name sets. Undefined if the sets of the data are unknown. In that case,
   * `needsSets` becomes true if the cells could be sets.
   */
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

  /** Returns the field that at least half of the column's judged cells fit, or undefined. */
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
      // Beside another count, a column that is named by a finish counts copies with it: `Cosmos Holo Qty`.
      if (isFinish(this.names[i]!)) return 'foilQuantity'
    }
    // Another column counts the copies. If most numbers of this column are below 10, it gets no guess.
    const isNumber = values.isMostly('number') ? values.isMostly('large') : values.isMostly('printed')
    return isNumber && !this.#has('number') ? 'number' : undefined
  }

  /** Each column's field by its name alone. */
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

  /** Each column's meaning. It is undefined if the column has no field. */
  get meanings(): readonly (Meaning | undefined)[] {
    return this.#meanings
  }

  /** True if the column's cells name a binder or a list. */
  isPlace(column: number): boolean {
    return placeColumns.has(foldedName(this.names[column]!))
  }

  /** True for a seller's file. Its conditions name every finish but the normal one: `Near Mint Foil`, `Near Mint`. */
  get isOfSeller(): boolean {
    return this.names.some((name) => sellersColumns.has(foldedName(name)))
  }

  /** True if the list uses Cardmarket's scale of conditions, by a column or a condition that only this scale has. */
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

/** Throws a TypeError if `given` settles columns, although the list has no header. */
export const rejectColumns = (given: ColumnFields = {}): void => {
  givenTo([], given)
}
