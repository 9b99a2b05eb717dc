/** What a start costs, what threads cost, what more cards cost. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { checkedName } from '../../src/indexes/checked.ts'
import { type Contestant, contest, median } from '../contest/contest.ts'
import { limit, service } from '../contest/contestants.ts'
import { residentBytes } from '../contest/process.ts'
import { fixed, megabytes, whole } from '../contest/report.ts'
import type { Subject } from '../contest/subject.ts'
import { type Bench, prepareScenario } from '../contest/workload.ts'
import { scenarios } from './scenarios.ts'

const details = scenarios[0]!

/**
 * From the start of the process to `listening`, the memory then, and the index on disk. The first start after a change of
 * the checks finds no note that fits, so it checks the version in whole and notes it; those after it compare checksums.
 * On all cores: threads load beside the supervisor.
 */
export async function measureStart({ machine, subject, report, rounds }: Bench): Promise<void> {
  report.heading('Start and size')
  const { counts, files, version } = subject.version.manifest
  const workload = { file: '', status: 200, before: [] }
  const contestant = service(machine, subject, workload, { cores: `0-${machine.cores - 1}` })
  const first: Start[] = []
  const later: Start[] = []
  for (let round = 0; round < rounds; round++) {
    await rm(join(subject.indexDir, version, checkedName))
    first.push(await startOnce(contestant))
    later.push(await startOnce(contestant))
  }
  report.table(
    ['', 'median', 'min–max'],
    [
      ['start to listening, version checked in whole, ms', ...spread(first, 'startMs', whole)],
      ['start to listening, version checked before, ms', ...spread(later, 'startMs', whole)],
      ['resident memory after the one, MB', ...spread(first, 'residentBytes', megabytes)],
      ['resident memory after the other, MB', ...spread(later, 'residentBytes', megabytes)],
    ],
  )
  report.table(
    ['index', 'MB', 'bytes a card'],
    [
      ...files.map(({ name, bytes }) => [name, megabytes(bytes), fixed(bytes / counts.cards, 1)]),
      ...[files.reduce((sum, { bytes }) => sum + bytes, 0)].map((bytes) => [
        `all: ${whole(counts.cards)} cards, ${whole(counts.sets)} sets, ${whole(counts.historyRows)} history rows`,
        megabytes(bytes),
        fixed(bytes / counts.cards, 1),
      ]),
    ],
  )
}

interface Start {
  readonly startMs: number
  readonly residentBytes: number
}

async function startOnce(contestant: Contestant): Promise<Start> {
  const { startMs, pid, stop } = await contestant.start()
  await pause(500)
  const start = { startMs, residentBytes: residentBytes(pid) }
  await stop()
  return start
}

/** Median and range, as cells of a table. */
function spread(starts: readonly Start[], what: keyof Start, text: (value: number) => string): [string, string] {
  const values = starts.map((start) => start[what])
  return [text(median(values)), `${text(Math.min(...values))}–${text(Math.max(...values))}`]
}

/** Of what one thread answers at full load: all servers are asked so much less, that no core is ever busy throughout. */
const moderateShare = 0.4

/**
 * Two threads against one, and the same of the limit: what threads cost on this machine whatever they do. With fewer than
 * three cores the generator has none of its own then, so all are let run on all cores. At full load they then fight for
 * the cores; at a moderate one, the same for all, it shows what a request itself costs.
 */
export async function measureThreads(bench: Bench): Promise<void> {
  bench.report.heading('Threads')
  const { workload, sample } = await prepareScenario(bench, details)
  const cores = bench.machine.cores > 2 ? '0,2' : '0,1'
  const placed = (what: string, threads: number) => ({ threads, cores, name: `${what}, THREADS=${threads}` })
  const pairs = [
    [1, 2].map((threads) => service(bench.machine, bench.subject, workload, placed('service', threads))),
    [1, 2].map((threads) => limit(bench.machine, sample, workload, placed('limit', threads))),
  ]
  const full = await contest(pairs.flat(), bench)
  const rate = Math.round(median(full.get(pairs[0]![0]!.name)!.map((round) => round.rate)) * moderateShare)
  const moderate = await contest(pairs.flat(), { ...bench, rate })
  const rows = [full, moderate].flatMap((figures) => pairs.flatMap(([one, two]) => rowsOf(figures, one!, two!)))
  bench.report.table(['server', 'requests/s', 'CPU µs', 'ratio', 'resident MB', 'ratio'], rows)
}

/** A row for each, with its ratio to the first. */
function rowsOf(figures: Awaited<ReturnType<typeof contest>>, ...contestants: Contestant[]): string[][] {
  const first = figures.get(contestants[0]!.name)!
  return contestants.map(({ name }) => {
    const own = figures.get(name)!
    return [
      name,
      whole(median(own.map((round) => round.rate))),
      fixed(median(own.map((round) => round.cpuUs)), 2),
      fixed(median(own.map((round, i) => round.cpuUs / first[i]!.cpuUs)), 2),
      megabytes(median(own.map((round) => round.residentBytes))),
      fixed(median(own.map((round, i) => round.residentBytes / first[i]!.residentBytes)), 2),
    ]
  })
}

/** Card details from a larger snapshot against those from the other one. */
export async function measureScale(bench: Bench, larger: Subject): Promise<void> {
  bench.report.heading('More cards')
  const variants = []
  for (const subject of [bench.subject, larger]) {
    const { workload } = await prepareScenario(bench, details, subject)
    const name = `${whole(subject.ids.length)} cards`
    variants.push(service(bench.machine, subject, workload, { name }))
  }
  const figures = await contest(variants, bench)
  const [base] = variants.map(({ name }) => figures.get(name)!)
  const rows = variants.map(({ name }) => {
    const own = figures.get(name)!
    const ratios = own.map((round, i) => round.rate / base![i]!.rate)
    return [
      name,
      whole(median(own.map(({ rate }) => rate))),
      fixed(median(ratios), 2),
      `${fixed(Math.min(...ratios), 2)}–${fixed(Math.max(...ratios), 2)}`,
      fixed(median(own.map(({ cpuUs }) => cpuUs)), 2),
      megabytes(median(own.map((round) => round.residentBytes))),
    ]
  })
  bench.report.table(['service', 'requests/s', 'ratio', 'min–max', 'CPU µs', 'resident MB'], rows)
}
