/**
 * Sends the same queries to other search libraries. Each indexes the distinct display names, not printings. Its hits
 * are expanded to their cards, in card order. Filters and exact totals are not compared.
 */
import { type Check, checkRelevance, type Find } from '../../test/reference/search-judge.ts'
import { speedQueries } from '../../test/reference/search-queries.ts'
import type { SearchedCatalog } from '../../test/reference/searched-catalog.ts'
import { type Random, randomFrom, shuffled } from '../../test/support/random.ts'
import { type Report, wide } from '../harness/report.ts'
import { type NameSearch, nameSearches } from './name-searches.ts'

const allNames = 100_000
const qualityQueries = 200
const speedQueriesEach = 300
const pageLimit = 20

/** Reports the time and quality of each peer, and of `find` with the same queries in the same run. */
export async function comparePeers(catalog: SearchedCatalog, find: Find, report: Report): Promise<void> {
  report.heading('Peers')
  report.text(`${qualityQueries} queries a rule, ${3 * speedQueriesEach} for time, to the bytes of the first page.`)
  const names = [...new Set(catalog.cards.map((card) => card.name))]
  const rows = [rowOf(catalog, 'this one', find)]
  for (const { name, open } of Object.values(nameSearches)) {
    const search = await open(names).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
      return undefined
    })
    rows.push(search === undefined ? lacking(name) : rowOf(catalog, name, cardSearch(catalog, names, search)))
  }
  const rules = ['a', 'b', 'c', 'd', 'e', 'f'].map(wide)
  report.table(['search', 'mean ms', 'p99', 'worst', 'rules that hold', ...rules], rows)
}

const lacking = (name: string) => [`${name}: not installed (npm run bench:peers)`, ...Array<string>(10).fill('–')]

/** Returns a search whose pages contain the cards of the names that `search` finds. */
function cardSearch({ cards }: SearchedCatalog, names: readonly string[], search: NameSearch): Find {
  const cardsOf = new Map(names.map((name): [string, number[]] => [name, []]))
  cards.forEach(({ name }, number) => {
    cardsOf.get(name)!.push(number)
  })
  let last = { query: '', cards: [] as number[] }
  return (query, _filter, limit, offset) => {
    if (limit === pageLimit && offset === 0) {
      const found = search(query, pageLimit).flatMap((id) => cardsOf.get(names[id]!)!)
      return { total: found.length, cards: found.slice(0, limit) }
    }
    if (query !== last.query) last = { query, cards: search(query, allNames).flatMap((id) => cardsOf.get(names[id]!)!) }
    return { total: last.cards.length, cards: last.cards.slice(offset, offset + limit) }
  }
}

/** A rule holds if it holds for at least this share of its queries. */
const heldMin = 0.99

function rowOf(catalog: SearchedCatalog, name: string, find: Find): string[] {
  const times = timesOf(catalog, find, randomFrom(21)).sort((a, b) => a - b)
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
  const checks = checkRelevance(catalog.cards, find, randomFrom(22), qualityQueries)
  const figures = [mean, times[Math.floor(0.99 * times.length)]!, times.at(-1)!].map((ms) => ms.toFixed(3))
  const held = checks.filter(({ held, asked }) => held >= heldMin * asked).length
  return [name, ...figures, `${held} of ${checks.length}`, ...checks.map(share)]
}

const share = ({ held, asked }: Check) => `${((100 * held) / asked).toFixed(1)} %`

function timesOf({ cards, pageOf }: SearchedCatalog, find: Find, random: Random): number[] {
  const everything = { game: -1, set: undefined, rarity: undefined }
  const page = { total: 0, count: 0, cards: new Uint32Array(pageLimit) }
  const answer = (query: string) => {
    const found = find(query, everything, pageLimit, 0)
    page.total = found.total
    page.count = found.cards.length
    page.cards.set(found.cards)
    return pageOf(page, pageLimit, 0)
  }
  const warmUp = speedQueries(cards, random, speedQueriesEach)
  for (const query of Object.values(warmUp).flat()) answer(query)
  const queries = Object.values(speedQueries(cards, random, speedQueriesEach)).flat()
  return shuffled(random, queries).map((query) => {
    const start = performance.now()
    answer(query)
    return performance.now() - start
  })
}
