/**
 * Finds cards by words of several fields. A search calls it if no card in scope has a name that matches the query as
 * typed. Then each word may match the card's name, set or number.
 *
 *   charizard base 4/102 ─ terms ─► charizard        base              4/102
 *                                   names ─► cards   sets ─► cards     number ─► cards
 *                                   └ only the cards of the term with the fewest cards are compared with all terms ┘
 *
 * Blanks separate terms. A term matches as a number, as a set's code, or because each of its words matches. A term with
 * a slash matches only as a number. If no card matches, the search calls `fill` again later, and then words of the
 * query may have typos. If no term can be a number or a set, no card is compared, because the search has already
 * compared names.
 *
 * The best card has the lowest rank. A rank is composed of four parts, the most important first:
 *
 *   1. how many typos the query words have;
 *   2. how many query words the name lacks;
 *   3. whether the query's total (the 102 of `4/102`) differs from the total of the card's set;
 *   4. how many words of the set's name the query lacks.
 */
import { endOf } from '../indexes/bounds.ts'
import { wordMask } from '../indexes/search-file.ts'
import type { Candidates } from './candidates.ts'
import { type AskedQuery, type AskedWord, type Term, Terms } from './cross-field-terms.ts'
import type { SearchParts } from './parts.ts'
import { oneOfMisspelt } from './rank.ts'
import type { Scope } from './scope/filters.ts'
import type { Sort } from './scope/orders.ts'
import { type CardRange, rangeAt } from './scope/scope-lists.ts'
import type { Paging } from './scope/select.ts'
import type { SetWords } from './set-words.ts'
import { type Spelling, tooFar } from './words/spelling.ts'

/** More than the words of any set's name. */
const leftoverRanks = 1024
/** More than the words of any query. */
const lackingRanks = 256
/** Higher than every rank. */
const noMatch = Number.POSITIVE_INFINITY
/** An entry of `#typos` that is not computed yet. */
const unknown = -1
/** An estimate: a name has about three printings. */
const cardsPerPosting = 3
/** An estimate: the search for words with typos takes as long as following this many postings. */
const postingsOfTypos = 1000

export class CrossFields {
  readonly #parts: SearchParts
  readonly #setWords: SetWords
  readonly #candidates: Candidates
  readonly #spelling: Spelling
  /** By card: 1 if it is already found. Several lists may contain a card. Between queries, all entries are 0. */
  readonly #isFound: Uint8Array
  readonly #found: number[] = []
  readonly #asked: Terms
  #sort: Sort = 'relevance'
  /** The name of the card that was compared last. */
  #name = -1
  /**
   * By query word: the fewest typos with which a word of `#name` matches it, `tooFar` if none matches, or `unknown`.
   */
  #typos: number[] = []
  /** By set: how many words of its name the query lacks, plus one. An entry is 0 until its words are counted. */
  readonly #leftover: Uint16Array
  /** The sets whose entry in `#leftover` is not 0. */
  readonly #counted: number[] = []

  constructor(parts: SearchParts, setWords: SetWords, candidates: Candidates, spelling: Spelling) {
    this.#parts = parts
    this.#setWords = setWords
    this.#candidates = candidates
    this.#spelling = spelling
    this.#asked = new Terms(parts.lists, setWords, spelling)
    this.#isFound = new Uint8Array(parts.lists.cardGame.length)
    this.#leftover = new Uint16Array(parts.file.sets.length)
  }

  /**
   * Fills the page. If no card matches, the page is empty and the result is false.
   * @param asked its `withTypos` may be true only after a call without typos has found no card
   */
  fill(asked: AskedQuery, scope: Scope, sort: Sort, { limit, offset }: Paging): boolean {
    const { inScope, selection, page } = this.#parts
    this.#sort = sort
    this.#name = -1
    selection.start(offset, offset + limit)
    if (this.#asked.read(asked)) {
      inScope.start(scope, scope.game)
      this.#gather(scope)
      for (const card of this.#found) this.#isFound[card] = 0
      for (const set of this.#counted) this.#leftover[set] = 0
      this.#found.length = 0
      this.#counted.length = 0
    }
    this.#asked.forget()
    page.total = selection.count
    selection.fill(page)
    return page.total > 0
  }

  /** Compares the cards of the rarest term with all terms, and selects those that match. */
  #gather(scope: Scope): void {
    const { scopeLists } = this.#parts
    const byCost = this.#asked.terms.map((term) => ({ term, cost: this.#costOf(term) })).sort((a, b) => a.cost - b.cost)
    // `#rankOf` checks the rarest terms first, because they exclude most cards.
    this.#asked.terms = byCost.map(({ term }) => term)
    const rarest = this.#asked.terms[0]!
    this.#lookAtNumber(rarest.number)
    for (const set of rarest.coded) this.#lookAt(scopeLists.ofSet(set))
    if (rarest.first < rarest.end) this.#lookAtWord(this.#rarestWord(rarest), rarest, scope)
  }

  #lookAtWord({ asked, number, sets, coded, misspelling }: AskedWord, term: Term, scope: Scope): void {
    const { cardsAt, cards } = this.#parts.file
    const candidates = this.#candidates
    const corrections = misspelling === null ? [] : this.#spelling.wordsWithTypos(misspelling)
    candidates.addFoundBy(asked, scope, oneOfMisspelt, corrections)
    candidates.close()
    for (let i = 0; i < candidates.count; i++) {
      const name = candidates.names[i]!
      this.#lookAt(rangeAt(cards, cardsAt, name))
    }
    candidates.clear()
    if (number !== term.number) this.#lookAtNumber(number)
    for (const set of sets) this.#lookAt(this.#parts.scopeLists.ofSet(set))
    if (coded !== term.coded) for (const set of coded) this.#lookAt(this.#parts.scopeLists.ofSet(set))
  }

