/**
 * Finds cards by words of several fields. If no name matches as typed, a word may match the card's name, set or number.
 *
 *   charizard base 4/102 ─ terms ─► charizard        base              4/102
 *                                   names ─► cards   sets ─► cards     number ─► cards
 *                                   └ the term with the fewest cards: each is compared with all other terms ┘
 *
 * Blanks separate terms. A term matches as a number or a set's code, or each of its words matches. A term with a slash
 * matches only as a number. If no card matches, words of names may have typos. A rank counts the typos, then the words missing
 * in the name, then whether the set has another total than the query, then the words of the set's name
 * that are not in the query, so the best card has the lowest.
 */
import { wordMask } from '../indexes/search-file.ts'
import type { Candidates } from './candidates.ts'
import { type AskedWord, type Term, TermReader, type Terms } from './cross-field-terms.ts'
import type { SearchParts } from './parts.ts'
import { oneOfMisspelt } from './rank.ts'
import type { KeyOf } from './scope/orders.ts'
import type { Scope } from './scope/scope.ts'
import { type CardRange, countOf } from './scope/scope-lists.ts'
import type { SetWords } from './set-words.ts'
import type { Query } from './words/query.ts'
import { type Spelling, tooFar } from './words/spelling.ts'

/** More than the unmatched words of any set's name, and than a query's words. */
const leftoverRanks = 1024
const lackingRanks = 256
/** Above all ranks. */
const noMatch = Number.POSITIVE_INFINITY
/** Not computed yet. */
const unknown = -1
/** Estimates: a name has about three printings; typos take as long as so many postings. */
const cardsPerPosting = 3
const postingsOfTypos = 1000

const noSets: ReadonlySet<number> = new Set()

/** The cards that a term may match: those of ranges, and those whose names have a word. */
interface Source {
  readonly term: Term
  readonly ranges: readonly CardRange[]
  readonly word: AskedWord | undefined
  /** About how many cards there are. */
  readonly cost: number
}

/** How cards are selected. */
export interface Wanted {
  readonly scope: Scope
  /** Null: by rank. */
  readonly keyOf: KeyOf | null
}

export class CrossFields {
  readonly #parts: SearchParts
  readonly #setWords: SetWords
  readonly #candidates: Candidates
  readonly #spelling: Spelling
  readonly #reader: TermReader
  // Of the current query:
  #asked: Terms = { terms: [], words: [], needed: -1, total: -1 }
  readonly #found = new Set<number>()
  /** The name of the last card, and by query word, the typos with which the name has it, `tooFar` if it has not. */
  #name = -1
  #typos: number[] = []
  /** By set, the unmatched words of its name. */
  readonly #leftover = new Map<number, number>()

  constructor(parts: SearchParts, setWords: SetWords, candidates: Candidates, spelling: Spelling) {
    this.#parts = parts
    this.#setWords = setWords
    this.#candidates = candidates
    this.#spelling = spelling
    this.#reader = new TermReader(parts.lists, setWords, spelling)
  }

  /** Selects the cards that match. @param withTypos after a call without has found none */
  select(text: string, query: Query, withTypos: boolean, wanted: Wanted): void {
    const asked = this.#reader.read(text, query, withTypos)
    if (asked === undefined) return
    this.#found.clear()
    this.#leftover.clear()
    this.#name = -1
    // The rarest term excludes most cards.
    const sources = asked.terms.map((term) => this.#sourceOf(term)).sort((a, b) => a.cost - b.cost)
    this.#asked = { ...asked, terms: sources.map(({ term }) => term) }
    const { ranges, word } = sources[0]!
    for (const range of ranges) this.#lookAt(range, wanted)
    if (word !== undefined) this.#lookAtNames(word, wanted)
  }

  #sourceOf(term: Term): Source {
    let rarest: Source | undefined
    const ofTerm = this.#rangesOf(term.number, term.coded)
    for (const word of term.words) {
      const { asked, misspelling } = word
      const number = word.number === term.number ? -1 : word.number
      const ofWord = this.#rangesOf(number, word.sets, word.coded === term.coded ? noSets : word.coded)
      const postings = asked.postings + (misspelling === null ? 0 : postingsOfTypos)
      const ranges = [...ofTerm, ...ofWord]
      const cost = postings * cardsPerPosting + countOf(ranges)
      if (rarest === undefined || cost < rarest.cost) rarest = { term, ranges, word, cost }
    }
    return rarest ?? { term, ranges: ofTerm, word: undefined, cost: countOf(ofTerm) }
  }

