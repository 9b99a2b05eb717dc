/** Measures what metrics and an access log cost: card details with each, by turns with a service that has neither. */
import { type Aim, aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import { type Candidate, median, runHarness, steadier } from '../harness/harness.ts'
import { fixed, whole } from '../harness/report.ts'
import { withOwnStore } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { scenarioOf } from './scenarios.ts'

const ways: readonly { readonly name: string; readonly env: NodeJS.ProcessEnv; readonly aim: Aim }[] = [
  { name: 'METRICS_PORT', env: { METRICS_PORT: '0' }, aim: aims.metricsToNone },
  { name: 'ACCESS_LOG=0.01', env: { ACCESS_LOG: '0.01' }, aim: aims.logSampledToNone },
  { name: 'ACCESS_LOG=1', env: { ACCESS_LOG: '1' }, aim: aims.logToNone },
]

/** Reports the service's rate and CPU time in each way. This process reads the access log. */
export async function measureWatched(bench: Bench): Promise<void> {
  bench.report.heading('Watched')
  const { workload } = await prepareScenario(bench, scenarioOf('details'))
  const plain = service(bench.machine, bench.subject, workload, { name: 'neither' })
  const watched: Candidate[] = []
  for (const { name, env } of ways) {
    watched.push(service(bench.machine, await withOwnStore(bench.subject, name), workload, { name, env }))
  }
  const figures = await runHarness([plain, ...watched], bench)
  const of = ({ name }: Candidate) => figures.get(name)!
  const rows = watched.map((contestant, i) => {
    const byRate = of(contestant).map(({ rate }, round) => rate / of(plain)[round]!.rate)
    const byCpu = of(contestant).map(({ cpuUs }, round) => of(plain)[round]!.cpuUs / cpuUs)
    const ratio = median(steadier(byRate, byCpu))
    return { contestant, cells: [fixed(median(byRate), 3), fixed(median(byCpu), 3), reported(ways[i]!.aim, ratio)] }
  })
  bench.report.table(
    ['with', 'requests/s', 'CPU µs', 'rate, to neither', 'by CPU', 'aim'],
    [{ contestant: plain, cells: ['1', '1', '–'] }, ...rows].map(({ contestant, cells }) => [
      contestant.name,
      whole(median(of(contestant).map(({ rate }) => rate))),
      fixed(median(of(contestant).map(({ cpuUs }) => cpuUs)), 2),
      ...cells,
    ]),
  )
}
