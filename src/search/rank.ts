/**
 * Ranks names for a query. The best name has the lowest rank. A rank is the number of a group, plus `groups` (8) for each typo:
 *
 *   0 typed    the name equals the query as typed           ┐ step 1
 *   1 equal    … as folded                                  ┘
 *   2 first    its first words are the query's words        ┐ step 2: every word of the query is a whole word of it
 *   3 ordered  it has the query's words in their order      │
 *   4 anyOrder it has them                                  ┘
 *   5 6 7      the same with prefixes of words: step 3. In Japanese, a name with a word inside one of its words is in 7
 *
 * All candidates are ranked together, one query word after the other. `fits` has for every word of the vocabulary how the
 * query word fits it. Candidates without a fitting word are dropped, and the order of words is examined for the rest.
 */
import { type SearchFile, wordBits, wordMask } from '../indexes/search-file.ts'
import { foldCase } from '../names/fold.ts'
import { hasSigns } from '../names/identity.ts'
import type { Candidates, FoundRanks, PlaceRanks } from './candidates.ts'
import type { Found, Query, QueryWord } from './words/query.ts'
import { type Misspelling, type Spelling, tooFar } from './words/spelling.ts'

export const groups = 8
const typed = 0
const equal = 1
export const wholeWords = 2
const beginnings = 5
/** Within a step. */
const first = 0
const ordered = 1
const anyOrder = 2
/** The name has these words alone. */
const same = -1

/** During the comparison of words, a rank is typos × `groups`, plus this if a word is only a prefix. */
const notWhole = 1

/** The ranks of candidates gathered by the only word of a query. */
export const onlyWord: FoundRanks = {
  whole: { asFirst: wholeWords + first, later: wholeWords + ordered },
  beginning: { asFirst: beginnings + first, later: beginnings + ordered },
  inside: { asFirst: beginnings + anyOrder, later: beginnings + anyOrder },
}
/** Preliminary ranks of candidates gathered by one of several words. */
const unranked: PlaceRanks = { asFirst: 0, later: 0 }
const onlyBeginning: PlaceRanks = { asFirst: notWhole, later: notWhole }
export const oneOfWords: FoundRanks = { whole: unranked, beginning: onlyBeginning, inside: onlyBeginning }
export const oneOfMisspelt: FoundRanks = { whole: unranked, beginning: unranked, inside: unranked }

/** By distinct query word, fewest postings first. */
export type Misspellings = ReadonlyMap<QueryWord, Misspelling>

/** How a query word fits a word: higher is better, 0 is no fit. */
const beginningFit = 1
const wholeFit = 2

export class Ranker {
  readonly #file: SearchFile
  readonly #spelling: Spelling
  /** By word, for the current query word; all 0 between query words. */
  readonly #fits: Uint8Array
  /** How words of the current query may be misspelt; null if none may. */
  #misspelt: Misspellings | null = null
  /** True if the last look at a name came upon a joined word. */
  #sawJoined = false

  constructor(file: SearchFile, spelling: Spelling) {
    this.#file = file
    this.#spelling = spelling
    this.#fits = new Uint8Array(file.wordLetters.length)
  }

  /** Refines the ranks of candidates gathered by a query's only word: finds the names that equal it. */
  rankOneWord(query: Query, { names, ranks, count }: Candidates): void {
    const { nameWordsAt } = this.#file
    for (let i = 0; i < count; i++) {
      if (ranks[i] !== wholeWords + first) continue
      const name = names[i]!
      if (nameWordsAt[name + 1]! - nameWordsAt[name]! === 1) ranks[i] = this.#isTyped(query, name) ? typed : equal
    }
  }

  /**
   * Keeps the candidates that match by steps 1 to 3, and sets their ranks.
   * @param checked how many of the query's distinct words all candidates have
   */
  rankExact(query: Query, candidates: Candidates, checked: number): void {
    this.#misspelt = null
    for (const asked of query.distinct.slice(checked)) {
      this.#setFits(asked, beginningFit, wholeFit)
      this.#keepFitting(candidates)
      this.#setFits(asked, 0, 0)
    }
    const { names, ranks, count } = candidates
    for (let i = 0; i < count; i++) ranks[i] = this.#group(query, names[i]!, ranks[i]! !== notWhole)
  }

  /** Keeps the candidates that match with typos, and sets their ranks. */
  rankWithTypos(query: Query, misspelt: Misspellings, candidates: Candidates): void {
    this.#misspelt = misspelt
    for (const asked of misspelt.values()) this.#keepFittingWithTypos(asked, candidates)
    const { names, ranks, count } = candidates
    for (let i = 0; i < count; i++) {
      const allWhole = ranks[i]! % groups !== notWhole
      const typos = ranks[i]! - (ranks[i]! % groups)
      ranks[i] = typos + this.#group(query, names[i]!, allWhole)
    }
  }

  /** Ranks names without words that equal a query without words when folded. */
  rankSigns(query: Query, { names, ranks, count }: Candidates): void {
    for (let i = 0; i < count; i++) ranks[i] = this.#isTyped(query, names[i]!) ? typed : equal
  }

