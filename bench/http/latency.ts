/** The worst answer: card details at 80 % of the highest rate, at a constant rate, beside the limit at the same rate. */

import { type Contestant, contest, median, startReady } from '../contest/contest.ts'
import { limit, service } from '../contest/contestants.ts'
import { cpuSeconds } from '../contest/process.ts'
import { percent, whole } from '../contest/report.ts'
import { type Bench, prepareScenario } from '../contest/workload.ts'
import { scenarios } from './scenarios.ts'

const share = 0.8
/** Enough that a connection is free at each moment of the rate. */
const connections = 256
const warmUpSeconds = 3

export async function measureLatency(bench: Bench, seconds: number): Promise<void> {
  bench.report.heading('The worst answer')
  const { workload, sample } = await prepareScenario(bench, scenarios[0]!)
  const own = service(bench.machine, bench.subject, workload)
  const highest = median((await contest([own], { ...bench, rounds: 1 })).get(own.name)!.map(({ rate }) => rate))
  const rate = Math.round(highest * share)
  bench.report.text(
    `Card details for ${seconds} s at a constant ${whole(rate)} requests/s, ${percent(share)} of the highest rate ` +
      `(${whole(highest)}), over ${connections} connections. The limit at the same rate shows what is the machine's.`,
  )
  const rows: string[][] = []
  for (const contestant of [own, limit(bench.machine, sample, workload)]) {
    rows.push(await atRate(bench, contestant, rate, seconds))
  }
  bench.report.table(
    ['server', 'requests/s', 'server', 'generator', 'p50 µs', 'p99 µs', 'p99.9 µs', 'worst µs', 'refusals'],
    rows,
  )
}

async function atRate({ generator }: Bench, contestant: Contestant, rate: number, seconds: number): Promise<string[]> {
  const server = await startReady(contestant)
  try {
    const load = { port: server.port, file: contestant.workload.file, connections, rate }
    await generator.run({ ...load, start: 0.5, seconds: warmUpSeconds })
    const cpuBefore = cpuSeconds(server.pid)
    const result = await generator.run({ ...load, start: 0, seconds })
    const { p50, p99, p999, max } = result.latencyUs
    return [
      contestant.name,
      whole(result.requests / result.seconds),
      percent((cpuSeconds(server.pid) - cpuBefore) / result.seconds),
      percent(result.cpuSeconds / result.seconds),
      ...[p50, p99, p999, max, result.refusals].map(whole),
    ]
  } finally {
    await server.stop()
  }
}
