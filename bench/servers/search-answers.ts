/** Pages of a search package as it would be put behind HTTP: it finds names, and each name brings its cards. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { searchLimitDefault } from '../../src/api/parameters.ts'
import { nameSearches, type SearchPackage } from '../search/name-searches.ts'

/** From a query to the body of its first page. */
export async function searchIn(folder: string, engine: SearchPackage): Promise<(query: string) => string> {
  const lines = readFileSync(join(folder, 'summaries.ndjson'), 'utf8').split('\n')
  const summaries = Map.groupBy(lines, (line) => (JSON.parse(line) as { name: string }).name)
  const names = [...summaries.keys()]
  const search = await nameSearches[engine].open(names)
  return (query) => {
    const found = search(query, searchLimitDefault).flatMap((name) => summaries.get(names[name]!)!)
    const page = found.slice(0, searchLimitDefault)
    return `{"data":[${page.join(',')}],"total":${found.length},"limit":${searchLimitDefault},"offset":0}`
  }
}
