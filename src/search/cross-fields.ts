/**
 * Finds cards by words of several fields. If no name matches as typed, a word may match the card's name, set or number.
 *
 *   charizard base 4/102 ─ terms ─► charizard        base              4/102
 *                                   names ─► cards   sets ─► cards     number ─► cards
 *                                   └ the term with the fewest cards: each is compared with all other terms ┘
 *
 * Blanks separate terms. A term matches as a number or a set's code, or each of its words matches. A term with a slash
 * matches only as a number. If no card matches, words of names may have typos. A rank counts the typos, then the words missing
 * in the name, then whether the set has another number of cards than the query's total says, then the words of the set's name
 * that are not in the query, so the best card has the lowest.
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import { type SearchFile, wordMask } from '../indexes/search-file.ts'
import type { Candidates } from './candidates.ts'
import { type AskedWord, type Term, Terms } from './cross-field-terms.ts'
import type { HitPage } from './hits.ts'
import { oneOfMisspelt } from './rank.ts'
import type { Scope } from './scope/filters.ts'
import type { InScope } from './scope/in-scope.ts'
import type { Orders, Sort } from './scope/orders.ts'
import type { CardRange, ScopeLists } from './scope/scope-lists.ts'
import { addWindow } from './scope/select.ts'
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
/** An estimate: a name has about three printings. */
const cardsPerPosting = 3

export class CrossFields {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #setWords: SetWords
  readonly #orders: Orders
  readonly #scopeLists: ScopeLists
  readonly #candidates: Candidates
  readonly #spelling: Spelling
  readonly #inScope: InScope
  readonly #cards: Uint32Array
  readonly #ranks: Uint32Array
  readonly #collected: Uint32Array
  #count = 0
  /** By card, 1 if found: several lists may have a card. All 0 between queries. */
  readonly #isFound: Uint8Array
  readonly #asked: Terms
  /** The name of the last card, and by query word, the typos with which the name has it, `tooFar` if it has not. */
  #name = -1
  #typos: number[] = []
  /** By set, the unmatched words of its name plus one; 0 until counted. */
  readonly #leftover: Uint16Array
  readonly #counted: number[] = []

  constructor(
    file: SearchFile,
    lists: ListsFile,
    inScope: InScope,
    setWords: SetWords,
    orders: Orders,
    scopeLists: ScopeLists,
    candidates: Candidates,
    spelling: Spelling,
  ) {
    this.#file = file
    this.#lists = lists
    this.#setWords = setWords
    this.#orders = orders
    this.#scopeLists = scopeLists
    this.#candidates = candidates
    this.#spelling = spelling
    this.#asked = new Terms(lists, setWords, spelling)
    this.#inScope = inScope
    this.#cards = new Uint32Array(lists.cardGame.length)
    this.#ranks = new Uint32Array(lists.cardGame.length)
    this.#collected = new Uint32Array(lists.cardGame.length)
    this.#isFound = new Uint8Array(lists.cardGame.length)
    this.#leftover = new Uint16Array(file.sets.length)
  }

