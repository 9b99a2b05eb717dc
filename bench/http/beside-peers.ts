/** Measures peers, which a user could choose instead, in the same rounds as the service and its limit. */

import type { Bench } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import { doubtOf, median, runHarness } from '../harness/harness.ts'
import { fixed, percent, whole, wide } from '../harness/report.ts'
import type { PeerResult } from '../harness/results.ts'
import { prepareScenario } from '../harness/workload.ts'
import { peerScenarios, peersFor, sameAnswering } from '../servers/peers.ts'
import { scenarioOf } from './scenarios.ts'

const requestsCompared = 100

const columns = [
  'scenario',
  'server',
  'requests/s',
  wide('min–max'),
  'to the limit',
  'CPU µs',
  wide('p50 µs'),
  'p99 µs',
  wide('p99.9 µs'),
  wide('generator'),
  'resident MB',
]

export async function measurePeers(bench: Bench): Promise<PeerResult[]> {
  bench.report.heading('Beside peers')
  const results: PeerResult[] = []
  const rows: string[][] = []
  for (const name of peerScenarios) {
    console.error(`peers: ${name} …`)
    const prepared = await prepareScenario(bench, scenarioOf(name))
    const own = service(bench.machine, bench.subject, prepared.workload)
    const peers = await peersFor(bench, prepared)
    const others = await sameAnswering(own, peers, prepared.requests.slice(0, requestsCompared))
    const contestants = [limit(bench.machine, prepared), own, ...others]
    const figures = await runHarness(contestants, bench)
    const limits = figures.get('limit')!
    for (const contestant of contestants) {
      const rounds = figures.get(contestant.name)!
      const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value))
      const result: PeerResult = {
        scenario: name,
        server: contestant.name,
        rate: of(({ rate }) => rate),
        cpuUs: of(({ cpuUs }) => cpuUs),
        latencyUs: {
          p50: of(({ latencyUs }) => latencyUs.p50),
          p99: of(({ latencyUs }) => latencyUs.p99),
          p999: of(({ latencyUs }) => latencyUs.p999),
          max: of(({ latencyUs }) => latencyUs.max),
        },
      }
      results.push(result)
      const rates = rounds.map(({ rate }) => rate)
      rows.push([
        name,
        contestant.name,
        whole(result.rate) + doubtOf(rounds),
        `${whole(Math.min(...rates))}–${whole(Math.max(...rates))}`,
        fixed(median(rounds.map((round, i) => round.rate / limits[i]!.rate)), 2),
        fixed(result.cpuUs, 2),
        ...[result.latencyUs.p50, result.latencyUs.p99, result.latencyUs.p999].map(whole),
        percent(of(({ generatorShare }) => generatorShare)),
        fixed(of(({ residentBytes }) => residentBytes) / 1e6, 1),
      ])
    }
    for (const { name: peer, lack } of peers) {
      if (lack !== undefined) rows.push([name, `${peer}: not installed (${lack})`, ...columns.slice(2).map(() => '–')])
    }
  }
  bench.report.table(columns, rows)
  return results
}
