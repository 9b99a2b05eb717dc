/** How latency grows with the rate: from a tenth to 95 % of each server's own highest rate, open loop. */

import type { Bench } from '../harness/bench.ts'
import { limit, service } from '../harness/contestants.ts'
import type { Candidate } from '../harness/harness.ts'
import { percent, whole } from '../harness/report.ts'
import type { RateResult } from '../harness/results.ts'
import { prepareScenario } from '../harness/workload.ts'
import { peersFor } from '../servers/peers.ts'
import { atRates, highestRate } from './at-rate.ts'
import { scenarioOf } from './scenarios.ts'

const shares = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95]

export async function measureRates(bench: Bench): Promise<RateResult[]> {
  bench.report.heading('Latency against the rate')
  const prepared = await prepareScenario(bench, scenarioOf('details'))
  const installed = (await peersFor(bench, prepared)).filter(({ lack }) => lack === undefined)
  // Redis' own load generator keeps to no rate.
  const peers = installed.map(({ contestant }) => contestant).filter(({ generator }) => generator === undefined)
  const own = service(bench.machine, bench.subject, prepared.workload)
  const results: RateResult[] = []
  for (const contestant of [own, limit(bench.machine, prepared), ...peers]) {
    console.error(`${contestant.name} at rates …`)
    results.push(...(await ratesOf(bench, contestant)))
  }
  bench.report.text(
    `Card details, ${bench.seconds} s at each rate, open loop: a request's time counts from the moment that the rate gives it.`,
  )
  bench.report.table(
    ['server', 'of its highest', 'requests/s', 'p50 µs', 'p99 µs', 'p99.9 µs', 'worst µs'],
    results.map(({ server, share, rate, latencyUs: { p50, p99, p999, max } }) => [
      server,
      percent(share),
      ...[rate, p50, p99, p999, max].map(whole),
    ]),
  )
  return results
}

async function ratesOf(bench: Bench, contestant: Candidate): Promise<RateResult[]> {
  const highest = await highestRate({ ...bench, rounds: 1 }, contestant)
  const rates = shares.map((share) => Math.round(share * highest))
  const measured = await atRates(bench, contestant, rates, bench.seconds)
  return measured.map(({ result }, i) => ({
    server: contestant.name,
    share: shares[i]!,
    rate: result.requests / result.seconds,
    latencyUs: result.latencyUs,
  }))
}