  /**
   * Fills the page with `limit` cards after the first `offset`. False, with an empty page, if no card matches.
   * @param withTypos after a call without has found none
   */
  fill(
    text: string,
    query: Query,
    withTypos: boolean,
    scope: Scope,
    sort: Sort,
    page: HitPage,
    limit: number,
    offset: number,
  ): boolean {
    page.total = 0
    page.count = 0
    this.#count = 0
    this.#name = -1
    if (this.#asked.read(text, query, withTypos)) {
      this.#inScope.start(scope, scope.game)
      this.#gather(scope)
      this.#inScope.clear()
      page.total = this.#count
      if (sort !== 'relevance') this.#ranks.fill(0, 0, this.#count)
      this.#page(page, sort, limit, offset)
      for (const set of this.#counted) this.#leftover[set] = 0
      this.#counted.length = 0
    }
    this.#asked.forget()
    return page.total > 0
  }

  /** Compares the cards of the rarest term, or of the scope if it has fewer. */
  #gather(scope: Scope): void {
    const { game } = scope
    const byCost = this.#asked.terms.map((term) => ({ term, cost: this.#costOf(term) })).sort((a, b) => a.cost - b.cost)
    // The rarest term excludes most cards.
    this.#asked.terms = byCost.map(({ term }) => term)
    const { term: rarest, cost: fewest } = byCost[0]!
    const narrow = this.#scopeLists.shortest(scope, fewest)
    if (narrow !== null) {
      for (const range of narrow.ranges) this.#lookAt(range)
    } else {
      this.#lookAtNumber(rarest.number, game)
      for (const set of rarest.coded) this.#lookAt(this.#scopeLists.ofSet(set))
      if (rarest.first < rarest.end) this.#lookAtWord(this.#rarestWord(rarest), rarest, scope)
    }
    for (let i = 0; i < this.#count; i++) this.#isFound[this.#cards[i]!] = 0
  }

  #lookAtWord({ asked, number, sets, coded, misspelling }: AskedWord, term: Term, scope: Scope): void {
    const { cardsAt, cards } = this.#file
    const candidates = this.#candidates
    candidates.addFoundBy(asked, scope, oneOfMisspelt)
    if (misspelling !== null) {
      for (const word of this.#spelling.wordsWithTypos(misspelling)) {
        candidates.addHolders(word, word + 1, scope.game, oneOfMisspelt.whole)
      }
    }
    candidates.close()
    for (let i = 0; i < candidates.count; i++) {
      const name = candidates.names[i]!
      this.#lookAt({ cards, from: cardsAt[name]!, to: cardsAt[name + 1]! })
    }
    candidates.clear()
    if (number !== term.number) this.#lookAtNumber(number, scope.game)
    for (const set of sets) this.#lookAt(this.#scopeLists.ofSet(set))
    if (coded !== term.coded) for (const set of coded) this.#lookAt(this.#scopeLists.ofSet(set))
  }

  #lookAtNumber(number: number, game: number): void {
    if (number !== -1) this.#lookAt(this.#scopeLists.ofNumber(number, game))
  }

  #lookAt({ cards, from, to }: CardRange): void {
    const { cardName, cardSet } = this.#file
    const { cardNumber } = this.#lists
    const needed = this.#asked.needed
    const inScope = this.#inScope
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
      this.#cards[this.#count] = card
      this.#ranks[this.#count++] = rank
    }
  }

  /** The card's rank, `noMatch` if a term does not match, or none matches the name. */
  #rankOf(card: number, set: number): number {
    const number = this.#lists.cardNumber[card]!
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
    const isOther = this.#asked.setCards !== -1 && this.#asked.setCards !== this.#cardsOfSet(set)
    return ((typos * lackingRanks + lacking) * 2 + Number(isOther)) * leftoverRanks + this.#leftoverOf(set)
  }

  /** The typos with which the last card's name has the query word, `tooFar` if it has not. Cards of one name mostly follow one another. */
  #typosIn(place: number, { asked, misspelling }: AskedWord): number {
    const known = this.#typos[place] ?? unknown
    if (known !== unknown) return known
    const { nameWordsAt, nameWords } = this.#file
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

  /** Estimates how many cards have to be compared for a term. */
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
    const ofNames = (misspelling === null ? asked.postings : this.#spelling.cost(asked)) * cardsPerPosting
    return ofNames + this.#cardsOfNumber(number) + this.#cardsOfSets(sets) + this.#cardsOfSets(coded)
  }

  #cardsOfNumber(number: number): number {
    if (number === -1) return 0
    const { from, to } = this.#scopeLists.ofNumber(number, -1)
    return to - from
  }

  #cardsOfSets(sets: ReadonlySet<number>): number {
    let cards = 0
    for (const set of sets) cards += this.#cardsOfSet(set)
    return cards
  }

  #cardsOfSet(set: number): number {
    const { setCardsAt } = this.#file
    return setCardsAt[set + 1]! - setCardsAt[set]!
  }

  /** Fills the page by rank; cards of equal rank are in the requested order. */
  #page(page: HitPage, sort: Sort, limit: number, offset: number): void {
    const order = this.#orders.of(sort)
    const counts = new Map<number, number>()
    for (let i = 0; i < this.#count; i++) counts.set(this.#ranks[i]!, (counts.get(this.#ranks[i]!) ?? 0) + 1)
    let before = 0
    for (const rank of [...counts.keys()].sort((a, b) => a - b)) {
      const count = counts.get(rank)!
      const from = Math.max(0, offset - before)
      const to = Math.min(count, offset + limit - before)
      before += count
      if (from >= to) continue
      let collected = 0
      for (let i = 0; i < this.#count; i++) {
        const card = this.#cards[i]!
        if (this.#ranks[i] === rank) this.#collected[collected++] = order === null ? card : order.rankOf[card]!
      }
      addWindow(page, this.#collected, count, order, from, to)
    }
  }
}
