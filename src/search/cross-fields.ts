/**
 * Finds cards by words of several fields. If no name matches as typed, a word may match the card's name, set or number.
 *
 *   charizard base 4/102 ─ terms ─► charizard        base              4/102
 *                                   names ─► cards   sets ─► cards     number ─► cards
 *                                   └ the term with the fewest cards: each is compared with all other terms ┘
 *
 * Blanks separate terms. A term matches as a number or a set's code, or each of its words matches. A term with a slash
 * matches only as a number. A rank counts the words missing in the name, then the words of the set's name that are not in
 * the query, so the best card has the lowest.
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { fold } from '../names/fold.ts'
import type { Candidates } from './candidates.ts'
import type { HitPage } from './hits.ts'
import { oneOfMisspelt } from './rank.ts'
import type { Scope } from './scope/filters.ts'
import { InScope } from './scope/in-scope.ts'
import { numberIndex } from './scope/numbers.ts'
import type { Orders, Sort } from './scope/orders.ts'
import type { CardRange, ScopeLists } from './scope/scope-lists.ts'
import { addWindow } from './scope/select.ts'
import type { SetWords } from './set-words.ts'
import type { Query, QueryWord } from './words/query.ts'

interface AskedWord {
  readonly asked: QueryWord
  readonly sets: ReadonlySet<number>
  /** Sets with that code. */
  readonly coded: ReadonlySet<number>
  /** -1 if no card has that number. */
  readonly number: number
}

interface Term {
  /** The index of the term as a collector's number, -1 if there is none. */
  readonly number: number
  readonly coded: ReadonlySet<number>
  /** The term's words, from `first` up to `end`; a term with a slash has none. */
  readonly first: number
  readonly end: number
}

const noSets: ReadonlySet<number> = new Set()
/** Signs around a number, as in `#4` and `(4/102)`. */
const signsBefore = /^[^\p{L}\p{N}]+/u
const signsAfter = /[^\p{L}\p{N}]+$/u
/** More than the unmatched words of any set's name. */
const leftoverRanks = 1024
/** An estimate: a name has about three printings. */
const cardsPerPosting = 3

export class CrossFields {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #setWords: SetWords
  readonly #orders: Orders
  readonly #scopeLists: ScopeLists
  readonly #candidates: Candidates
  readonly #inScope: InScope
  readonly #cards: Uint32Array
  readonly #ranks: Uint32Array
  readonly #collected: Uint32Array
  #count = 0
  /** By card, 1 if found: several lists may have a card. All 0 between queries. */
  readonly #isFound: Uint8Array
  /** The number of a term that can only be a number, -1 if there is none. */
  #needed = -1
  #words: AskedWord[] = []
  #terms: Term[] = []
  /** The name of the last card, which of the query's words it has, and how many. */
  #name = -1
  #hasWord: boolean[] = []
  #wordCount = 0
  /** By set, the unmatched words of its name plus one; 0 until counted. */
  readonly #leftover: Uint16Array
  readonly #counted: number[] = []

  constructor(
    file: SearchFile,
    lists: ListsFile,
    setWords: SetWords,
    orders: Orders,
    scopeLists: ScopeLists,
    candidates: Candidates,
  ) {
    this.#file = file
    this.#lists = lists
    this.#setWords = setWords
    this.#orders = orders
    this.#scopeLists = scopeLists
    this.#candidates = candidates
    this.#inScope = new InScope(file, lists)
    this.#cards = new Uint32Array(lists.cardGame.length)
    this.#ranks = new Uint32Array(lists.cardGame.length)
    this.#collected = new Uint32Array(lists.cardGame.length)
    this.#isFound = new Uint8Array(lists.cardGame.length)
    this.#leftover = new Uint16Array(file.sets.length)
  }