  #lookAtNumber(number: number): void {
    if (number !== -1) this.#lookAt(this.#parts.scopeLists.ofNumber(number))
  }

  #lookAt({ cards, from, to }: CardRange): void {
    const { inScope, selection, orders } = this.#parts
    const { cardName, cardSet } = this.#parts.file
    const { cardNumber } = this.#parts.lists
    const needed = this.#asked.needed
    for (let i = from; i < to; i++) {
      const card = cards[i]!
      if (needed !== -1 && cardNumber[card] !== needed) continue
      if (!inScope.all && !inScope.has(card)) continue
      if (this.#isFound[card] === 1) continue
      if (cardName[card] !== this.#name) {
        this.#name = cardName[card]!
        this.#typos.fill(unknown)
      }
      const rank = this.#rankOf(card, cardSet[card]!)
      if (rank === noMatch) continue
      this.#isFound[card] = 1
      this.#found.push(card)
      selection.add(card, this.#sort === 'relevance' ? rank : orders[this.#sort](card))
    }
  }

  /** Returns the card's rank, or `noMatch` if a term does not match the card, or if no term matches the card's name. */
  #rankOf(card: number, set: number): number {
    const number = this.#parts.lists.cardNumber[card]!
    let typos = 0
    let lacking = this.#asked.words.length
    for (const term of this.#asked.terms) {
      const isWhole = term.number === number || term.coded.has(set)
      if (!isWhole && term.first === term.end) return noMatch
      for (let i = term.first; i < term.end; i++) {
        const word = this.#asked.words[i]!
        const typosInName = this.#typosIn(i, word)
        const fits = isWhole || word.number === number || word.sets.has(set) || word.coded.has(set)
        if (!fits && typosInName === tooFar) return noMatch
        if (typosInName > 0 && fits) continue
        typos += typosInName
        lacking--
      }
    }
    if (lacking === this.#asked.words.length) return noMatch
    const isOther = this.#asked.total !== -1 && this.#asked.total !== this.#parts.scopeLists.totalOfSet(set)
    return ((typos * lackingRanks + lacking) * 2 + Number(isOther)) * leftoverRanks + this.#leftoverOf(set)
  }

  /**
   * Returns the fewest typos with which a word of `#name` matches the query word, `tooFar` if none matches. `#typos`
   * caches the results, because cards of one name mostly follow one another.
   */
  #typosIn(place: number, { asked, misspelling }: AskedWord): number {
    const known = this.#typos[place] ?? unknown
    if (known !== unknown) return known
    const { nameWordsAt, nameWords } = this.#parts.file
    const end = endOf(nameWordsAt, this.#name, nameWords.length)
    let fewest = tooFar
    for (let at = nameWordsAt[this.#name]!; at < end && fewest > 0; at++) {
      const word = nameWords[at]! & wordMask
      if (misspelling !== null) fewest = Math.min(fewest, this.#spelling.typos(misspelling, word))
      else if (asked.finds(word)) fewest = 0
    }
    this.#typos[place] = fewest
    return fewest
  }

  /** Returns how many words of the set's name the query lacks. */
  #leftoverOf(set: number): number {
    if (this.#leftover[set] === 0) {
      let leftover = 0
      for (const word of this.#setWords.wordsOf(set)) {
        if (!this.#asked.words.some(({ asked }) => asked.text === word)) leftover++
      }
      this.#leftover[set] = 1 + Math.min(leftover, leftoverRanks - 1)
      this.#counted.push(set)
    }
    return this.#leftover[set]! - 1
  }

  /** Estimates how many cards would be compared if the search started from this term. */
  #costOf(term: Term): number {
    let cost = this.#cardsOfNumber(term.number) + this.#cardsOfSets(term.coded)
    if (term.first < term.end) cost += this.#costOfWord(this.#rarestWord(term))
    return cost
  }

  #rarestWord({ first, end }: Term): AskedWord {
    let rarest = this.#asked.words[first]!
    for (let i = first + 1; i < end; i++) {
      if (this.#costOfWord(this.#asked.words[i]!) < this.#costOfWord(rarest)) rarest = this.#asked.words[i]!
    }
    return rarest
  }

  #costOfWord({ asked, number, sets, coded, misspelling }: AskedWord): number {
    const ofNames = (asked.postings + (misspelling === null ? 0 : postingsOfTypos)) * cardsPerPosting
    return ofNames + this.#cardsOfNumber(number) + this.#cardsOfSets(sets) + this.#cardsOfSets(coded)
  }

  #cardsOfNumber(number: number): number {
    if (number === -1) return 0
    const { from, to } = this.#parts.scopeLists.ofNumber(number)
    return to - from
  }

  #cardsOfSets(sets: ReadonlySet<number>): number {
    let cards = 0
    for (const set of sets) cards += this.#cardsOfSet(set)
    return cards
  }

  #cardsOfSet(set: number): number {
    const { setCardsAt } = this.#parts.file
    return setCardsAt[set + 1]! - setCardsAt[set]!
  }
}
