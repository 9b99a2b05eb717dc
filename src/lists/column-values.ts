/** Counts the values of a column by what they may be. */
import { idForm, onlyFirstGames } from './known-games.ts'
import type { KnownData } from './known-sets.ts'
import { conditionOf, isFinish, isFlag, isLanguage, isOfCardmarket, namedGradeOf } from './words.ts'

const quantityPattern = /^[x×]?\s?(\d{1,6})(?:[.,]0{1,2})?\s?[x×]?$/i

/** Longer cells are no quantity. */
const quantityCharsMax = 12

/** Returns the number in `4`, `4x`, `x4`, `4.0` or `4,00`. Undefined for any other text. */
export function quantityOf(cell: string): number | undefined {
  const found = quantityPattern.exec(cell)
  return found === null ? undefined : Number(found[1])
}

export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A collector's number with a set's code before its hyphen: `OP01-016`. No card's name has this form. */
export const printedNumber = /^[A-Z]{1,5}\d{0,3}[-_]\S*\d\S*$/i

const amount =
  /^(?:[^\p{L}\d\s.,+-]{1,3} ?|[A-Z]{3} )?[+-]?\d{1,3}(?:[.,' ]?\d{3})*[.,]\d\d(?: ?[^\p{L}\d\s.,+-]{1,3}| [A-Z]{3})?$/u
const amountWithSign = /^(?:\p{Sc} ?[+-]?\d[\d.,]*|[+-]?\d[\d.,]* ?\p{Sc})$/u
const wholeAmount = /^\d+(?:[.,]0+)?$/
const time = '\\d\\d?:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?: ?[ap]m)?(?: ?(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d).*)?'
const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'
const date = `(?:\\d{4}[-/.]\\d\\d?[-/.]\\d\\d?|(?:19|20)\\d{6}|\\d\\d?[-/.]\\d\\d?[-/.](?:\\d{4}|\\d\\d)|(?:[a-z]{3,9},? )?(?:${month} \\d\\d?,? \\d{4}|\\d\\d?\\.? ${month},? \\d{4}))`
const moment = new RegExp(`^(?:${time}|${date}(?:[T ,]+${time})?)$`, 'i')
const address = /^(?:https?:\/\/|www\.)\S+$/i
const percentage = /^[+-]?\d+(?:[.,]\d+)? ?%$/

/** True if a cell changes no amount: it is money, a date or time, an address, a UUID, or a percentage. */
function isHarmless(cell: string): boolean {
  const isMoney = amountWithSign.test(cell) || (amount.test(cell) && !wholeAmount.test(cell))
  return isMoney || moment.test(cell) || address.test(cell) || percentage.test(cell) || uuid.test(cell)
}

/** The kinds of cells, as bits. A cell may be of several kinds. */
const kinds = {
  set: 1,
  finish: 2,
  condition: 4,
  grade: 8,
  language: 16,
  game: 32,
  flag: 64,
  number: 128,
  printed: 256,
  several: 512,
  uuid: 1024,
  ownId: 2048,
  coded: 4096,
  harmless: 8192,
  /**
   * A plain number. It counts as money if at least half of the column's cells are harmless, and all others are plain
   * numbers (`isHarmless`).
   */
  rounded: 16_384,
  letters: 32_768,
  large: 65_536,
  /** It has the form of a card's id, though perhaps of a game that is not known yet. */
  idForm: 131_072,
}

function kindOf(cell: string, { sets, games = onlyFirstGames }: KnownData): number {
  const isNumber = /^\d{1,4}(?:[.,]0{1,2})?$/.test(cell)
  const isText = !/^[\d\s.,]*$/.test(cell)
  return (
    (isText && sets?.has(cell) === true ? kinds.set : 0) |
    (isFinish(cell) ? kinds.finish : 0) |
    (isText && conditionOf(cell) !== undefined ? kinds.condition : 0) |
    (namedGradeOf(cell) !== undefined ? kinds.grade : 0) |
    (isLanguage(cell) ? kinds.language : 0) |
    (games.find(cell) !== undefined ? kinds.game : 0) |
    (isFlag(cell) ? kinds.flag : 0) |
    (isNumber ? kinds.number : 0) |
    (isNumber && Number.parseInt(cell, 10) > 1 ? kinds.several : 0) |
    (/^#?[A-Z]{0,6}\d{0,3}[-_]?[A-Z]{0,4}\d{1,4}[a-z★]?(?:\/\S{1,8})?$/i.test(cell) ? kinds.printed : 0) |
    (printedNumber.test(cell) ? kinds.coded : 0) |
    (uuid.test(cell) ? kinds.uuid : 0) |
    (games.hasCard(cell) ? kinds.ownId : 0) |
    (idForm.test(cell) ? kinds.idForm : 0) |
    (isHarmless(cell) ? kinds.harmless : 0) |
    (/^\d{1,9}(?:[.,]\d\d?)?$/.test(cell) ? kinds.rounded : 0) |
    (/\p{L}/u.test(cell) ? kinds.letters : 0) |
    (isNumber && Number.parseInt(cell, 10) > 9 ? kinds.large : 0)
  )
}

const valuesShown = 3
/** The most values of a column whose kinds are cached. */
const valuesKnownMax = 500
/** A column of flags has at most this many different values. */
const flagValuesMax = 3

/** The values of a column, counted by kind. */
export class Values {
  readonly first: string[] = []
  filled = 0
  /** The number of cells with a quantity of 1 or more. */
  counted = 0
  /** The number of cells with a quantity of 0. */
  zeros = 0
  /** True if a judged cell is a condition that only Cardmarket's scale has. */
  hasCardmarketWord = false
  readonly #kinds = new Map<string, number>()
  /** The number of judged cells, by their kinds. */
  readonly #cells = new Map<number, number>()
  readonly #judgedMax: number
  #judged = 0
  readonly #known: KnownData

  /** @param judgedMax at most this many cells are judged, which means that their kinds are counted */
  constructor(judgedMax: number, known: KnownData) {
    this.#judgedMax = judgedMax
    this.#known = known
  }

  add(cell: string): void {
    if (cell === '') return
    this.filled++
    const quantity = cell.length <= quantityCharsMax ? quantityOf(cell) : undefined
    if (quantity === 0) this.zeros++
    else if (quantity !== undefined) this.counted++
    if (this.first.length < valuesShown && !this.first.includes(cell)) this.first.push(cell)
    if (this.#judged >= this.#judgedMax) return
    this.#judged++
    let kind = this.#kinds.get(cell)
    if (kind === undefined) {
      kind = kindOf(cell, this.#known)
      this.hasCardmarketWord ||= isOfCardmarket(cell)
      if (this.#kinds.size < valuesKnownMax) this.#kinds.set(cell, kind)
    }
    this.#cells.set(kind, (this.#cells.get(kind) ?? 0) + 1)
  }

  count(kind: keyof typeof kinds): number {
    let count = 0
    for (const [some, cells] of this.#cells) if ((some & kinds[kind]) !== 0) count += cells
    return count
  }

  /** True if half or more of the judged cells are of the kind. */
  isMostly(kind: keyof typeof kinds): boolean {
    return this.#judged > 0 && this.count(kind) * 2 >= this.#judged
  }

  /** True if no cell could change an amount. Plain numbers are money if at least half of the cells are harmless. */
  get isHarmless(): boolean {
    if (this.count('harmless') === this.filled) return true
    return this.isMostly('harmless') && [...this.#cells.keys()].every((kind) => (kind & harmlessAmong) !== 0)
  }

  get isFlag(): boolean {
    return this.#kinds.size <= flagValuesMax && this.filled > 0 && this.count('flag') === this.filled
  }
}

const harmlessAmong = kinds.harmless | kinds.rounded