  /** Fills the page with `limit` cards after the first `offset`. False, with an empty page, if no card matches. */
  fill(text: string, query: Query, scope: Scope, sort: Sort, page: HitPage, limit: number, offset: number): boolean {
    page.total = 0
    page.count = 0
    if (!this.#ask(text, query)) return false
    this.#count = 0
    this.#inScope.start(scope, scope.game)
    this.#gather(scope)
    this.#inScope.clear()
    page.total = this.#count
    if (sort !== 'relevance') this.#ranks.fill(0, 0, this.#count)
    this.#page(page, sort, limit, offset)
    for (const set of this.#counted) this.#leftover[set] = 0
    this.#counted.length = 0
    return page.total > 0
  }

  /** Reads the query. False if a term matches no card, or no term can match a name. */
  #ask(text: string, { words: asked }: Query): boolean {
    this.#words = []
    this.#terms = []
    this.#name = -1
    this.#needed = -1
    let canName = false
    for (const token of text.trim().split(/\s+/u)) {
      const folded = fold(token)
      if (folded.length === 0) continue
      const first = this.#words.length
      const isNumber = token.includes('/')
      let areAll = !isNumber
      for (const word of isNumber ? [] : folded) {
        const known = asked.find((one) => one.text === word)
        if (known === undefined) return false
        const sets = this.#setWords.withWord(word)
        const coded = this.#setWords.withCode(word)
        const number = numberIndex(this.#lists, word)
        this.#words.push({ asked: known, sets, coded, number })
        canName ||= known.postings > 0
        areAll &&= known.postings > 0 || sets.size > 0 || coded.size > 0 || number !== -1
      }
      const only = folded.length === 1 && !isNumber ? this.#words[first]! : undefined
      const number = only?.asked.text === token.toLowerCase() ? only.number : this.#numberIndex(token)
      const coded = isNumber ? noSets : (only?.coded ?? this.#setWords.withCode(folded.join('')))
      if (!areAll && number === -1 && coded.size === 0) return false
      if (isNumber) this.#needed = number
      this.#terms.push({ number, coded, first, end: this.#words.length })
    }
    return canName
  }

  /** The index of a collector's number that may have signs around it, -1 if no card has it. */
  #numberIndex(token: string): number {
    const place = numberIndex(this.#lists, token)
    if (place !== -1) return place
    const bare = token.replace(signsBefore, '').replace(signsAfter, '')
    return bare === token ? -1 : numberIndex(this.#lists, bare)
  }

  /** Compares the cards of the rarest term, or of the scope if it has fewer. */
  #gather(scope: Scope): void {
    const { game } = scope
    let rarest = this.#terms[0]!
    let fewest = Number.POSITIVE_INFINITY
    for (const term of this.#terms) {
      const cost = this.#costOf(term)
      if (cost >= fewest) continue
      rarest = term
      fewest = cost
    }
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

  #lookAtWord({ asked, number, sets, coded }: AskedWord, term: Term, scope: Scope): void {
    const { cardsAt, cards } = this.#file
    const candidates = this.#candidates
    candidates.addFoundBy(asked, scope, oneOfMisspelt)
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
    const needed = this.#needed
    const inScope = this.#inScope
    for (let i = from; i < to; i++) {
      const card = cards[i]!
      if (needed !== -1 && cardNumber[card] !== needed) continue
      if (!inScope.all && !inScope.has(card)) continue
      this.#readName(cardName[card]!)
      if (this.#wordCount === 0 || !this.#matches(card) || this.#isFound[card] === 1) continue
      this.#isFound[card] = 1
      this.#cards[this.#count] = card
      const lacking = this.#words.length - this.#wordCount
      this.#ranks[this.#count++] = lacking * leftoverRanks + this.#leftoverOf(cardSet[card]!)
    }
  }

  #matches(card: number): boolean {
    const number = this.#lists.cardNumber[card]!
    const set = this.#file.cardSet[card]!
    for (const term of this.#terms) {
      if (term.number === number || term.coded.has(set)) continue
      if (term.first === term.end) return false
      for (let i = term.first; i < term.end; i++) {
        const word = this.#words[i]!
        const fits = this.#hasWord[i]! || word.number === number || word.sets.has(set) || word.coded.has(set)
        if (!fits) return false
      }
    }
    return true
  }

  /** Counts the query's words in the name. Cards of one name mostly follow one another. */
  #readName(name: number): void {
    if (name === this.#name) return
    this.#name = name
    const { nameWordsAt, nameWords } = this.#file
    const end = nameWordsAt[name + 1]!
    this.#wordCount = 0
    for (let i = 0; i < this.#words.length; i++) {
      const { asked } = this.#words[i]!
      let place = nameWordsAt[name]!
      while (place < end && !asked.finds(nameWords[place]!)) place++
      this.#hasWord[i] = place < end
      if (place < end) this.#wordCount++
    }
  }

  #leftoverOf(set: number): number {
    if (this.#leftover[set] === 0) {
      let leftover = 0
      for (const word of this.#setWords.wordsOf(set)) {
        if (!this.#words.some(({ asked }) => asked.text === word)) leftover++
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
    let rarest = this.#words[first]!
    for (let i = first + 1; i < end; i++) {
      if (this.#costOfWord(this.#words[i]!) < this.#costOfWord(rarest)) rarest = this.#words[i]!
    }
    return rarest
  }

  #costOfWord({ asked, number, sets, coded }: AskedWord): number {
    const ofNames = asked.postings * cardsPerPosting
    return ofNames + this.#cardsOfNumber(number) + this.#cardsOfSets(sets) + this.#cardsOfSets(coded)
  }

  #cardsOfNumber(number: number): number {
    if (number === -1) return 0
    const { from, to } = this.#scopeLists.ofNumber(number, -1)
    return to - from
  }

  #cardsOfSets(sets: ReadonlySet<number>): number {
    const { setCardsAt } = this.#file
    let cards = 0
    for (const set of sets) cards += setCardsAt[set + 1]! - setCardsAt[set]!
    return cards
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
