/**
 * Ranks names for a query. The best name has the lowest rank. A rank is the number of a group, plus `groups` (8) for
 * each typo. The groups form three tiers:
 *
 *   0 typed      the name equals the query as typed               ┐ tier 1
 *   1 equal      the name equals the query when both are folded   ┘
 *   2 first      the name begins with the query's words           ┐ tier 2: all are whole words of the name
 *   3 ordered    the name has the query's words in their order    │
 *   4 anyOrder   the name has the query's words in another order  ┘
 *   5 6 7        the same as 2 3 4, but a query word is only a prefix of a word: tier 3
 *
 * If a Japanese query word occurs only inside words of the name, not at their beginning, the name is in group 7.
 *
 * All candidates are ranked together, one query word after the other. For the current query word, `#fits` says how the
 * query word fits each word of the vocabulary. Candidates without a fitting word are dropped. At the end, the order of
 * words is examined for the remaining candidates.
 */
import { endOf } from '../indexes/bounds.ts'
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
/** The groups of tiers 2 and 3, counted from the first group of the tier. */
const first = 0
const ordered = 1
const anyOrder = 2
/**
 * If a name has more words than this, their order is not examined: that would compare each word with all others. No
 * card has such a name.
 */
const orderedWordsMax = 1000
/** The order of a name that has the query's words and no others. */
const same = -1

/**
 * While words are compared, a rank is typos × `groups`, plus this if a query word is only a prefix of a word of the
 * name.
 */
const notWhole = 1

/** The ranks of candidates if the query has only one word. */
export const onlyWord: FoundRanks = {
  whole: { asFirst: wholeWords + first, later: wholeWords + ordered },
  beginning: { asFirst: beginnings + first, later: beginnings + ordered },
  inside: { asFirst: beginnings + anyOrder, later: beginnings + anyOrder },
}
/** The preliminary ranks of candidates if the query has several words. Candidates are gathered by one of the words. */
const unranked: PlaceRanks = { asFirst: 0, later: 0 }
const onlyBeginning: PlaceRanks = { asFirst: notWhole, later: notWhole }
export const oneOfWords: FoundRanks = { whole: unranked, beginning: onlyBeginning, inside: onlyBeginning }
export const oneOfMisspelt: FoundRanks = { whole: unranked, beginning: unranked, inside: unranked }

/** By distinct query word. The word with the fewest postings comes first. */
export type Misspellings = ReadonlyMap<QueryWord, Misspelling>

/** How well a query word fits a word of the vocabulary: a higher number is better, and 0 means that it does not fit. */
const beginningFit = 1
const wholeFit = 2

export class Ranker {
  readonly #file: SearchFile
  readonly #spelling: Spelling
  /** By word of the vocabulary: how well the current query word fits it. Between query words, all entries are 0. */
  readonly #fits: Uint8Array
  /** The current query's words that may have typos; null if the query is compared without typos. */
  #misspelt: Misspellings | null = null
  /** True if the name that `#orderOf` examined last has a joined word. */
  #sawJoined = false

  constructor(file: SearchFile, spelling: Spelling) {
    this.#file = file
    this.#spelling = spelling
    this.#fits = new Uint8Array(file.wordLetters.length)
  }

  /** Finds the candidates that equal a query of one word, and improves their ranks. */
  rankOneWord(query: Query, { names, ranks, count }: Candidates): void {
    const { nameWordsAt } = this.#file
    for (let i = 0; i < count; i++) {
      if (ranks[i] !== wholeWords + first) continue
      const name = names[i]!
      if (nameWordsAt[name + 1]! - nameWordsAt[name]! === 1) ranks[i] = this.#isTyped(query, name) ? typed : equal
    }
  }

  /**
   * Keeps the candidates that match in one of the three tiers, and sets their ranks.
   * @param checked all candidates are known to have the first `checked` words of `query.distinct`
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

  /**
   * Ranks the candidates of a query that has only signs. The candidates have only signs, too, and equal the query when
   * folded.
   */
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
      const end = endOf(nameWordsAt, name, nameWords.length)
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
      const end = endOf(nameWordsAt, name, nameWords.length)
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

  /** The group of a name that has all words of the query, perhaps with typos. */
  #group(query: Query, name: number, allWhole: boolean): number {
    const order = this.#order(query, name, allWhole)
    if (order === same) return this.#isTyped(query, name) ? typed : equal
    return (allWhole ? wholeWords : beginnings) + order
  }

  /** Returns the better of two orders: of the name's own words, and with joined words in place of their parts. */
  #order(query: Query, name: number, allWhole: boolean): number {
    const order = this.#orderOf(query, name, allWhole, false)
    if (order <= first || !this.#sawJoined) return order
    return Math.min(order, this.#orderOf(query, name, allWhole, true))
  }

  #orderOf({ words }: Query, name: number, allWhole: boolean, joined: boolean): number {
    const misspelt = this.#misspelt
    const { nameWordsAt, nameWords } = this.#file
    const start = nameWordsAt[name]!
    const end = endOf(nameWordsAt, name, nameWords.length)
    this.#sawJoined = false
    if (words.length > end - start || end - start > orderedWordsMax) return anyOrder
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
   * True if the query word, with its typos, may mean this word of the name. It may mean those words of the name that
   * differ from it by the fewest typos. If words need not be whole, it may also mean each word that begins with one of
   * those.
   */
  #isCorrected(asked: Misspelling | undefined, word: number, name: number, whole: boolean): boolean {
    if (asked === undefined) return false
    const { nameWords, nameWordsAt } = this.#file
    const start = nameWordsAt[name]!
    const end = endOf(nameWordsAt, name, nameWords.length)
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

  /**
   * True if the name equals the query as typed. For a query with a sign such as ♂, a name in another case is equal,
   * too.
   */
  #isTyped({ typed }: Query, name: number): boolean {
    const { nameText, nameTextAt } = this.#file
    const start = nameTextAt[name]!
    const end = endOf(nameTextAt, name, nameText.length)
    let at = end - start === typed.length ? start : end + 1
    while (at < end && nameText[at] === typed.charCodeAt(at - start)) at++
    if (at === end) return true
    return hasSigns(typed) && foldCase(String.fromCharCode(...nameText.subarray(start, end))) === foldCase(typed)
  }
}
