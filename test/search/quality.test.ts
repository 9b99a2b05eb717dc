/** The search rules on the sample snapshot: the right card first, nothing missed, nothing twice. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Search } from '../../src/search/search.ts'
import { Scan } from '../reference/scan.ts'
import { type Check, checkExactness, checkRelevance, type Find, findOf } from '../reference/search-judge.ts'
import { speedQueries } from '../reference/search-queries.ts'
import { loadSearchedCatalog, type SearchedCatalog } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { randomFrom } from '../support/random.ts'

const queriesEach = amount(800, 2000)
const exactnessQueries = amount(60, 150)
/** The queries of rule e; all others hold always. */
const mistypedShareMin = 0.97

let catalog: SearchedCatalog
let find: Find

before(async () => {
  catalog = await loadSearchedCatalog(fileURLToPath(new URL('../../snapshots', import.meta.url)))
  const search = await Search.load(catalog.files.search, catalog.files.lists, catalog.files.changes, () => pause())
  find = findOf(search)
})

function assertHolds({ rule, asked, held, failed }: Check): void {
  assert(asked > 0, `${rule}: nothing was asked`)
  const needed = rule.startsWith('e.') ? Math.ceil(mistypedShareMin * asked) : asked
  assert(held >= needed, `${rule}: ${held} of ${asked}, not for ${failed.join(', ')}`)
}

test('the right card is found, the named one first', () => {
  for (const check of checkRelevance(catalog.cards, find, randomFrom(11), queriesEach)) assertHolds(check)
})

test('hits, totals and pages are what a plain scan finds', () => {
  const queries = Object.values(speedQueries(catalog.cards, randomFrom(12), exactnessQueries)).flat()
  const scan = new Scan(catalog.cards, catalog.sets)
  for (const check of checkExactness(catalog, scan, find, randomFrom(13), queries)) assertHolds(check)
})
