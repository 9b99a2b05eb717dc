/** Each scenario beside another commit: fresh processes of both in each round, by turns, compared by CPU time. */
import type { Bench } from '../harness/bench.ts'
import { subjectOfCommit } from '../harness/commit.ts'
import { service } from '../harness/contestants.ts'
import { median, runHarness } from '../harness/harness.ts'
import { fixed, whole, wide } from '../harness/report.ts'
import { prepareScenario } from '../harness/workload.ts'
import type { Scenario } from './scenarios.ts'

/** In short turns, both meet the same neighbours. */
const turns = 3

/** Reports how much CPU time the commit takes for a request, divided by how much this tree takes: above 1, this tree is faster. */
export async function measureAgainst(
  bench: Bench,
  snapshots: string,
  commit: string,
  chosen: readonly Scenario[],
): Promise<void> {
  const { machine, subject, report } = bench
  report.heading(`Against ${commit}`)
  const other = await subjectOfCommit(subject, snapshots, commit)
  const rows: string[][] = []
  for (const scenario of chosen) {
    console.error(`${scenario.name} …`)
    const before = await prepareScenario(bench, scenario, other)
    const now = await prepareScenario(bench, scenario)
    const figures = await runHarness(
      [
        service(machine, other, before.workload, { name: 'before' }),
        service(machine, subject, now.workload, { name: 'now' }),
      ],
      { ...bench, turns },
    )
    const [old, own] = [figures.get('before')!, figures.get('now')!]
    const byCpu = own.map(({ cpuUs }, round) => old[round]!.cpuUs / cpuUs)
    const byRate = own.map(({ rate }, round) => rate / old[round]!.rate)
    const row = [
      scenario.name,
      fixed(median(old.map(({ cpuUs }) => cpuUs)), 2),
      fixed(median(own.map(({ cpuUs }) => cpuUs)), 2),
      fixed(median(byCpu), 3),
      `${fixed(Math.min(...byCpu), 2)}–${fixed(Math.max(...byCpu), 2)}`,
      fixed(median(byRate), 2),
      whole(median(own.map(({ rate }) => rate))),
      before.sample.hash === now.sample.hash ? 'the same' : 'others',
    ]
    console.error(row.join('  '))
    rows.push(row)
  }
  const columns = [
    'scenario',
    `CPU µs, ${commit}`,
    'CPU µs, now',
    'by CPU',
    'min–max',
    wide('by rate'),
    'requests/s',
    'bodies',
  ]
  report.table(columns, rows)
}
