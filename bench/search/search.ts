/**
 * npm run bench:search: measures the quality, speed and memory of search.
 *
 * A seed draws the queries from the catalog's names. If two runs have the same hash, they returned the same responses.
 * Times are from the query's text to the bytes of the first page of 20, on one thread, without cached results.
 */
import { createHash } from 'node:crypto'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { Argument } from 'commander'
import { ProgramCommand, runProgram } from '../../src/command/command.ts'
import { type Filter, Search } from '../../src/search/search.ts'
import { Scan } from '../../test/reference/scan.ts'
import {
  type Check,
  checkExactness,
  checkRelevance,
  everything,
  type Find,
  findOf,
} from '../../test/reference/search-judge.ts'
import { speedQueries } from '../../test/reference/search-queries.ts'
import { loadSearchedCatalog, type SearchedCatalog } from '../../test/reference/searched-catalog.ts'
import { drawFrom, randomFrom, shuffled } from '../../test/support/random.ts'
import { Report } from '../harness/report.ts'
import { printNarrowed, printSuggested } from './narrowed.ts'
import { comparePeers } from './peers.ts'

const qualityQueries = 2000
const exactnessQueries = 667
const speedQueriesEach = 2000
const rounds = 5
const limit = 20

async function measure(snapshotDir: string, { wide }: { readonly wide: boolean }): Promise<void> {
  const snapshots = resolve(snapshotDir)
  const catalog = await loadSearchedCatalog(snapshots)
  console.log(
    `# Search\n\n${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus()[0]?.model ?? ''}`,
  )
  console.log(`\n${catalog.cards.length} cards, ${catalog.sets.length} sets, from ${snapshots}`)
  const search = await printLoad(catalog)
  printSpeed(catalog, search)
  printNarrowed(catalog, search)
  printSuggested(catalog, search)
  const find = findOf(search)
  printQuality(catalog, find)
  await comparePeers(catalog, find, new Report(wide))
}

async function printLoad({ files }: SearchedCatalog): Promise<Search> {
  const before = await memoryInUse()
  const start = performance.now()
  let sliceStart = start
  const slices: number[] = []
  const loaded = await Search.load(files.search, files.lists, files.changes, async () => {
    slices.push(performance.now() - sliceStart)
    await pause()
    sliceStart = performance.now()
  })
  const ms = performance.now() - start
  const heap = (await memoryInUse()) - before
  console.log('\n## Memory and load\n')
  console.log('| files, shared by threads | a thread more | ready after | slices | longest slice, median |')
  console.log('|---|---|---|---|---|')
  const sorted = slices.sort((a, b) => a - b)
  console.log(
    `| ${megabytes(files.bytes)} | ${megabytes(heap)} | ${ms.toFixed(0)} ms | ${slices.length} | ${(sorted.at(-1) ?? 0).toFixed(1)} ms, ${(sorted[sorted.length >> 1] ?? 0).toFixed(1)} ms |`,
  )
  return loaded
}

/** Returns the bytes of heap and buffers, after a garbage collection (with `--expose-gc`). */
async function memoryInUse(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await pause()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function printSpeed({ cards, sets, pageOf }: SearchedCatalog, search: Search): void {
  const warmUp = speedQueries(cards, randomFrom(1), speedQueriesEach)
  const timed = speedQueries(cards, randomFrom(2), speedQueriesEach)
  const random = randomFrom(3)
  const withSet = (): Filter => {
    const { setNumber, game } = drawFrom(random, cards)
    return { game, set: sets[setNumber]!.code, rarity: undefined }
  }
  const kinds: [string, readonly string[], readonly string[], () => Filter][] = [
    ['whole names', warmUp.wholeNames, timed.wholeNames, () => everything],
    ['single words', warmUp.singleWords, timed.singleWords, () => everything],
    ['several words', warmUp.severalWords, timed.severalWords, () => everything],
    ['all', Object.values(warmUp).flat(), Object.values(timed).flat(), () => everything],
    ['all, game and set', Object.values(warmUp).flat(), Object.values(timed).flat(), withSet],
  ]
  console.log(
    `\n## Speed\n\nWarm-up: as many queries of another seed, twice. Each query's median of ${rounds} rounds; in brackets the first round alone.\n`,
  )
  console.log('| queries | | mean ms | p50 | p99 | worst | hash |\n|---|---|---|---|---|---|---|')
  for (const [name, warm, queries, filterOf] of kinds) {
    for (const query of [...warm, ...warm]) answer(query, filterOf())
    const asked = shuffled(random, queries).map((query): [string, Filter] => [query, filterOf()])
    const hash = createHash('sha256')
    const times = asked.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      asked.forEach(([query, filter], i) => {
        const start = performance.now()
        const bytes = answer(query, filter)
        times[i]!.push(performance.now() - start)
        if (round === 0) hash.update(bytes)
      })
    }
    const median = spread(times.map((each) => [...each].sort((a, b) => a - b)[rounds >> 1]!))
    const single = spread(times.map((each) => each[0]!))
    const figures = median.map((figure, i) => `${figure} (${single[i]})`).join(' | ')
    console.log(`| ${name} | ${asked.length} | ${figures} | ${hash.digest('hex').slice(0, 12)} |`)
  }

  function answer(query: string, filter: Filter): Uint8Array {
    return pageOf(search.find(query, filter, { limit, offset: 0 }), limit, 0)
  }
}

function spread(times: readonly number[]): string[] {
  const sorted = [...times].sort((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  return [mean, at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(4))
}

function printQuality(catalog: SearchedCatalog, find: Find): void {
  const { cards, sets } = catalog
  const queries = Object.values(speedQueries(cards, randomFrom(5), exactnessQueries)).flat()
  const checks = [
    ...checkRelevance(cards, find, randomFrom(6), qualityQueries),
    ...checkExactness(catalog, new Scan(cards, sets), find, randomFrom(7), queries),
  ]
  console.log('\n## Quality\n\n| rule | queries | holds | not for |\n|---|---|---|---|')
  for (const check of checks)
    console.log(`| ${check.rule} | ${check.asked} | ${percent(check)} | ${check.failed.join(', ')} |`)
}

function percent({ held, asked }: Check): string {
  return `${((100 * held) / asked).toFixed(2)} %`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

const program = new ProgramCommand('npm run bench:search --', console)
  .description(
    'Measures what search is worth and what it costs, and asks other searches the same, as far as `npm run bench:peers` has ' +
      'installed them.',
  )
  .addArgument(new Argument('[SNAPSHOT_DIR]', 'the snapshot folder').default('snapshots'))
  .option('--wide', 'all columns of the tables', false)
  .action(measure)
process.exitCode = await runProgram(program, process.argv.slice(2), console)
