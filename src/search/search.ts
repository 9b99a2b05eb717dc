/**
 * Finds cards by name.
 *
 *   query ─ fold ─► words ─ vocabulary ─► words of names ─► the names with the rarest one ─ rank ─► hits ─► page
 *
 * If no card in scope has a name that matches as typed, cross-fields.ts follows, then printed.ts, then names with
 * typos, then cross-fields.ts with typos.
 *
 * Names are looked up, not printings. Only the query word with the fewest postings, the rarest word, is followed to
 * names. The other query words are compared with the words of these names. All queries use the same arrays, one
 * after the other. So a search must be one synchronous call.
 *
 * The work is bounded, whatever a query says. A search makes at most six attempts: the words as typed, the words joined
 * across signs (`D.D. Crow` as `dd crow`), cross-fields, printed, typos, cross-fields with typos. Each attempt does at
 * most the five tasks below. The last paragraph says what cross-fields and printed do in addition.
 *
 *   1. It reads the words of the query, which has at most 200 characters.
 *   2. For each query word, it looks at each word of the vocabulary once.
 *   3. For one query word, the rarest, it gathers the names that have the word. Each name is gathered once.
 *   4. It compares the words of each gathered name with each query word.
 *   5. It ranks the cards of the gathered names, and selects a page of at most 100 cards. A heap keeps the best
 *      cards up to the end of the page, so a large offset costs more. At most, it keeps all cards found.
 *
 * A query word may also be a number, a set's code, or a word of sets' names. Cross-fields gathers the cards of only one
 * term of the query, the rarest: a number's cards, or the cards of all sets and names that have the word. The attempt
 * `printed` gathers all cards of the sets that the query names, and the cards of at most two numbers. For each of these
 * two numbers, it also tries 16 variants: the number with each of 15 language codes (EN in LOB-EN001), and without one.
 */
import type { ChangesFile } from '../indexes/changes-file.ts'
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax, suggestLimitMax } from '../limits.ts'
import { foldSigns } from '../names/fold.ts'
import { Candidates } from './candidates.ts'
import { CrossFields } from './cross-fields.ts'
import { Hits } from './hits.ts'
import { Listing, type Movement } from './listing.ts'
import type { SearchParts } from './parts.ts'
import { Printed } from './printed.ts'
import { oneOfMisspelt, oneOfWords, onlyWord, Ranker, wholeWords } from './rank.ts'
import { everyCard, type Filter, Filters, type Scope } from './scope/filters.ts'
import { InScope } from './scope/in-scope.ts'
import { type ListSort, ordersOf, type Sort } from './scope/orders.ts'
import { type IdsElsewhere, ScopeLists } from './scope/scope-lists.ts'
import { type HitPage, type Paging, Selection } from './scope/select.ts'
import { SetWords } from './set-words.ts'
import type { Query, QueryWord } from './words/query.ts'
import { Spelling } from './words/spelling.ts'
import { Vocabulary } from './words/vocabulary.ts'

export type { Movement } from './listing.ts'
export type { Filter } from './scope/filters.ts'
export type { HitPage, Paging } from './scope/select.ts'

export interface NameList {
  readonly count: number
  /** Valid up to `count`. */
  readonly names: Uint32Array
}

export class Search {
  readonly #parts: SearchParts
  readonly #vocabulary: Vocabulary
  readonly #spelling: Spelling
  readonly #candidates: Candidates
  readonly #ranker: Ranker
  readonly #hits: Hits
  readonly #names: HitPage = { total: 0, count: 0, cards: new Uint32Array(suggestLimitMax) }
  readonly #listing: Listing
  readonly setWords: SetWords
  readonly #crossFields: CrossFields
  readonly #printed: Printed
  /** The names without letters and digits (`_____`), by their text folded by `foldSigns`. */
  readonly #signs = new Map<string, number[]>()

