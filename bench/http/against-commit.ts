/** Compares scenarios with another commit by CPU time. Each round starts both afresh and measures them by turns. */
import type { Bench } from '../harness/bench.ts'
import { subjectOfCommit } from '../harness/commit.ts'
import { service } from '../harness/contestants.ts'
import { median, runHarness } from '../harness/harness.ts'
import { fixed, whole, wide } from '../harness/report.ts'
import type { AgainstResult } from '../harness/results.ts'
import { prepareScenario } from '../harness/workload.ts'
import type { Scenario } from './scenarios.ts'

/** Turns a round. With several short turns, other programs disturb both commits alike. */
const turns = 3

/** The seconds for a scenario's requests and samples. A third of it is for the starts and warm-ups of a round. */
const secondsBeside = 30

/**
 * Reports the commit's CPU time for a request, divided by that of this source tree. Above 1, this tree takes less.
 * @param save is called after each scenario
 */
export async function measureAgainst(
  bench: Bench,
  snapshots: string,
  { name: commit, revision }: { name: string; revision: string },
  chosen: readonly Scenario[],
  save: (results: readonly AgainstResult[]) => void,
): Promise<void> {
  const { machine, subject, report, rounds, seconds } = bench
  report.heading(`Against ${commit}`)
  const minutes = Math.ceil((chosen.length * (rounds * (2 * turns * seconds + secondsBeside / 3) + secondsBeside)) / 60)
  console.error(
    `Both commits serve the same snapshot. Scenarios: ${chosen.length}, each with ${rounds} rounds of fresh processes and ` +
      `${turns} turns of ${seconds} s a round: about ${minutes} minutes. First the other commit is checked out and builds its index.`,
  )
  const other = await subjectOfCommit(subject, snapshots, revision)
  const rows: string[][] = []
  const results: AgainstResult[] = []
  for (const [i, scenario] of chosen.entries()) {
    console.error(`${i + 1} of ${chosen.length}: ${scenario.name} …`)
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
    const [least, most] = [Math.min(...byCpu), Math.max(...byCpu)]
    const row = [
      scenario.name,
      fixed(median(old.map(({ cpuUs }) => cpuUs)), 2),
      fixed(median(own.map(({ cpuUs }) => cpuUs)), 2),
      fixed(median(byCpu), 3) + (least <= 1 && most >= 1 ? ' ~' : ''),
      `${fixed(least, 2)}–${fixed(most, 2)}`,
      fixed(median(byRate), 2),
      whole(median(own.map(({ rate }) => rate))),
      before.sample.hash === now.sample.hash ? 'the same' : 'others',
    ]
    console.error(`${row.slice(0, 5).join('  ')}  ${row.at(-1)}`)
    rows.push(row)
    results.push({
      name: scenario.name,
      cpuUs: own.map(({ cpuUs }) => cpuUs),
      otherCpuUs: old.map(({ cpuUs }) => cpuUs),
      areBodiesEqual: before.sample.hash === now.sample.hash,
    })
    save(results)
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
  report.text(
    `\`by CPU\`: the CPU time of ${commit} through that of this tree, the median of the rounds’ ratios; above 1, this tree takes ` +
      'less. `~`: rounds lie on both sides of 1, so no difference is shown; more rounds may show one.',
  )
}
