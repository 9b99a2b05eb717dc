/**
 * Finds cards by what is printed on them, where neither names nor names with numbers and sets match: a number, a code with a number, or
 * a set.
 *
 *   lob-001     number ─► cards; then those whose number has other letters of a language: LOB-EN001
 *   4/102       number ─► cards with that total
 *   obf 125     number ─► cards of the sets with that code
 *   base set    the cards of the sets with that name or code, by number
 *
 * Nothing else may stand in the query. A number needs two letters or a sign in it, because hundreds of cards have the number 125.
 */
import { foldCode, foldName } from '../names/fold.ts'
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
  /** Its index. */
  readonly number: number
  /** Behind the slash, folded; undefined if it has none. */
  readonly total: string | undefined
  /** The sets of its cards; null for all. */
  readonly sets: ReadonlySet<number> | null
  readonly rank: number
}

/** The ranks of cards, the best first. */
const asTyped = 0
const inOtherLanguage = 1
const ofSet = 2

const signsAround = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
const twoLetters = /\p{L}.*\p{L}/u
const signWithin = /[^\p{L}\p{N}]/u
const wholeNumber = /^\d{1,9}$/
/** Letters behind the last hyphen, before digits. */
const lettersBehindHyphen = /^(.*-)(\p{L}*)(\p{N}.*)$/u
/** The letters that publishers print for a language there, the longer ones first. */
const languages = ['en', 'ae', 'de', 'fr', 'it', 'sp', 'es', 'pt', 'jp', 'ja', 'kr', 'ko', 'tc', 'sc', 'e']

export class Printed {
  readonly #parts: SearchParts
  readonly #setWords: SetWords
  /** The totals of cards' own numbers, by mark; '' if unknown. */
  readonly #totals: readonly string[]

  constructor(parts: SearchParts, setWords: SetWords) {
    this.#parts = parts
    this.#setWords = setWords
    this.#totals = parts.lists.marks.map((mark) => markOf(mark).total)
  }

  /** Fills the page. False, with an empty page, if no card matches. */
  fill(text: string, scope: Scope, sort: Sort, { limit, offset }: Paging): boolean {
    const { inScope, selection, page, scopeLists, orders } = this.#parts
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
    for (const asked of this.#numbersIn(text)) {
      add(scopeLists.ofNumber(asked.number), asked.rank, (card) => this.#isAsked(asked, card))
    }
    const sets = new Set([...this.#setWords.withName(foldName(text)), ...this.#setWords.withCode(foldCode(text))])
    for (const set of sets) add(scopeLists.ofSet(set), ofSet, () => true)
    page.total = selection.count
    selection.fill(page)
    return page.total > 0
  }

  /** The numbers that the query asks for, if it is one, or a code and one. */
  *#numbersIn(text: string): Generator<AskedNumber> {
    const tokens = joinedNumbers(text)
      .trim()
      .split(/\s+/u)
      .map((token) => token.replace(signsAround, ''))
    const [first, second] = tokens as [string, string]
    if (tokens.length === 1 && (twoLetters.test(first) || signWithin.test(first))) yield* this.#numbersLike(first, null)
    if (tokens.length !== 2) return
    for (const [code, number] of [
      [first, second],
      [second, first],
    ] as const) {
      const sets = this.#setWords.withCode(foldCode(code))
      if (sets.size > 0) yield* this.#numbersLike(number, sets)
    }
  }

  /** The number as typed, then those that have letters of another language in it, or none. */
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