  private constructor(
    file: SearchFile,
    lists: ListsFile,
    changes: ChangesFile,
    { vocabulary, setWords }: { readonly vocabulary: Vocabulary; readonly setWords: SetWords },
  ) {
    this.#parts = {
      file,
      lists,
      filters: new Filters(file, lists),
      orders: ordersOf(file, lists, changes),
      scopeLists: new ScopeLists(file, lists, changes),
      inScope: new InScope(file, lists, changes),
      selection: new Selection(lists.cardGame.length),
      page: { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) },
    }
    this.#vocabulary = vocabulary
    this.#spelling = new Spelling(file)
    this.#candidates = new Candidates(file)
    this.#ranker = new Ranker(file, this.#spelling)
    this.#hits = new Hits(this.#parts)
    this.#listing = new Listing(this.#parts, changes)
    this.setWords = setWords
    this.#crossFields = new CrossFields(this.#parts, this.setWords, this.#candidates, this.#spelling)
    this.#printed = new Printed(this.#parts, this.setWords)
    this.#readSigns()
  }

  /** Opens the search of a version. It builds the dictionary in slices of some 2 ms and awaits `pause` between them. */
  static async load(
    file: SearchFile,
    lists: ListsFile,
    changes: ChangesFile,
    pause: () => Promise<void>,
  ): Promise<Search> {
    const vocabulary = await Vocabulary.load(file, pause)
    await pause()
    const setWords = new SetWords(file)
    await pause()
    return new Search(file, lists, changes, { vocabulary, setWords })
  }

  /**
   * Returns a page of the cards that match, the best first, or in the order `sort`. It never throws, whatever the
   * query. The next call overwrites the returned page.
   * @param paging its limit is at most `searchLimitMax`
   */
  find(query: string, filter: Filter, paging: Paging, sort: Sort = 'relevance'): HitPage {
    const { page, filters } = this.#parts
    page.total = 0
    page.count = 0
    const scope = filters.scope(filter)
    if (scope === null) return page
    const asked = this.#vocabulary.ask(query)
    const takeRanked = () => {
      this.#hits.fill(this.#candidates, scope, sort, paging)
      this.#candidates.clear()
      return page.total > 0
    }
    this.#gatherExact(query, asked, scope)
    if (takeRanked()) return page
    if (this.#crossFields.fill({ text: query, query: asked, withTypos: false }, scope, sort, paging)) return page
    if (this.#printed.fill(query, scope, sort, paging)) return page
    if (asked.distinct.every(({ typosMax }) => typosMax === 0)) return page
    // Each word must either be long enough for a typo, or find something as typed. Otherwise no name can match.
    if (asked.distinct.every(({ typosMax, postings }) => typosMax > 0 || postings > 0)) {
      this.#gatherWithTypos(asked, scope)
      if (takeRanked()) return page
    }
    this.#crossFields.fill({ text: query, query: asked, withTypos: true }, scope, sort, paging)
    return page
  }

  /** Returns the numbers of the game's sets (-1: of all games) whose name or code matches, the best first. */
  sets(query: string, game: number): readonly number[] {
    return this.setWords.find(query, game)
  }

  /** Returns the numbers of a game's sets with the code, without regard to case. */
  setsWithCode(code: string, game: number): readonly number[] {
    return this.#parts.filters.setsWithCode(code, game)
  }

  /** See `ScopeLists.totalOfSet`. */
  totalOfSet(set: number): number {
    return this.#parts.scopeLists.totalOfSet(set)
  }

  /** The cards that match the filter and have all the external ids; see `Listing.cards`. */
  list(filter: Filter, ids: IdsElsewhere, paging: Paging, sort: ListSort): HitPage {
    return this.#listing.cards(filter, ids, paging, sort)
  }

  /** The cards that have all the external ids, by ascending index. At least one id must be given. */
  cardsOfIds(ids: IdsElsewhere): number[] {
    return (this.#parts.scopeLists.ofIds(ids) ?? []).flatMap(({ cards, from, to }) => [...cards.subarray(from, to)])
  }

  /** The name with this number, as it is written. */
  nameOf(name: number): string {
    const { nameText, nameTextAt } = this.#parts.file
    const units = nameText.slice(nameTextAt[name]!, nameTextAt[name + 1]!)
    return Buffer.from(units.buffer).toString('utf16le')
  }

  /** Looks up a folded word, and returns the words of names that it finds. */
  askWord(word: string): QueryWord {
    return this.#vocabulary.askWord(word)
  }

  /** The words of names that differ from the word by one typo. There are none if the word may not have typos. */
  wordsWithOneTypo(word: QueryWord): string[] {
    return this.#spelling.wordsWithOneTypo(word)
  }

  /** The cards of a game and a set whose price moved; see `Listing.movers`. */
  movers(filter: Pick<Filter, 'game' | 'set'>, movement: Movement, paging: Paging): HitPage {
    return this.#listing.movers(filter, movement, paging)
  }

  /**
   * The names of the game (-1: of all games) that match without typos. The names are in the order of a search's hits:
   * each stands where the search would show its first card. The next call overwrites the returned list.
   * @param limit at most `suggestLimitMax`
   */
  suggest(query: string, game: number, limit: number): NameList {
    const { selection } = this.#parts
    this.#gatherExact(query, this.#vocabulary.ask(query), { ...everyCard, game })
    const { names, ranks, count } = this.#candidates
    // Names are numbered in the order of their first cards.
    selection.start(0, limit)
    for (let i = 0; i < count; i++) selection.add(names[i]!, ranks[i]!)
    selection.fill(this.#names)
    this.#candidates.clear()
    return { names: this.#names.cards, count: this.#names.count }
  }

  #readSigns(): void {
    const { nameWordsAt } = this.#parts.file
    for (let name = 0; name < nameWordsAt.length - 1; name++) {
      if (nameWordsAt[name] !== nameWordsAt[name + 1]) continue
      const key = foldSigns(this.nameOf(name))
      const known = this.#signs.get(key)
      if (known === undefined) this.#signs.set(key, [name])
      else known.push(name)
    }
  }

  /**
   * Gathers and ranks the names that match without typos (tiers 1 to 3 of rank.ts): first the query as it is, then with
   * joined words.
   */
  #gatherExact(text: string, query: Query, scope: Scope): void {
    this.#gatherReading(text, query, scope)
    if (query.joined === null) return
    this.#candidates.setAside()
    this.#gatherReading(text, query.joined, scope)
    this.#candidates.addAside(wholeWords)
  }

  #gatherReading(text: string, query: Query, scope: Scope): void {
    const candidates = this.#candidates
    const ranker = this.#ranker
    if (query.words.length === 0) {
      candidates.addNames(this.#signs.get(foldSigns(text)) ?? [], scope)
      candidates.close()
      ranker.rankSigns(query, candidates)
      return
    }
    const rarest = query.distinct[0]!
    const isOnly = query.words.length === 1
    candidates.addFoundBy(rarest, scope, isOnly ? onlyWord : oneOfWords)
    candidates.close()
    if (isOnly) ranker.rankOneWord(query, candidates)
    else ranker.rankExact(query, candidates, 1)
  }

  /** Gathers and ranks the names that match with typos. Call it only if no card in scope matches as typed. */
  #gatherWithTypos(query: Query, scope: Scope): void {
    const candidates = this.#candidates
    const spelling = this.#spelling
    const misspelt = new Map(query.distinct.map((word) => [word, spelling.misspelling(word)]))
    const rarest = query.distinct[0]!
    candidates.addFoundBy(rarest, scope, oneOfMisspelt, spelling.wordsWithTypos(misspelt.get(rarest)!))
    candidates.close()
    this.#ranker.rankWithTypos(query, misspelt, candidates)
    for (const asked of misspelt.values()) spelling.forget(asked)
  }
}