  /** The cards of a number (-1: of none) and of sets. */
  #rangesOf(number: number, ...sets: readonly ReadonlySet<number>[]): CardRange[] {
    const { scopeLists } = this.#parts
    const ranges = number === -1 ? [] : [scopeLists.ofNumber(number)]
    for (const some of sets) for (const set of some) ranges.push(scopeLists.ofSet(set))
    return ranges
  }

  #lookAtNames({ asked, misspelling }: AskedWord, wanted: Wanted): void {
    const { cardsAt, cards } = this.#parts.file
    const candidates = this.#candidates
    const corrections = misspelling === null ? [] : this.#spelling.wordsWithTypos(misspelling)
    candidates.addFoundBy(asked, wanted.scope.numbers.game, oneOfMisspelt, corrections)
    candidates.close()
    for (let i = 0; i < candidates.count; i++) {
      const name = candidates.names[i]!
      this.#lookAt({ cards, from: cardsAt[name]!, to: cardsAt[name + 1]! }, wanted)
    }
    candidates.clear()
  }

  #lookAt({ cards, from, to }: CardRange, { scope, keyOf }: Wanted): void {
    const { file, lists, selection } = this.#parts
    const { needed } = this.#asked
    for (let i = from; i < to; i++) {
      const card = cards[i]!
      if (needed !== -1 && lists.cardNumber[card] !== needed) continue
      if (!scope.has(card)) continue
      if (file.cardName[card] !== this.#name) {
        this.#name = file.cardName[card]!
        this.#typos.fill(unknown)
      }
      const rank = this.#rankOf(card, file.cardSet[card]!)
      // Several ranges may have a card.
      if (rank === noMatch || this.#found.has(card)) continue
      this.#found.add(card)
      selection.add(card, keyOf === null ? rank : keyOf(card))
    }
  }

  /** The card's rank, `noMatch` if a term does not match, or none matches the name. */
  #rankOf(card: number, set: number): number {
    const number = this.#parts.lists.cardNumber[card]!
    const { terms, words, total } = this.#asked
    let typos = 0
    let lacking = words.length
    for (const term of terms) {
      const isWhole = term.number === number || term.coded.has(set)
      if (!isWhole && term.words.length === 0) return noMatch
      for (const word of term.words) {
        const typosInName = this.#typosIn(word)
        const fits = isWhole || word.number === number || word.sets.has(set) || word.coded.has(set)
        if (!fits && typosInName === tooFar) return noMatch
        if (typosInName > 0 && fits) continue
        typos += typosInName
        lacking--
      }
    }
    if (lacking === words.length) return noMatch
    const isOther = total !== -1 && total !== this.#totalOf(set)
    return ((typos * lackingRanks + lacking) * 2 + Number(isOther)) * leftoverRanks + this.#leftoverOf(set)
  }

  #totalOf(set: number): number {
    return this.#parts.file.sets[set]!.printedTotal ?? countOf([this.#parts.scopeLists.ofSet(set)])
  }

  /** The typos with which the last card's name has the query word, `tooFar` if it has not. Cards of one name mostly follow one another. */
  #typosIn({ place, asked, misspelling }: AskedWord): number {
    const known = this.#typos[place] ?? unknown
    if (known !== unknown) return known
    const { nameWordsAt, nameWords } = this.#parts.file
    const end = nameWordsAt[this.#name + 1]!
    let fewest = tooFar
    for (let at = nameWordsAt[this.#name]!; at < end && fewest > 0; at++) {
      const word = nameWords[at]! & wordMask
      if (misspelling !== null) fewest = Math.min(fewest, this.#spelling.typos(misspelling, word))
      else if (asked.finds(word)) fewest = 0
    }
    this.#typos[place] = fewest
    return fewest
  }

  #leftoverOf(set: number): number {
    let leftover = this.#leftover.get(set)
    if (leftover === undefined) {
      const { words } = this.#asked
      const unmatched = this.#setWords.wordsOf(set).filter((word) => !words.some(({ asked }) => asked.text === word))
      leftover = Math.min(unmatched.length, leftoverRanks - 1)
      this.#leftover.set(set, leftover)
    }
    return leftover
  }
}
