/** Measures the slowest response: card details at 80 % of the highest rate, beside the limit at the same rate. */
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import { fixed, percent, whole } from '../harness/report.ts'
import { prepareScenario } from '../harness/workload.ts'
import type { LoadResult } from '../load/load.ts'
import { type AtRate, atRates, connections, highestRate } from './at-rate.ts'
import { scenarioOf } from './scenarios.ts'

const share = 0.8

export async function measureLatency(bench: Bench, seconds: number): Promise<void> {
  bench.report.heading('The worst answer')
  const prepared = await prepareScenario(bench, scenarioOf('details'))
  const own = service(bench.machine, bench.subject, prepared.workload)
  const highest = await highestRate({ ...bench, rounds: 1 }, own)
  const rate = Math.round(highest * share)
  const [ours] = await atRates(bench, own, [rate], seconds)
  const [limits] = await atRates(bench, limit(bench.machine, prepared), [rate], seconds)
  bench.report.text(
    `Card details for ${seconds} s at a constant ${whole(rate)} requests/s, ${percent(share)} of the highest rate ` +
      `(${whole(highest)}), over ${connections} connections. The limit at the same rate shows what is the machine's.`,
  )
  bench.report.table(
    ['server', 'requests/s', 'busy', 'p50 µs', 'p99 µs', 'p99.9 µs', 'worst µs', 'refusals'],
    [rowOf('service', ours!), rowOf('limit', limits!)],
  )
  const worstMs = ours!.result.latencyUs.max / 1000
  const ratio = ours!.result.latencyUs.p999 / limits!.result.latencyUs.p999
  bench.report.table(
    ['', 'value', 'aim'],
    [
      ['the worst answer, ms', fixed(worstMs, 1), reported(aims.worstMs, worstMs)],
      ["p99.9 through the limit's", fixed(ratio, 2), reported(aims.p999ToLimit, ratio)],
    ],
  )
}

function rowOf(name: string, { result, serverShare }: AtRate): string[] {
  return [name, whole(result.requests / result.seconds), percent(serverShare), ...latencies(result)]
}

const latencies = ({ latencyUs: { p50, p99, p999, max }, refusals }: LoadResult): string[] =>
  [p50, p99, p999, max, refusals].map(whole)
