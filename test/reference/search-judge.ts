/** Does the right card come first? Each check draws queries from a catalog's names and tells in how many it holds. */

import type { Search } from '../../src/search/search.ts'
import { drawBelow, drawFrom, type Random, shuffled } from '../support/random.ts'
import { plainWords } from './plain-words.ts'
import type { Scan, ScanCard, ScanFilter, ScanSet } from './scan.ts'
import { mistyped, wordsOf } from './search-queries.ts'

/** A search to be judged: card indexes, best first. */
export type Find = (
  query: string,
  filter: ScanFilter,
  limit: number,
  offset: number,
) => { total: number; cards: number[] }

export const findOf =
  (search: Search): Find =>
  (query, filter, limit, offset) => {
    const { total, count, cards } = search.find(query, filter, { limit, offset })
    return { total, cards: [...cards.subarray(0, count)] }
  }

export interface Check {
  readonly rule: string
  asked: number
  held: number
  /** The first queries that failed. */
  readonly failed: string[]
}

export const everything: ScanFilter = { game: -1, set: undefined, rarity: undefined }
const pageMax = 100
const failuresShown = 5
/** Going through more would take minutes: a page costs the more, the deeper it lies. */
const hitsPaged = 20_000

/** Checks that any search can be asked: the right card is found, or first. */
export function checkRelevance(cards: readonly ScanCard[], find: Find, random: Random, count: number): Check[] {
  const names = new Names(cards)
  const drawn = () => drawFrom(random, names.all)
  const many = (rule: string, ask: () => [query: string, holds: (hits: Hits) => boolean] | null): Check => {
    const check: Check = { rule, asked: 0, held: 0, failed: [] }
    for (let tries = 0; check.asked < count && tries < 20 * count; tries++) {
      const asked = ask()
      if (asked === null || asked[0].trim() === '') continue
      note(check, asked[0], asked[1](new Hits(find, asked[0])))
    }
    return check
  }
  const finds = (name: string) => (hits: Hits) => hits.includesOneOf(names.cardsOf(name))
  return [
    many('a. the whole name: its cards come first', () => {
      const name = drawn()
      return [name, (hits) => hits.startWith(names.cardsOf(name))]
    }),
    many('b. without accents and signs: the same', () => {
      const name = drawn()
      if (plainWords(name).length === 0) return null
      return [bare(name), (hits) => hits.startWith(names.cardsOfEqual(name))]
    }),
    many('c. words in another order: found', () => {
      const name = drawn()
      return wordsOf(name).length < 2 ? null : [shuffled(random, wordsOf(name)).join(' '), finds(name)]
    }),
    many('d. words cut to three or more letters: found', () => {
      const name = drawn()
      const cut = wordsOf(name).map((word) => word.slice(0, 3 + drawBelow(random, Math.max(1, word.length - 3))))
      return plainWords(name).length === 0 ? null : [cut.join(' '), finds(name)]
    }),
    many('e. one letter wrong: among the first 20', () => {
      const name = drawn()
      const words = wordsOf(name)
      const long = words.flatMap((word, place) => (/^[a-z]{5,}$/i.test(word) ? [place] : []))
      if (long.length === 0) return null
      const place = drawFrom(random, long)
      words[place] = mistyped(random, words[place]!)
      return [words.join(' '), (hits) => hits.first(20).some((card) => names.cardsOf(name).has(card))]
    }),
    many('f. two or more Japanese letters in a row: found', () => {
      const name = drawFrom(random, names.japanese) ?? ''
      const runs = name.match(japaneseRun) ?? []
      if (runs.length === 0) return null
      const run = drawFrom(random, runs)
      const from = drawBelow(random, run.length - 1)
      return [run.slice(from, from + 2 + drawBelow(random, run.length - from - 1)), finds(name)]
    }),
  ]
}

