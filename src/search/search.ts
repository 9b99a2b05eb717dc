/**
 * Finds cards by name.
 *
 *   query ─ fold ─► words ─ vocabulary ─► what each finds ─► the names of the rarest one ─ rank ─► hits ─► page
 *
 * Names are looked up, not printings. Only the word with the fewest postings is followed to its names (or the cards of
 * the filter's sets, if they are fewer); the other words are checked on the words of the names found. State is kept in
 * arrays that all queries use in turn, so a search is one synchronous call.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { searchLimitMax } from '../limits.ts'
import { type Filter, Filters, type Scope } from './filters.ts'
import { foldSigns } from './fold.ts'
import { Hits, type Page } from './hits.ts'
import { groups, Ranking } from './rank.ts'
import { type QueryWord, Vocabulary } from './vocabulary.ts'

export type { Filter } from './filters.ts'
export type { Page } from './hits.ts'

/** A word that may have typos is followed only where others have more postings: looking for typos costs as much. */
const postingsPerTypoScan = 1000

export class Search {
  readonly #file: SearchFile
  readonly #vocabulary: Vocabulary
  readonly #filters: Filters
  readonly #hits: Hits
  readonly #page: Page = { total: 0, count: 0, cards: new Uint32Array(searchLimitMax) }
  /** Names without words, by `foldSigns`. */
  readonly #signs = new Map<string, number[]>()

  private constructor(file: SearchFile, vocabulary: Vocabulary) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#filters = new Filters(file)
    this.#hits = new Hits(file)
    this.#readSigns()
  }

  /** Ready to answer. Works in slices of at most 5 ms, with `pause` between them. */
  static async load(file: SearchFile, pause: () => Promise<void>): Promise<Search> {
    const vocabulary = await Vocabulary.load(file, pause)
    return new Search(file, vocabulary)
  }

  /**
   * The cards whose names match, best first: `limit` of them after the first `offset`. Never throws for any string.
   * The returned page is reused by the next call.
   * @param limit at most `searchLimitMax`
   */
  find(query: string, filter: Filter, limit: number, offset: number): Page {
    const page = this.#page
    page.total = 0
    page.count = 0
    const scope = this.#filters.scope(filter)
    if (scope === null) return page
    const ranking = new Ranking(this.#file, this.#vocabulary, query)
    const hits = this.#hits
    hits.start(scope, groups * (1 + 2 * ranking.words.length))
    if (ranking.words.length === 0) {
      this.#matchSigns(query, ranking)
    } else {
      this.#matchExactly(ranking, scope)
      if (hits.total === 0 && canHaveTypos(ranking)) {
        hits.clear()
        hits.start(scope, 0)
        this.#matchWithTypos(ranking, scope)
      }
    }
    hits.fill(page, limit, offset)
    hits.clear()
    return page
  }

  #readSigns(): void {
    const { nameText, nameTextAt, nameWordsAt } = this.#file
    for (let name = 0; name < nameWordsAt.length - 1; name++) {
      if (nameWordsAt[name] !== nameWordsAt[name + 1]) continue
      const units = nameText.slice(nameTextAt[name]!, nameTextAt[name + 1]!)
      const key = foldSigns(Buffer.from(units.buffer).toString('utf16le'))
      this.#signs.set(key, [...(this.#signs.get(key) ?? []), name])
    }
  }

  #matchSigns(query: string, ranking: Ranking): void {
    for (const name of this.#signs.get(foldSigns(query)) ?? []) {
      if (this.#hits.isNew(name)) this.#hits.add(name, ranking.ofSigns(name))
    }
  }

  /** Steps 1 to 3. */
  #matchExactly(ranking: Ranking, scope: Scope): void {
    const rarest = ranking.distinct[0]!
    if (rarest.postings === 0) return
    const hits = this.#hits
    const offer = (name: number) => {
      if (hits.isNew(name)) hits.add(name, ranking.exact(name))
    }
    if (this.#cardCount(scope) < rarest.postings) this.#eachNameOfSets(scope, offer)
    else this.#eachNameOf(rarest, offer)
  }

  /** Step 4. */
  #matchWithTypos(ranking: Ranking, scope: Scope): void {
    const hits = this.#hits
    const offer = (name: number) => {
      if (hits.isNew(name)) hits.add(name, ranking.withTypos(name))
    }
    const cost = ({ postings, typosMax }: QueryWord) => postings + (typosMax > 0 ? postingsPerTypoScan : 0)
    const rarest = ranking.distinct.reduce((a, b) => (cost(b) < cost(a) ? b : a))
    if (this.#cardCount(scope) < cost(rarest)) {
      this.#eachNameOfSets(scope, offer)
    } else {
      this.#eachNameOf(rarest, offer)
      this.#vocabulary.eachWithTypos(rarest, (word) => this.#eachNameWith(word, word + 1, offer))
    }
  }

  /** How many cards the scope's sets have. */
  #cardCount({ sets }: Scope): number {
    const { setCardsAt } = this.#file
    if (sets === null) return Number.POSITIVE_INFINITY
    return sets.reduce((sum, set) => sum + setCardsAt[set + 1]! - setCardsAt[set]!, 0)
  }

  #eachNameOfSets({ sets }: Scope, visit: (name: number) => void): void {
    const { setCardsAt, setCards, cardName } = this.#file
    for (const set of sets ?? []) {
      for (let i = setCardsAt[set]!; i < setCardsAt[set + 1]!; i++) visit(cardName[setCards[i]!]!)
    }
  }

  /** The names that hold a word which the query word finds; a name may come twice. */
  #eachNameOf({ first, end, inside }: QueryWord, visit: (name: number) => void): void {
    if (inside === null) this.#eachNameWith(first, end, visit)
    else for (const word of inside) this.#eachNameWith(word, word + 1, visit)
  }

  /** The names that hold a word from `first` up to `end`. */
  #eachNameWith(first: number, end: number, visit: (name: number) => void): void {
    const { postings, postingsAt } = this.#file
    for (let i = postingsAt[first]!; i < postingsAt[end]!; i++) visit(postings[i]!)
  }
}

/** True unless a word finds nothing and may not have typos either: then no name can match. */
const canHaveTypos = (ranking: Ranking): boolean =>
  ranking.distinct.some((asked) => asked.typosMax > 0) &&
  ranking.distinct.every((asked) => asked.typosMax > 0 || asked.postings > 0)
