/** Compares each scenario with the limit that fits it. */
import { aims, reported } from '../aims.ts'
import type { Bench, Prepared } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import { doubtOf, type Figures, median, runHarness, steadier } from '../harness/harness.ts'
import { fixed, percent, whole, wide } from '../harness/report.ts'
import type { ScenarioResult } from '../harness/results.ts'
import { prepareScenario } from '../harness/workload.ts'
import type { Scenario } from './scenarios.ts'

const columns = [
  'scenario',
  wide('what'),
  'requests/s',
  wide('min–max'),
  'limit',
  'its requests/s',
  'ratio',
  wide('min–max'),
  'by CPU',
  wide('min–max'),
  'aim',
  wide('CPU µs'),
  wide("limit's"),
  wide('p50 µs'),
  'p99 µs',
  wide('p99.9 µs'),
  wide('generator'),
  wide('body'),
  wide('items'),
  wide('answers'),
]

export async function measureScenarios(bench: Bench, chosen: readonly Scenario[]): Promise<ScenarioResult[]> {
  bench.report.heading('Over HTTP, against the limit')
  const results: ScenarioResult[] = []
  const rows: string[][] = []
  for (const scenario of chosen) {
    console.error(`${scenario.name} …`)
    const prepared = await prepareScenario(bench, scenario)
    const own = service(bench.machine, bench.subject, prepared.workload)
    const figures = await runHarness([own, limit(bench.machine, prepared)], bench)
    const compared = compare(figures.get('service')!, figures.get('limit')!)
    results.push(resultOf(scenario, compared))
    rows.push(rowOf(prepared, compared))
  }
  bench.report.table(columns, rows)
  bench.report.text(
    '`†`: other programs disturbed the server, so the figure is too low and misses no aim. `*`: the generator was at its end.',
  )
  bench.report.text(`The limits that fit:\n\n${reasonsOf(chosen)}`)
  return results
}

interface Compared {
  readonly own: readonly Figures[]
  readonly limits: readonly Figures[]
  /** The shares of the limit in each round: by rate, and by CPU time. */
  readonly byRate: readonly number[]
  readonly byCpu: readonly number[]
  readonly ratio: number
}

/** @param limits the limit's figures of the same rounds */
export function compare(own: readonly Figures[], limits: readonly Figures[]): Compared {
  const byRate = own.map((round, i) => round.rate / limits[i]!.rate)
  const byCpu = own.map((round, i) => limits[i]!.cpuUs / round.cpuUs)
  return { own, limits, byRate, byCpu, ratio: median(steadier(byRate, byCpu)) }
}

function resultOf(
  { name, label, limit: { kind } }: Scenario,
  { own, limits, byRate, byCpu, ratio }: Compared,
): ScenarioResult {
  const aim = aims.ofLimit(name)
  return {
    name,
    label,
    limit: kind,
    rate: median(own.map(({ rate }) => rate)),
    limitRate: median(limits.map(({ rate }) => rate)),
    cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
    limitCpuUs: median(limits.map(({ cpuUs }) => cpuUs)),
    ratio,
    ratios: steadier(byRate, byCpu),
    rates: own.map(({ rate }) => rate),
    cpus: own.map(({ cpuUs }) => cpuUs),
    aim: aim !== undefined && 'least' in aim ? aim.least : null,
    latencyUs: {
      p50: median(own.map(({ latencyUs }) => latencyUs.p50)),
      p99: median(own.map(({ latencyUs }) => latencyUs.p99)),
      p999: median(own.map(({ latencyUs }) => latencyUs.p999)),
      max: median(own.map(({ latencyUs }) => latencyUs.max)),
    },
  }
}

function rowOf({ scenario, sample }: Prepared, { own, limits, byRate, byCpu, ratio }: Compared): string[] {
  const { name, what, limit: fit } = scenario
  const result = resultOf(scenario, { own, limits, byRate, byCpu, ratio })
  const rates = own.map(({ rate }) => rate)
  return [
    name,
    what,
    whole(result.rate) + doubtOf(own),
    spread(rates, whole),
    fit.kind,
    whole(result.limitRate) + doubtOf(limits),
    fixed(median(byRate), 2),
    spread(byRate, (value) => fixed(value, 2)),
    fixed(median(byCpu), 2),
    spread(byCpu, (value) => fixed(value, 2)),
    reported(aims.ofLimit(name), ratio, [doubtOf(own), doubtOf(limits)].includes(' †') ? ' †' : ''),
    fixed(result.cpuUs, 2),
    fixed(result.limitCpuUs, 2),
    whole(result.latencyUs.p50),
    whole(result.latencyUs.p99),
    whole(result.latencyUs.p999),
    percent(median(own.map(({ generatorShare }) => generatorShare))),
    whole(sample.bodyBytes),
    whole(sample.items),
    sample.hash,
  ]
}

const spread = (values: readonly number[], shown: (value: number) => string) =>
  `${shown(Math.min(...values))}–${shown(Math.max(...values))}`

/** Returns a line for each reason, with the scenarios that have it. */
function reasonsOf(chosen: readonly Scenario[]): string {
  const names = new Map<string, string[]>()
  for (const { name, limit: fit } of chosen) {
    const reason = `${fit.kind}, since ${fit.why}`
    names.set(reason, [...(names.get(reason) ?? []), name])
  }
  return [...names].map(([reason, all]) => `- ${all.join(', ')}: ${reason}`).join('\n')
}
