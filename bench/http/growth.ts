/**
 * Measures how costs grow with the number of cards (without history), and with the years of history (with the same
 * cards).
 *
 *   snapshot ─┬─▶ 1, 4, 16 times the cards ─┐
 *             └─▶ 1, 3, 5 years of days ────┴─▶ build, start, memory, a switch of versions, scenarios by turns
 */
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf, readCurrent } from '../../src/indexes/manifest.ts'
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import { type Candidate, type Figures, median, runHarness } from '../harness/harness.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { type Scale, writeScaled } from '../harness/scaled.ts'
import { prepare, type Subject, withOwnStore } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { compare } from './against-limit.ts'
import { scenarioOf } from './scenarios.ts'
import { type Start, startOnce } from './start.ts'
import { swapMoments, worstOf } from './swap.ts'

const byCards = [
  'details',
  'search-zipf',
  'search-new',
  'suggest',
  'match',
  'batch',
  'list-game',
  'list-sorted',
  'sets',
]
const byYears = ['details', 'history-30d', 'history-1y', 'changes', 'movers', 'list-changed']

/** The report lists a scenario if its CPU time grows by more than this factor from the first point to the last. */
const bendMin = 1.25

interface Point {
  readonly label: string
  /** The number of copies of the cards; 1 for points of years. */
  readonly times: number
  readonly subject: Subject
  readonly buildSeconds: number
  readonly start: Start
  readonly startOfTwo: Start
}

export interface Growth {
  /** The numbers of copies of the cards, 1 included. */
  readonly times: readonly number[]
  readonly years: readonly number[]
}

export async function measureGrowth(bench: Bench, snapshots: string, { times, years }: Growth): Promise<void> {
  bench.report.heading('Growth')
  bench.report.text(
    'Cards grow without history, and years for the cards as they are. A scenario’s row is µs of CPU a request; all points ' +
      'were measured by turns. A switch is the highest p99 of half a second, in ms, at half of the highest rate.',
  )
  const cards = await pointsOf(bench, snapshots, times, (factor) => ({
    label: `${factor}× the cards`,
    scale: { times: factor },
  }))
  await reportGrowth(bench, cards, byCards)
  const rows = await pointsOf(bench, snapshots, years, (count) => ({
    label: count === 1 ? '1 year' : `${count} years`,
    scale: { times: 1, years: count },
  }))
  await reportGrowth(bench, rows, byYears)
}

async function pointsOf(
  bench: Bench,
  snapshots: string,
  factors: readonly number[],
  pointAt: (factor: number) => { readonly label: string; readonly scale: Scale },
): Promise<Point[]> {
  const points: Point[] = []
  for (const factor of factors) {
    const { label, scale } = pointAt(factor)
    console.error(`growth: ${label} …`)
    const folder = mkdtempSync(join(bench.subject.folder, 'scaled-'))
    await writeScaled(snapshots, folder, scale)
    const built = performance.now()
    const subject = await prepare(folder, bench.subject.keys.length)
    const buildSeconds = (performance.now() - built) / 1000
    rmSync(folder, { recursive: true })
    // The first start verifies the whole version and saves a verification record. Later starts are faster.
    await startOnce(bench.machine, subject)
    const start = await startOnce(bench.machine, subject)
    const startOfTwo = await startOnce(bench.machine, subject, { threads: 2 })
    points.push({ label, times: scale.times, subject, buildSeconds, start, startOfTwo })
  }
  return points
}

