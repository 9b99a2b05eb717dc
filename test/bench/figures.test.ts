/** What the benchmark concludes from figures: whether a machine was quiet, whether an aim is missed, how two runs differ. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { reported } from '../../bench/aims.ts'
import { compareRuns } from '../../bench/harness/compare.ts'
import { removeLeft } from '../../bench/harness/folder.ts'
import { activityBetween, disturbances, spreadOf, ticksIn, waitedIn } from '../../bench/harness/quiet.ts'
import { Report } from '../../bench/harness/report.ts'
import type { Results, ScenarioResult } from '../../bench/harness/results.ts'
import { flameGraph } from '../../bench/profile/flame-graph.ts'
import { temporaryFolder } from '../support/command.ts'

const stat = (user: number, idle: number, stolen: number) =>
  `cpu  ${user} 0 0 ${idle} 0 0 0 ${stolen} 0 0\ncpu0 1 2 3 4\n`
const momentOf = (user: number, idle: number, stolen: number, waitedUs: number, atUs: number) => ({
  ticks: ticksIn(stat(user, idle, stolen)),
  waitedUs: waitedIn(`some avg10=0.00 avg60=0.00 avg300=0.00 total=${waitedUs}\nfull avg10=0.00 total=0\n`),
  atUs,
})

const cases: readonly (readonly [
  what: string,
  to: Parameters<typeof momentOf>,
  load: number,
  said: readonly RegExp[],
])[] = [
  ['is quiet if its cores idle', [1002, 2398, 0, 0, 2e6], 0.2, []],
  ['is busy if others use a tenth of its cores', [1040, 2360, 0, 0, 2e6], 0.2, [/^10 % of all cores/]],
  ['is busy if the hypervisor takes 2 %', [1000, 2392, 8, 0, 2e6], 0.2, [/^2 % stolen/]],
  ['is busy if programs wait for a core', [1002, 2398, 0, 400_000, 2e6], 0.2, [/^20 % of the time/]],
  ['is busy if its load was high', [1002, 2398, 0, 0, 2e6], 2.3, [/^2.3 programs a core/]],
]
for (const [what, to, load, said] of cases) {
  test(`A machine ${what}`, () => {
    const found = disturbances(activityBetween(momentOf(1000, 2000, 0, 0, 0), momentOf(...to), load))!
    assert.equal(found.length, said.length, found.join())
    for (const [i, one] of said.entries()) assert.match(found[i]!, one)
  })
}

test('A machine whose kernel reports no figures counts as neither quiet nor busy', () => {
  const nothing = { ticks: ticksIn(undefined), waitedUs: waitedIn(undefined), atUs: 0 }
  assert.equal(disturbances(activityBetween(nothing, { ...nothing, atUs: 2e6 })), undefined)
})

test('Rounds of one server that differ by more than a tenth show a busy machine', () => {
  assert.deepEqual(spreadOf([100, 104, 99]), [])
  assert.equal(spreadOf([100, 120, 99]).length, 1)
})

test('A figure short of its aim is reported as MISSED, unless it is marked as doubtful', () => {
  assert.equal(reported({ least: 0.9 }, 0.8), '≥ 0.9 MISSED')
  assert.equal(reported({ least: 0.9 }, 0.8, ' †'), '≥ 0.9 †')
  assert.equal(reported({ least: 0.9 }, 0.8, ' *'), '≥ 0.9 MISSED')
  assert.equal(reported({ most: 15 }, 14), '≤ 15')
  assert.equal(reported(undefined, 14), '–')
})

test('A benchmark run removes the folders of killed runs, and keeps those of running ones', () => {
  const parent = temporaryFolder()
  // The largest process id of 32-bit Linux is far below.
  const [dead, own, other] = ['card-price-bench-99999999-a', `card-price-bench-${process.pid}-a`, 'card-price-other']
  for (const name of [dead, own, other]) mkdirSync(join(parent, name, 'store'), { recursive: true })
  removeLeft(parent)
  assert.deepEqual(
    [dead, own, other].map((name) => existsSync(join(parent, name))),
    [false, true, true],
  )
})

function compared(one: Partial<Results>, other: Partial<Results>): string {
  const scenario: ScenarioResult = {
    name: 'details',
    label: 'card details',
    limit: 'cold',
    rate: 100_000,
    limitRate: 125_000,
    cpuUs: 8,
    limitCpuUs: 6,
    ratio: 0.8,
    ratios: [0.78, 0.8, 0.82],
    rates: [99_000, 100_000, 101_000],
    cpus: [7.9, 8, 8.1],
    aim: 0.97,
    latencyUs: { p50: 1, p99: 2, p999: 3, max: 4 },
  }
  const run = (more: Partial<Results>): Results => ({
    conditions: { date: '2026-11-28', CPU: 'one', memory: '1 GiB', snapshot: '3 cards' },
    scenarios: [scenario],
    ...more,
  })
  const report = new Report(true)
  const { log } = console
  console.log = () => {}
  try {
    compareRuns(report, run(one), run(other))
  } finally {
    console.log = log
  }
  return report.markdown
}

test('Two runs of one machine are compared by rates, CPU time and ratios, with their spread', () => {
  const code = { release: '3.0.0', commit: 'abc', isDirty: true }
  const text = compared({ code, disturbances: [] }, { disturbances: ['2 % stolen'] })
  assert.match(text, /release 3\.0\.0, commit abc, with changes/)
  assert.match(text, /quiet .*busy: 2 % stolen/)
  assert.match(text, /details .*0\.80 \(0\.78–0\.82\).*1\.00 ~.*100,000 \(99,000–101,000\)/)
})

test('Two runs of two machines are compared by their ratios to the limit alone', () => {
  const text = compared({}, { conditions: { date: '2026-11-29', CPU: 'other', memory: '1 GiB', snapshot: '3 cards' } })
  assert.match(text, /two machines/)
  assert.match(text, /details .*0\.80/)
  assert.doesNotMatch(text, /100,000/)
})

test('A flame graph draws each call above its caller, as wide as its share of the time that is not idle', () => {
  const node = (id: number, functionName: string, children: number[] = []) => ({
    id,
    callFrame: { functionName, url: id < 4 ? '' : 'file:///a.ts', lineNumber: 6 },
    children,
  })
  const nodes = [node(1, '(root)', [2, 4]), node(2, '(idle)'), node(4, 'find', [5]), node(5, 'a<b')]
  const svg = flameGraph({ nodes, samples: [2, 4, 5], timeDeltas: [500, 300, 100] }, 'details', () => 'a.ts')
  const bars = [...svg.matchAll(/<title>([^<]*)<\/title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g)]
  assert.deepEqual(
    bars.map(([, title, ...at]) => [title, ...at.map(Number)]),
    [
      ['(root): 100.0 %', 0, 64, 1200],
      ['find a.ts:7: 100.0 %', 0, 47, 1200],
      ['a&lt;b a.ts:7: 25.0 %', 900, 30, 300],
    ],
  )
})
