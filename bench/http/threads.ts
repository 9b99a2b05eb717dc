/** The cost of a second thread, per request. */
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import { type Candidate, type Figures, median, runHarness } from '../harness/harness.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { withOwnStore } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { scenarioOf } from './scenarios.ts'

/** Of what one thread answers at full load: all servers are asked so much less, that no core is ever busy throughout. */
const moderateShare = 0.4

/**
 * Two threads against one, and the same of the limit: the cost of threads on this machine in any program. With fewer than
 * three cores the generator has none of its own then, so all are let run on all cores. At full load they then fight for
 * the cores; at a moderate one, the same for all, it shows what a request itself costs.
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

/** A row for each, with its ratio to the first. */
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

/** CPU a request with two threads through that with one, in each round. */
function risesOf(figures: ByName, [one, two]: readonly Candidate[]): number[] {
  const before = figures.get(one!.name)!
  return figures.get(two!.name)!.map((round, i) => round.cpuUs / before[i]!.cpuUs)
}