/** Checks against a plain scan of all names: hits in their order, exact totals, disjoint pages. */
export function checkExactness(
  { cards, sets }: { readonly cards: readonly ScanCard[]; readonly sets: readonly ScanSet[] },
  scan: Scan,
  find: Find,
  random: Random,
  queries: readonly string[],
): Check[] {
  const exact: Check = { rule: 'g. hits and total as a plain scan finds them', asked: 0, held: 0, failed: [] }
  const filtered: Check = { rule: 'g. the same with filters', asked: 0, held: 0, failed: [] }
  const paged: Check = { rule: 'h. pages of 7 give every card once', asked: 0, held: 0, failed: [] }
  const agree = (query: string, filter: ScanFilter): boolean => {
    const wanted = scan.find(query, filter)
    const found = allHits(find, query, filter, pageMax)
    return find(query, filter, 1, 0).total === wanted.length && equal(found, wanted.slice(0, hitsPaged))
  }
  for (const query of queries) {
    const card = drawFrom(random, cards)
    const set = sets[card.setNumber]!
    const filter = drawFrom(random, [
      { game: card.game, set: undefined, rarity: undefined },
      { game: card.game, set: set.code, rarity: undefined },
      { game: -1, set: set.name, rarity: undefined },
      { game: -1, set: undefined, rarity: card.rarity ?? undefined },
      { game: card.game, set: undefined, rarity: card.rarity ?? undefined },
    ])
    note(exact, query, agree(query, everything))
    note(filtered, query, agree(query, filter))
    const whole = allHits(find, query, everything, pageMax)
    if (whole.length > 0)
      note(paged, query, equal(allHits(find, query, everything, 7), whole) && new Set(whole).size === whole.length)
  }
  return [exact, filtered, paged]
}

const japaneseRun = /(?:[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}](?:(?![ 　\s])[・ー]*)){2,}/gu

/** As somebody types who has no accents and signs on the keyboard. */
function bare(name: string): string {
  return name
    .replace(/['’]/g, '')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/(?<=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])[・:：]/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
}

/** All hits of a query, a page at a time; the first `hitsPaged` of a query that has more. */
export function allHits(find: Find, query: string, filter: ScanFilter, pageSize: number): number[] {
  const hits: number[] = []
  for (;;) {
    const { cards } = find(query, filter, pageSize, hits.length)
    hits.push(...cards)
    if (cards.length < pageSize || hits.length >= hitsPaged) return hits.slice(0, hitsPaged)
  }
}

const equal = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((card, i) => card === b[i])

function note(check: Check, query: string, holds: boolean): void {
  check.asked++
  if (holds) check.held++
  else if (check.failed.length < failuresShown) check.failed.push(query)
}

class Hits {
  readonly #find: Find
  readonly #query: string

  constructor(find: Find, query: string) {
    this.#find = find
    this.#query = query
  }

  first(count: number): number[] {
    const hits: number[] = []
    while (hits.length < count) {
      const limit = Math.min(pageMax, count - hits.length)
      const { cards } = this.#find(this.#query, everything, limit, hits.length)
      hits.push(...cards)
      if (cards.length < limit) break
    }
    return hits
  }

  startWith(cards: ReadonlySet<number>): boolean {
    const hits = this.first(cards.size)
    return hits.length === cards.size && hits.every((card) => cards.has(card))
  }

  includesOneOf(cards: ReadonlySet<number>): boolean {
    for (let offset = 0; ; offset += pageMax) {
      const page = this.#find(this.#query, everything, pageMax, offset).cards
      if (page.some((card) => cards.has(card))) return true
      if (page.length < pageMax) return false
    }
  }
}

class Names {
  readonly all: readonly string[]
  readonly japanese: readonly string[]
  readonly #cards: ReadonlyMap<string, ReadonlySet<number>>
  readonly #equal: ReadonlyMap<string, ReadonlySet<number>>

  constructor(cards: readonly ScanCard[]) {
    const by = (keyOf: (name: string) => string) => {
      const numbers = Map.groupBy(cards.keys(), (number) => keyOf(cards[number]!.name))
      return new Map([...numbers].map(([key, group]) => [key, new Set(group)]))
    }
    this.#cards = by((name) => name)
    this.#equal = by((name) => plainWords(name).join(' '))
    this.all = [...this.#cards.keys()]
    this.japanese = this.all.filter((name) => name.match(japaneseRun) !== null)
  }

  cardsOf(name: string): ReadonlySet<number> {
    return this.#cards.get(name)!
  }

  /** Cards of all names that are equal without case, accents and signs. */
  cardsOfEqual(name: string): ReadonlySet<number> {
    return this.#equal.get(plainWords(name).join(' '))!
  }
}
