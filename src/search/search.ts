/**
 * Finds cards by name.
 *
 *   query ─ fold ─► words ─ vocabulary ─► what each finds ─► the names of the rarest one ─ rank ─► hits ─► page
 *                                                           none as typed: cross-fields.ts, then typos
 *
 * Names are looked up, not printings. Only the word with the fewest postings is followed to its names (or the cards of
 * the filter's sets, if they are fewer); the other words are checked on the words of the names found. State is kept in
 * arrays that all queries use in turn, so a search is one synchronous call.
 */
import { noDay } from '../calendar.ts'
import type { ChangesFile } from '../indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax, suggestLimitMax } from '../limits.ts'
import { foldSigns } from '../names/fold.ts'
import { BestNames, type NameList } from './best-names.ts'
import { Candidates } from './candidates.ts'
import { CommonWords } from './common-words.ts'
import { CrossFields } from './cross-fields.ts'
import { type HitPage, Hits } from './hits.ts'
import { Listing } from './listing.ts'
import { type Movement, Movers } from './movers.ts'
import { groups, oneOfMisspelt, oneOfWords, onlyWord, Ranker, wholeWords } from './rank.ts'
import { everyCard, type Filter, Filters, type Scope } from './scope/filters.ts'
import { InScope } from './scope/in-scope.ts'
import { Orders, type Sort } from './scope/orders.ts'
import { type IdsElsewhere, intersection, ScopeLists } from './scope/scope-lists.ts'
import { SetWords } from './set-words.ts'
import { PrefixCounts } from './words/prefix-counts.ts'
import type { Query } from './words/query.ts'
import { type Misspelling, Spelling } from './words/spelling.ts'
import { Vocabulary } from './words/vocabulary.ts'

export type { NameList } from './best-names.ts'
export type { HitPage } from './hits.ts'
export type { Movement } from './movers.ts'
export type { Filter } from './scope/filters.ts'

export class Search {
  readonly #file: SearchFile
  readonly #vocabulary: Vocabulary
  readonly #spelling: Spelling
  readonly #filters: Filters
  readonly #candidates: Candidates
  readonly #ranker: Ranker
  readonly #hits: Hits
  readonly #common: CommonWords
  readonly #scopeLists: ScopeLists
  readonly #page: HitPage = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }
  readonly #best = new BestNames(suggestLimitMax)
  readonly #listing: Listing
  readonly setWords: SetWords
  readonly #crossFields: CrossFields
  readonly #movers: Movers
  /** Names without words, by `foldSigns`. */
  readonly #signs = new Map<string, number[]>()

