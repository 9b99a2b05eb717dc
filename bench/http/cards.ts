/** The cost of more cards: a quarter, once, four and sixteen times as many, all without history. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import { type Candidate, type Figures, median, runHarness, steadier } from '../harness/harness.ts'
import { fixed, megabytes, whole, wide } from '../harness/report.ts'
import { writeScaled } from '../harness/scaled.ts'
import { prepare, type Subject } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { scenarioOf } from './scenarios.ts'
import { type Start, startOnce } from './start.ts'

const scenarioNames = ['details', 'search-new']

interface Scaled {
  readonly times: number
  readonly subject: Subject
  readonly start: Start
}

/** @param factors how many times the cards; 1 is among them */
export async function measureCards(bench: Bench, snapshots: string, factors: readonly number[]): Promise<void> {
  bench.report.heading('More cards')
  const all: Scaled[] = []
  for (const times of factors) {
    console.error(`${times} times the cards …`)
    const subject = await scaledSubject(snapshots, times, bench.subject.keys.length)
    // The first start checks the version in whole and notes it.
    await startOnce(bench.machine, subject)
    all.push({ times, subject, start: await startOnce(bench.machine, subject) })
  }
  const rows: string[][] = []
  for (const name of scenarioNames) {
    const contestants: Candidate[] = []
    for (const { times, subject } of all) {
      const { workload } = await prepareScenario(bench, scenarioOf(name), subject)
      contestants.push(service(bench.machine, subject, workload, { name: `${times} times` }))
    }
    const figures = await runHarness(contestants, bench)
    const once = figures.get('1 times')!
    for (const [i, scaled] of all.entries()) {
      rows.push(rowOf(name, scaled, figures.get(contestants[i]!.name)!, once))
    }
  }
  bench.report.text('All without history, so that a snapshot with sixteen times the cards can be made on the way.')
  bench.report.table(
    ['scenario', 'cards', wide('times'), 'requests/s', 'ratio', 'by CPU', 'aim', 'CPU µs', wide('p99 µs')],
    rows,
  )
  reportStarts(bench, all)
}

async function scaledSubject(snapshots: string, times: number, keyCount: number): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'card-price-scaled-'))
  try {
    await writeScaled(snapshots, folder, { times })
    return await prepare(folder, keyCount)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function rowOf(
  scenario: string,
  { times, subject }: Scaled,
  own: readonly Figures[],
  once: readonly Figures[],
): string[] {
  const byRate = own.map((round, i) => round.rate / once[i]!.rate)
  const byCpu = own.map((round, i) => once[i]!.cpuUs / round.cpuUs)
  return [
    scenario,
    whole(subject.ids.length),
    String(times),
    whole(median(own.map(({ rate }) => rate))),
    fixed(median(byRate), 2),
    fixed(median(byCpu), 2),
    reported(aims.ofOnce(scenario, times), median(steadier(byRate, byCpu))),
    fixed(median(own.map(({ cpuUs }) => cpuUs)), 2),
    whole(median(own.map(({ latencyUs }) => latencyUs.p99))),
  ]
}

function reportStarts({ report }: Bench, all: readonly Scaled[]): void {
  const once = all.find(({ times }) => times === 1)!
  report.table(
    ['cards', 'start ms', 'aim', 'resident MB', 'through once, through the times', 'aim'],
    all.map(({ times, subject, start }) => {
      const proportion = start.residentBytes / once.start.residentBytes / times
      return [
        whole(subject.ids.length),
        whole(start.startMs),
        reported(aims.startMs, start.startMs),
        megabytes(start.residentBytes),
        fixed(proportion, 2),
        reported(times > 1 ? aims.memoryToCards : undefined, proportion),
      ]
    }),
  )
}
