/**
 * npm run bench:games: measures the cost of many games. It compares 200 games with eight games, once over 120,000 cards
 * in all, and once over 200 cards. This process opens and searches both versions by turns, so other programs disturb
 * both alike. The columns are the least CPU time of all rounds.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../build/build.ts'
import { defaultGames } from '../../build/games/default-games.ts'
import { Answers } from '../../src/api/answers.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { Problems } from '../../src/api/problems.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { gamesMax } from '../../src/limits.ts'
import { drawBelow, drawFrom, randomFrom } from '../../test/support/random.ts'
import { Report } from '../harness/report.ts'

const rounds = 9
const searches = 4000
const words = 'dragon shadow light ancient storm knight blue eyes ruler flame'.split(' ')
const random = randomFrom('many games')
const report = new Report()
const folder = mkdtempSync(join(tmpdir(), 'games-bench-'))

/** Writes a snapshot with this number of games and cards. The cards' names do not depend on the games. */
function snapshotOf(games: number, cards: number): string {
  const snapshot = join(folder, `${games}-${cards}`)
  const added = Array.from({ length: games - defaultGames.length }, (_, i) => ({ id: `game${i}`, name: `Game ${i}` }))
  const slugs = [...defaultGames, ...added].map(({ id }) => id)
  const draw = randomFrom('cards')
  const name = (i: number) => `${drawFrom(draw, words)} ${drawFrom(draw, words)} ${i % 5000}`
  const put = (path: string, records: readonly object[]) => {
    mkdirSync(join(snapshot, path, '..'), { recursive: true })
    writeFileSync(join(snapshot, path), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
  if (added.length > 0) put('games.ndjson', added)
  put(
    'sets/a.ndjson',
    slugs.map((game) => ({ game, code: 's', name: 'Set' })),
  )
  put(
    'cards/a.ndjson',
    Array.from({ length: cards }, (_, i) => {
      const game = slugs[i % games]!
      return {
        id: `${game}-s-${i}`,
        game,
        name: name(i),
        setCode: 's',
        number: `${i}`,
        prices: { market: 1 + (i % 90) },
      }
    }),
  )
  return snapshot
}

/** Returns the CPU time of this process since `from`, in ms. */
function cpuMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

interface Measured {
  readonly indexDir: string
  readonly openMs: number[]
  readonly searchUs: number[]
}

async function open(indexDir: string): Promise<Dataset> {
  return openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
}

async function measured(games: number, cards: number): Promise<Measured> {
  const indexDir = join(folder, `index-${games}-${cards}`)
  await build(snapshotOf(games, cards), indexDir)
  return { indexDir, openMs: [], searchUs: [] }
}

const queries = Array.from(
  { length: searches },
  () => `q=${drawFrom(random, words)}+${drawFrom(random, words)}+${drawBelow(random, 5000)}`,
)

async function round({ indexDir, openMs, searchUs }: Measured): Promise<void> {
  const opening = process.cpuUsage()
  const data = await open(indexDir)
  openMs.push(cpuMs(opening))
  const { of } = new Answers()
  const problems = new Problems('A')
  const searching = process.cpuUsage()
  for (const query of queries)
    of.searchCards(
      data,
      {
        query,
        pathParameter: '',
        secondPathParameter: '',
        body: new Uint8Array(0),
        acceptsGzip: false,
        statusIfFound: 200,
      },
      problems,
    )
  searchUs.push((cpuMs(searching) * 1000) / searches)
}

const smallest = (values: readonly number[]) => Math.min(...values)

const rows: string[][] = []
try {
  for (const cards of [600 * gamesMax, gamesMax]) {
    const both = [await measured(defaultGames.length, cards), await measured(gamesMax, cards)] as const
    for (let i = 0; i < rounds; i++) for (const one of i % 2 === 0 ? both : both.toReversed()) await round(one)
    for (const [i, { openMs, searchUs }] of both.entries()) {
      const games = [defaultGames.length, gamesMax][i]!
      const figures = [smallest(openMs).toFixed(1), smallest(searchUs).toFixed(1)]
      rows.push([`${games} games, ${cards.toLocaleString('en')} cards`, ...figures])
    }
  }
  report.table(['version', 'opened, ms', 'a search, µs'], rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
