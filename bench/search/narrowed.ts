/** Measures searches with sorting and filters beside the same searches without them, and suggestions. */
import { suggestLimitDefault } from '../../src/api/parameters.ts'
import { fold } from '../../src/names/fold.ts'
import type { Sort } from '../../src/search/scope/orders.ts'
import type { Filter, HitPage, Search } from '../../src/search/search.ts'
import { everything } from '../../test/reference/search-judge.ts'
import { mostCommonWords, speedQueries } from '../../test/reference/search-queries.ts'
import type { SearchedCatalog } from '../../test/reference/searched-catalog.ts'
import { drawFrom, randomFrom, shuffled } from '../../test/support/random.ts'

const queriesEach = 2000
const rounds = 5
const limit = 20
/** Prices in cents. About half of the catalog's prices are above `low`, and about half are below `high`. */
const [low, high] = [50, 2000]
const prefixLettersMax = 3

type Find = (search: Search, query: string) => HitPage

const found =
  (narrowed: Partial<Filter>, sort: Sort): Find =>
  (search, query) =>
    search.find(query, { ...everything, ...narrowed }, { limit, offset: 0 }, sort)

export function printNarrowed({ cards, pageOf }: SearchedCatalog, search: Search): void {
  const queries = Object.values(speedQueries(cards, randomFrom(2), queriesEach)).flat()
  const asked = shuffled(randomFrom(3), queries)
  const common = mostCommonWords([...new Set(cards.map(({ name }) => name))])
  const numbers = cards.flatMap(({ number }) => number ?? [])
  const random = randomFrom(4)
  const ways: [name: string, find: Find][] = [
    ['as it is', found({}, 'relevance')],
    ...(['price', '-price', 'name', 'newest'] as const).map((sort): [string, Find] => [sort, found({}, sort)]),
    ['priced', found({ minCents: low, maxCents: high }, 'relevance')],
    ['priced, by price', found({ minCents: low, maxCents: high }, 'price')],
    ['at least, dearest first', found({ minCents: low }, '-price')],
    ['priced, by name', found({ minCents: low, maxCents: high }, 'name')],
    ['a number', (one, query) => found({ number: drawFrom(random, numbers) ?? '1' }, 'relevance')(one, query)],
  ]
  console.log(
    `\n## Sorted and narrowed\n\nEach query's median of ${rounds} rounds, all ways in turn, to the bytes of the page.\n`,
  )
  console.log('| way | all queries, mean ms | to as it is | common words, mean ms | worst | sum of totals |')
  console.log('|---|---|---|---|---|---|')
  for (const [, find] of ways) for (const query of queries) find(search, query)
  const answer = (find: Find, query: string) => void pageOf(find(search, query), limit, 0)
  const all = timesOf(ways, answer, asked)
  const ofCommon = timesOf(ways, answer, common)
  const plain = mean(all[0]!)
  ways.forEach(([name, find], way) => {
    const totals = asked.reduce((sum, query) => sum + find(search, query).total, 0)
    const of = [mean(all[way]!), mean(all[way]!) / plain, mean(ofCommon[way]!), Math.max(...ofCommon[way]!)]
    console.log(
      `| ${[name, of[0]!.toFixed(4), of[1]!.toFixed(2), of[2]!.toFixed(4), of[3]!.toFixed(4), totals].join(' | ')} |`,
    )
  })
}

/** Returns median times in ms, by way, then by query. */
function timesOf(
  ways: readonly [string, Find][],
  answer: (find: Find, query: string) => void,
  queries: readonly string[],
): number[][] {
  const times = ways.map(() => queries.map((): number[] => []))
  for (let round = 0; round < rounds; round++) {
    ways.forEach(([, find], way) => {
      queries.forEach((query, i) => {
        const start = performance.now()
        answer(find, query)
        times[way]![i]!.push(performance.now() - start)
      })
    })
  }
  return times.map((ofWay) => ofWay.map(median))
}

/** Measures suggestions for the first one, two and three letters of every word. */
export function printSuggested({ cards }: SearchedCatalog, search: Search): void {
  const prefixes = new Set<string>()
  for (const { name } of cards) {
    for (const word of fold(name)) {
      for (let length = 1; length <= prefixLettersMax; length++) prefixes.add(word.slice(0, length))
    }
  }
  const asked = [...prefixes]
  const times = asked.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    asked.forEach((prefix, i) => {
      const start = performance.now()
      search.suggest(prefix, -1, suggestLimitDefault)
      times[i]!.push(performance.now() - start)
    })
  }
  const medians = times.map(median)
  const worst = Math.max(...medians)
  console.log('\n## Suggestions\n\n| beginnings of one to three letters | mean ms | worst | of |\n|---|---|---|---|')
  const slowest = asked[medians.indexOf(worst)]
  console.log(`| ${[asked.length, mean(medians).toFixed(4), worst.toFixed(4), JSON.stringify(slowest)].join(' | ')} |`)
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
