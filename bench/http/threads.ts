/** Measures what a second thread costs each request. */
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import { type Candidate, type Figures, median, runHarness } from '../harness/harness.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { withOwnStore } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { scenarioOf } from './scenarios.ts'

/** The moderate load, as a share of one thread's highest rate. At this load, no core is ever fully used. */
const moderateShare = 0.4

/**
 * Compares two threads with one, for the service and for the limit. The limit shows what threads cost any program on
 * this machine. With fewer than three cores, servers share a core with the generator. At full load they compete for it,
 * so only the moderate load, which is the same for all, shows the cost of a request.
 */
export async function measureThreads(bench: Bench): Promise<void> {
  bench.report.heading('Threads')
  const prepared = await prepareScenario(bench, scenarioOf('details'))
  const cores = bench.machine.cores > 2 ? '0,2' : '0,1'
  const placed = (what: string, threads: number) => ({ threads, cores, name: `${what}, THREADS=${threads}` })
  const subjects = [bench.subject, await withOwnStore(bench.subject, 'second')]
  const [own, limits] = [
    [1, 2].map((threads, i) => service(bench.machine, subjects[i]!, prepared.workload, placed('service', threads))),
    [1, 2].map((threads) => limit(bench.machine, prepared, placed('limit', threads))),
  ] as [Candidate[], Candidate[]]
  const all = [...own, ...limits]
  const full = await runHarness(all, bench)
  const rate = Math.round(median(full.get(own[0]!.name)!.map((round) => round.rate)) * moderateShare)
  const moderate = await runHarness(all, { ...bench, rate })
  bench.report.table(
    ['server', 'requests/s', 'CPU µs', 'ratio', 'resident MB', 'ratio'],
    [full, moderate].flatMap((figures) => [...rowsOf(figures, own), ...rowsOf(figures, limits)]),
  )
  const rise = median(risesOf(moderate, own)) / median(risesOf(moderate, limits))
  bench.report.table(
    ['', 'value', 'aim'],
    [
      [
        "rise of CPU a request through the limit's own, moderate load",
        fixed(rise, 2),
        reported(aims.threadsToLimit, rise),
      ],
    ],
  )
}

type ByName = ReadonlyMap<string, readonly Figures[]>

/** Returns a row for each contestant, with its ratios to the first. */
function rowsOf(figures: ByName, contestants: readonly Candidate[]): string[][] {
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

/** Returns the CPU time a request with two threads, divided by that with one, for each round. */
function risesOf(figures: ByName, [one, two]: readonly Candidate[]): number[] {
  const before = figures.get(one!.name)!
  return figures.get(two!.name)!.map((round, i) => round.cpuUs / before[i]!.cpuUs)
}
