/** Makes pages of results from a search engine that finds names. A page has the cards of these names. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { searchLimitDefault } from '../../src/api/parameters.ts'
import { type NameSearch, nameSearches, type SearchPackage } from '../search/name-searches.ts'
import { inPgTrgm } from './pg-trgm.ts'

export type Engine = SearchPackage | 'pg_trgm'

export const isEngine = (store: string): store is Engine => store === 'pg_trgm' || store in nameSearches

/** Returns a function that returns the body of a query's first page. With PostgreSQL, it returns a promise. */
export async function searchIn(folder: string, engine: Engine): Promise<(query: string) => string | Promise<string>> {
  const lines = readFileSync(join(folder, 'summaries.ndjson'), 'utf8').split('\n')
  const summaries = Map.groupBy(lines, (line) => (JSON.parse(line) as { name: string }).name)
  const names = [...summaries.keys()]
  const pageOf = (numbers: ReturnType<NameSearch>) => {
    const found = numbers.flatMap((name) => summaries.get(names[name]!)!)
    const page = found.slice(0, searchLimitDefault)
    return `{"data":[${page.join(',')}],"total":${found.length},"limit":${searchLimitDefault},"offset":0}`
  }
  if (engine === 'pg_trgm') {
    const search = await inPgTrgm(names)
    return async (query) => pageOf(await search(query, searchLimitDefault))
  }
  const search = await nameSearches[engine].open(names)
  return (query) => pageOf(search(query, searchLimitDefault))
}
