/**
 * Finds cards by what is printed on them: a number, a code with a number, or a set. A search calls it if neither names
 * nor cross-fields match.
 *
 *   lob-001     number lob-001 ─► its cards, then the cards of this number with letters of a language: LOB-EN001
 *   4/102       number 4 ─► those of its cards that have the total 102
 *   obf 125     number 125 ─► those of its cards that are in a set with the code obf
 *   obf 125/99  the same, and cards with the total 99 come first; others stay, because totals of Japanese sets differ
 *   base set    the cards of all sets that have this name or code, by number
 *
 * The query may contain nothing else. A number without a code must contain two letters or a sign, because hundreds of
 * cards have the number 125.
 */
import { fold, foldCode, foldSigns } from '../names/fold.ts'
import { markOf } from '../names/identity.ts'
import { joinedNumbers, totalOf } from '../names/numbers.ts'
import type { SearchParts } from './parts.ts'
import type { Scope } from './scope/filters.ts'
import { numberIndex } from './scope/number-index.ts'
import type { Sort } from './scope/orders.ts'
import type { CardRange } from './scope/scope-lists.ts'
import type { Paging } from './scope/select.ts'
import type { SetWords } from './set-words.ts'

/** A number that a query asks for. */
interface AskedNumber {
  /** The number's index. */
  readonly number: number
  /** The total after the number's slash, folded; undefined if the number has no slash. */
  readonly total: string | undefined
  /** The sets whose cards are found; null for all sets. */
  readonly sets: ReadonlySet<number> | null
  readonly rank: number
}

/** The ranks of cards, the best first. */
const asTyped = 0
const inOtherLanguage = 1
const withOtherTotal = 2
const ofSet = 3

const signsAround = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
const twoLetters = /\p{L}.*\p{L}/u
const signWithin = /[^\p{L}\p{N}]/u
const wholeNumber = /^\d{1,9}$/
/**
 * A number with a hyphen: the part up to its last hyphen, the letters after the hyphen, and the rest, which begins
 * with a digit.
 */
const lettersBehindHyphen = /^(.*-)(\p{L}*)(\p{N}.*)$/u
/** Letters after the hyphen by which publishers name a language. `en` precedes `e`, because the first match counts. */
const languages = ['en', 'ae', 'de', 'fr', 'it', 'sp', 'es', 'pt', 'jp', 'ja', 'kr', 'ko', 'tc', 'sc', 'e']

export class Printed {
  readonly #parts: SearchParts
  readonly #setWords: SetWords
  /**
   * By mark (`Mark` of src/names/identity.ts): the total after the slash of a collector's number such as `4/102`; '' if
   * the number has none. `cardMark` has the index of each card's mark.
   */
  readonly #totals: readonly string[]

  constructor(parts: SearchParts, setWords: SetWords) {
    this.#parts = parts
    this.#setWords = setWords
    this.#totals = parts.lists.marks.map((mark) => markOf(mark).total)
  }

  /**
   * Fills the page. If no card matches, the result is false, and the page stays empty. For a query that names no number
   * and no set, no card is compared.
   */
  fill(text: string, scope: Scope, sort: Sort, { limit, offset }: Paging): boolean {
    const { inScope, selection, page, scopeLists, orders } = this.#parts
    const numbers = [...this.#numbersIn(text)]
    const words = fold(text)
    const named = this.#setWords.withName(words.join(' ') || foldSigns(text))
    const sets = new Set([...named, ...this.#setWords.withCode(words.join(''))])
    if (numbers.length === 0 && sets.size === 0) return false
    selection.start(offset, offset + limit)
    inScope.start(scope, scope.game)
    const found = new Set<number>()
    const add = ({ cards, from, to }: CardRange, rank: number, isAsked: (card: number) => boolean) => {
      for (let i = from; i < to; i++) {
        const card = cards[i]!
        if (!inScope.has(card) || found.has(card) || !isAsked(card)) continue
        if (rank !== ofSet) found.add(card)
        selection.add(card, sort === 'relevance' ? rank : orders[sort](card))
      }
    }
    for (const asked of numbers) {
      add(scopeLists.ofNumber(asked.number), asked.rank, (card) => this.#isAsked(asked, card))
    }
    for (const set of sets) add(scopeLists.ofSet(set), ofSet, () => true)
    page.total = selection.count
    selection.fill(page)
    return page.total > 0
  }

  /** Yields the numbers that the query asks for. Only a number, or a code with a number, yields any. */
  *#numbersIn(text: string): Generator<AskedNumber> {
    const typed = joinedNumbers(text).trim().split(/\s+/u)
    if (typed.length > 2) return
    const tokens = typed.map((token) => token.replace(signsAround, ''))
    const [first, second] = tokens as [string, string]
    if (tokens.length === 1 && (twoLetters.test(first) || signWithin.test(first))) yield* this.#numbersLike(first, null)
    if (tokens.length === 1) return
    for (const [code, number] of [
      [first, second],
      [second, first],
    ] as const) {
      const sets = this.#setWords.withCode(foldCode(code))
      if (sets.size === 0) continue
      for (const asked of this.#numbersLike(number, sets)) {
        yield asked
        if (asked.total !== undefined) yield { ...asked, total: undefined, rank: withOtherTotal }
      }
    }
  }

  /** Yields the number as typed, then without the letters of a language, then with those of each other language. */
  *#numbersLike(text: string, sets: AskedNumber['sets']): Generator<AskedNumber> {
    const total = totalOf(text)
    const typed = numberIndex(this.#parts.lists, text)
    if (typed !== -1) yield { number: typed, total, sets, rank: asTyped }
    const [, before, letters, behind] = lettersBehindHyphen.exec(text.toLowerCase()) ?? []
    if (before === undefined) return
    const language = languages.find((one) => letters!.startsWith(one)) ?? ''
    for (const other of ['', ...languages]) {
      const number = numberIndex(this.#parts.lists, before + other + letters!.slice(language.length) + behind)
      if (number !== -1 && number !== typed) yield { number, total, sets, rank: inOtherLanguage }
    }
  }

  #isAsked({ total, sets }: AskedNumber, card: number): boolean {
    const set = this.#parts.file.cardSet[card]!
    if (sets !== null && !sets.has(set)) return false
    if (total === undefined) return true
    const own = this.#totals[this.#parts.lists.cardMark[card]!]!
    if (own !== '') return own === total
    return !wholeNumber.test(total) || Number(total) === this.#parts.scopeLists.totalOfSet(set)
  }
}