  #setFits({ first, end, inside, whole }: Found, fit: number, fitOfWhole: number): void {
    const fits = this.#fits
    if (inside === null) fits.fill(fit, first, end)
    else for (let i = 0; i < inside.length; i++) fits[inside[i]!] = fit
    if (whole !== -1) fits[whole] = fitOfWhole
  }

  #keepFitting(candidates: Candidates): void {
    const { nameWordsAt, nameWords } = this.#file
    const { names, ranks, count } = candidates
    const fits = this.#fits
    let kept = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      const end = nameWordsAt[name + 1]!
      let best = 0
      for (let place = nameWordsAt[name]!; place < end; place++) {
        const fit = fits[nameWords[place]! & wordMask]!
        if (fit > best) best = fit
      }
      if (best === 0) continue
      names[kept] = name
      ranks[kept++] = best === wholeFit ? ranks[i]! : notWhole
    }
    candidates.count = kept
  }

  #keepFittingWithTypos(asked: Misspelling, candidates: Candidates): void {
    const { nameWordsAt, nameWords } = this.#file
    const { names, ranks, count } = candidates
    const { whole, times } = asked.word
    let kept = 0
    for (let i = 0; i < count; i++) {
      const name = names[i]!
      const end = nameWordsAt[name + 1]!
      let fewest = tooFar
      let isWhole = false
      for (let place = nameWordsAt[name]!; place < end; place++) {
        const word = nameWords[place]! & wordMask
        isWhole ||= word === whole
        fewest = Math.min(fewest, this.#spelling.typos(asked, word))
      }
      if (fewest === tooFar) continue
      names[kept] = name
      ranks[kept++] = (ranks[i]! + fewest * times * groups) | (fewest === 0 && !isWhole ? notWhole : 0)
    }
    candidates.count = kept
  }

  /** The group of a name that has all words of the query, or their `misspelt` forms. */
  #group(query: Query, name: number, allWhole: boolean): number {
    const order = this.#order(query, name, allWhole)
    if (order === same) return this.#isTyped(query, name) ? typed : equal
    return (allWhole ? wholeWords : beginnings) + order
  }

  /** The best order of a name's words, with joined words in place of their parts or without. */
  #order(query: Query, name: number, allWhole: boolean): number {
    const order = this.#orderOf(query, name, allWhole, false)
    if (order <= first || !this.#sawJoined) return order
    return Math.min(order, this.#orderOf(query, name, allWhole, true))
  }

  #orderOf({ words }: Query, name: number, allWhole: boolean, joined: boolean): number {
    const misspelt = this.#misspelt
    const { nameWordsAt, nameWords } = this.#file
    const start = nameWordsAt[name]!
    const end = nameWordsAt[name + 1]!
    this.#sawJoined = false
    if (words.length > end - start) return anyOrder
    let next = 0
    let asFirst = true
    let place = start
    for (; place < end && next < words.length; place++) {
      const word = nameWords[place]! & wordMask
      if (word !== nameWords[place]) {
        this.#sawJoined = true
        if (!joined) continue
        place += nameWords[place]! >>> wordBits
      }
      const asked = words[next]!
      let fits = allWhole ? word === asked.whole : asked.begins(word)
      if (misspelt !== null && !fits) fits = this.#isCorrected(misspelt.get(asked), word, name, allWhole)
      if (fits) next++
      else asFirst = false
    }
    if (next < words.length) return anyOrder
    if (!asFirst) return ordered
    return allWhole && !joined && place === end ? same : first
  }

  /**
   * True if the query word, which does not fit as typed, becomes this word with the fewest typos of any word of the name, or
   * a prefix of it unless all words must be whole.
   */
  #isCorrected(asked: Misspelling | undefined, word: number, name: number, whole: boolean): boolean {
    if (asked === undefined) return false
    const { nameWords, nameWordsAt } = this.#file
    const start = nameWordsAt[name]!
    const end = nameWordsAt[name + 1]!
    const spelling = this.#spelling
    let fewest = tooFar
    for (let place = start; place < end; place++)
      fewest = Math.min(fewest, spelling.typos(asked, nameWords[place]! & wordMask))
    if (fewest === 0) return false
    if (spelling.typos(asked, word) === fewest) return true
    if (whole) return false
    for (let place = start; place < end; place++) {
      const correction = nameWords[place]! & wordMask
      if (spelling.typos(asked, correction) === fewest && spelling.begins(correction, word)) return true
    }
    return false
  }

  /** True if the name equals the query as typed. If it has signs, its case does not count. */
  #isTyped({ typed }: Query, name: number): boolean {
    const { nameText, nameTextAt } = this.#file
    const start = nameTextAt[name]!
    const end = nameTextAt[name + 1]!
    let at = end - start === typed.length ? start : end + 1
    while (at < end && nameText[at] === typed.charCodeAt(at - start)) at++
    if (at === end) return true
    return hasSigns(typed) && foldCase(String.fromCharCode(...nameText.subarray(start, end))) === foldCase(typed)
  }
}