async function reportGrowth(bench: Bench, points: readonly Point[], scenarios: readonly string[]): Promise<void> {
  const once = points.find(({ times }) => times === 1)!
  const row = (name: string, cellOf: (point: Point) => string) => [name, ...points.map(cellOf)]
  const counts = ({ subject }: Point) => subject.version.manifest.counts
  const rows = [
    row('cards', (point) => whole(counts(point).cards)),
    row('history rows', (point) => whole(counts(point).historyRows)),
    row('build, s', ({ buildSeconds }) => fixed(buildSeconds, 1)),
    row('index, MB', (point) => megabytes(bytesOf(point.subject.version.manifest.files))),
    row('start, ms', ({ times, start }) => withAim(aims.startMs(times), start.startMs, whole)),
    row('resident, MB', ({ start }) => megabytes(start.residentBytes)),
    row('… through once, through the times', ({ times, start }) => {
      const proportion = start.residentBytes / once.start.residentBytes / times
      return withAim(times > 1 ? aims.memoryToCards : undefined, proportion, (value) => fixed(value, 2))
    }),
    row('resident, two threads, MB', ({ startOfTwo }) => megabytes(startOfTwo.residentBytes)),
  ]
  if (points.length > 1) rows.push(...(await switchRows(bench, points)))
  const bent: string[] = []
  for (const name of scenarios) {
    console.error(`growth: ${name} …`)
    const figures = await figuresOf(bench, points, name)
    const ofOnce = figures[points.indexOf(once)]!
    const cpus = figures.map((rounds) => median(rounds.map(({ cpuUs }) => cpuUs)))
    rows.push([name, ...points.map((point, i) => cpuCell(name, point, figures[i]!, ofOnce))])
    const rise = cpus.at(-1)! / cpus[0]!
    if (rise > bendMin) bent.push(`${name} × ${fixed(rise, 2)}`)
  }
  bench.report.table(['', ...points.map(({ label }) => label)], rows)
  const from = `from ${points[0]!.label} to ${points.at(-1)!.label}`
  bench.report.text(`What bends, ${from}: ${bent.length === 0 ? 'nothing' : bent.join(', ')}.`)
}

/** Returns a scenario's figures at each point, all from the same rounds. */
async function figuresOf(bench: Bench, points: readonly Point[], name: string): Promise<(readonly Figures[])[]> {
  const contestants: Candidate[] = []
  for (const { label, subject } of points) {
    const { workload } = await prepareScenario(bench, scenarioOf(name), subject)
    contestants.push(service(bench.machine, subject, workload, { name: label }))
  }
  const figures = await runHarness(contestants, bench)
  return points.map(({ label }) => figures.get(label)!)
}

function cpuCell(name: string, { times }: Point, own: readonly Figures[], once: readonly Figures[]): string {
  const cpu = fixed(median(own.map(({ cpuUs }) => cpuUs)), 2)
  const aim = aims.ofOnce(name, times)
  if (aim === undefined) return cpu
  const { ratio } = compare(own, once)
  return `${cpu} (${fixed(ratio, 2)} of once, aim ${reported(aim, ratio)})`
}

const withAim = (aim: Parameters<typeof reported>[0], value: number, text: (value: number) => string): string =>
  aim === undefined ? text(value) : `${text(value)} (aim ${reported(aim, value)})`

/** Measures, for each point, a switch from another point's version to this point's, and back. */
async function switchRows(bench: Bench, points: readonly Point[]): Promise<string[][]> {
  const quiet: string[] = []
  const switched: string[] = []
  const seconds: string[] = []
  for (const [i, { label, subject }] of points.entries()) {
    console.error(`growth: switch to ${label} …`)
    const other = points[i === 0 ? 1 : 0]!.subject
    // The requests ask for cards of the first, smallest point. Both versions contain these cards.
    const least = i === 0 ? subject : other
    const { workload } = await prepareScenario(bench, scenarioOf('details'), least)
    const both = await withOwnStore({ ...least, indexDir: await bothVersions(subject, other) }, `switch ${label}`)
    const names = [await readCurrent(other.indexDir), await readCurrent(subject.indexDir)] as [string, string]
    const { moments, swapSeconds } = await swapMoments(bench, both, workload, names)
    const p99 = (isOfSwap: boolean) => fixed(worstOf(moments, isOfSwap, ({ p99Us }) => p99Us) / 1000, 1)
    quiet.push(p99(false))
    switched.push(p99(true))
    seconds.push(fixed(swapSeconds[0]!, 1))
  }
  return [
    ['p99 without a switch, ms', ...quiet],
    ['p99 during one, ms', ...switched],
    ['switch at half load, s', ...seconds],
  ]
}

/** Makes an index folder with both versions. `other`'s version is current. */
async function bothVersions(subject: Subject, other: Subject): Promise<string> {
  const folder = mkdtempSync(join(subject.folder, 'both-'))
  for (const { indexDir } of [subject, other]) {
    const name = (await readCurrent(indexDir))!
    mkdirSync(join(folder, name))
    for (const file of readdirSync(join(indexDir, name))) linkSync(join(indexDir, name, file), join(folder, name, file))
    writeFileSync(join(folder, 'current'), `${name}\n`)
  }
  return folder
}