  private constructor(
    file: SearchFile,
    lists: ListsFile,
    changes: ChangesFile,
    vocabulary: Vocabulary,
    prefixCounts: PrefixCounts,
  ) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#spelling = new Spelling(file)
    this.#filters = new Filters(file, lists)
    this.#candidates = new Candidates(file)
    this.#ranker = new Ranker(file, this.#spelling)
    const orders = new Orders(lists, changes)
    this.#hits = new Hits(file, new InScope(file, lists, changes), orders)
    this.#common = new CommonWords(file, prefixCounts, this.#candidates, this.#ranker, this.#hits)
    this.#scopeLists = new ScopeLists(file, lists, orders)
    this.#listing = new Listing(
      new InScope(file, lists, changes),
      this.#filters,
      orders,
      this.#scopeLists,
      file.cards.length,
    )
    this.setWords = new SetWords(file)
    this.#crossFields = new CrossFields(
      file,
      lists,
      new InScope(file, lists, changes),
      this.setWords,
      orders,
      this.#scopeLists,
      this.#candidates,
      this.#spelling,
    )
    this.#movers = new Movers(changes, lists, file, this.#filters)
    this.#readSigns()
  }

  /** Ready to answer. Works in slices of at most 5 ms, with `pause` between them. */
  static async load(
    file: SearchFile,
    lists: ListsFile,
    changes: ChangesFile,
    pause: () => Promise<void>,
  ): Promise<Search> {
    const vocabulary = await Vocabulary.load(file, pause)
    const prefixCounts = await PrefixCounts.load(file, pause)
    await pause()
    return new Search(file, lists, changes, vocabulary, prefixCounts)
  }

  /**
   * The cards whose names match, best first or as `sort` says: `limit` of them after the first `offset`. Never throws for
   * any string.
   * The returned page is reused by the next call.
   * @param limit at most `searchLimitMax`
   */
  find(query: string, filter: Filter, limit: number, offset: number, sort: Sort = 'relevance'): HitPage {
    const page = this.#page
    page.total = 0
    page.count = 0
    const scope = this.#filters.scope(filter)
    if (scope === null) return page
    const asked = this.#vocabulary.ask(query)
    this.#hits.start(scope, sort, groups * (1 + 2 * asked.words.length))
    const canBeCommon = sort === 'relevance' && asked.joined === null && isOfNamesAlone(scope)
    const isCommon = canBeCommon && this.#common.fill(asked, scope.game, page, limit, offset)
    if (isCommon && page.total > 0) return page
    if (!isCommon) {
      page.count = 0
      this.#gatherExact(query, asked, scope)
      this.#takeRanked()
    }
    const isOfFields = (withTypos: boolean) =>
      this.#hits.total === 0 && this.#crossFields.fill(query, asked, withTypos, scope, sort, page, limit, offset)
    let isFull = isOfFields(false)
    if (!isFull && this.#hits.total === 0 && asked.distinct.some(({ typosMax }) => typosMax > 0)) {
      if (canHaveTypos(asked)) {
        this.#gatherWithTypos(asked, scope)
        this.#takeRanked()
      }
      isFull = isOfFields(true)
    }
    if (isFull) {
      this.#hits.clear()
      return page
    }
    this.#hits.fill(page, limit, offset)
    this.#hits.clear()
    return page
  }

  /** Set numbers: the sets of the game (-1: of all) whose name or code matches, best first. */
  sets(query: string, game: number): readonly number[] {
    return this.setWords.find(query, game)
  }

  /** Set numbers: the sets of a game that have the code, without regard to case. */
  setsWithCode(code: string, game: number): readonly number[] {
    return this.#filters.setsWithCode(code, game)
  }

  /** The cards of a filter that names a game or a set, or of ids elsewhere; see `Listing.find`. */
  list(filter: Filter, ids: IdsElsewhere, limit: number, offset: number, sort: Sort): HitPage {
    return this.#listing.find(filter, ids, limit, offset, sort)
  }

  /** The cards that have all the ids, ascending; at least one must be given. */
  cardsOfIds(ids: IdsElsewhere): number[] {
    const lists = this.#scopeLists.ofIds(ids)
    if (lists === null) return []
    const { cards, from, to } = intersection(lists).ranges[0]!
    return [...cards.subarray(from, to)]
  }

  /** A name as it is written. */
  nameOf(name: number): string {
    const { nameText, nameTextAt } = this.#file
    const units = nameText.slice(nameTextAt[name]!, nameTextAt[name + 1]!)
    return Buffer.from(units.buffer).toString('utf16le')
  }

  /** The words of names that differ from a folded word by one typo; none if it must not have one. */
  wordsWithOneTypo(word: string): string[] {
    return this.#spelling.wordsWithOneTypo(this.#vocabulary.askWord(word))
  }

  /** The cards of a game and a set that moved; see `Movers.find`. */
  movers(filter: Pick<Filter, 'game' | 'set'>, movement: Movement, limit: number, offset: number): HitPage {
    return this.#movers.find(filter, movement, limit, offset)
  }

  /**
   * The names of the game (-1: of all) that match without typos, the one whose card a search has first coming first. The
   * returned list is reused by the next call.
   * @param limit at most `suggestLimitMax`
   */
  suggest(query: string, game: number, limit: number): NameList {
    this.#gatherExact(query, this.#vocabulary.ask(query), { ...everyCard, game })
    const names = this.#best.of(this.#candidates, limit)
    this.#candidates.clear()
    return names
  }

  #readSigns(): void {
    const { nameWordsAt } = this.#file
    for (let name = 0; name < nameWordsAt.length - 1; name++) {
      if (nameWordsAt[name] !== nameWordsAt[name + 1]) continue
      const key = foldSigns(this.nameOf(name))
      this.#signs.set(key, [...(this.#signs.get(key) ?? []), name])
    }
  }

  /** Steps 1 to 3: ranks the names that match. */
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
    if (rarest.postings === 0) return
    const cards = this.#scopeLists.shortest(scope, rarest.postings)
    if (cards !== null) {
      candidates.addFromCards(cards, scope.game)
      candidates.close()
      ranker.rankExact(query, candidates, 0)
    } else if (query.words.length === 1) {
      candidates.addFoundBy(rarest, scope, onlyWord)
      candidates.close()
      ranker.rankOneWord(query, candidates)
    } else {
      candidates.addFoundBy(rarest, scope, oneOfWords)
      candidates.close()
      ranker.rankExact(query, candidates, 1)
    }
  }

  /** The last step, after the steps before it have found nothing in scope: a word must have a typo. */
  #gatherWithTypos(query: Query, scope: Scope): void {
    const candidates = this.#candidates
    const spelling = this.#spelling
    const rarest = query.distinct.reduce((a, b) => (spelling.cost(b) < spelling.cost(a) ? b : a))
    const cost = spelling.cost(rarest)
    const costOfTypos = query.distinct.reduce((sum, word) => sum + spelling.costOfTypos(word), 0)
    if (costOfTypos === 0) return
    const misspelt = new Map(query.distinct.map((word) => [word, spelling.misspelling(word)]))
    const cards = this.#scopeLists.shortest(scope, cost)
    if (cards !== null) {
      candidates.addFromCards(cards, scope.game)
    } else if (costOfTypos < cost) {
      for (const asked of misspelt.values()) this.#addMisspelt(asked, scope)
    } else {
      candidates.addFoundBy(rarest, scope, oneOfMisspelt)
      this.#addMisspelt(misspelt.get(rarest)!, scope)
    }
    candidates.close()
    this.#ranker.rankWithTypos(query, misspelt, candidates)
    for (const asked of misspelt.values()) spelling.forget(asked)
  }

  #addMisspelt(asked: Misspelling, { game }: Scope): void {
    for (const word of this.#spelling.wordsWithTypos(asked)) {
      this.#candidates.addHolders(word, word + 1, game, oneOfMisspelt.whole)
    }
  }

  #takeRanked(): void {
    this.#hits.add(this.#candidates.names, this.#candidates.ranks, this.#candidates.count)
    this.#candidates.clear()
  }
}

/** True if a card is in scope when its name is. */
const isOfNamesAlone = ({ sets, rarity, printings, number, maxCents, changedSince }: Scope): boolean =>
  sets === null &&
  printings === null &&
  rarity === noRarity &&
  number === -1 &&
  maxCents === noPrice &&
  changedSince === noDay

/** True unless a word finds nothing and may not have typos either: then no name can match. */
const canHaveTypos = ({ distinct }: Query): boolean =>
  distinct.some((asked) => asked.typosMax > 0) && distinct.every((asked) => asked.typosMax > 0 || asked.postings > 0)
