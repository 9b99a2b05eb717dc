/** The highest rate of the load generator itself: measured first, since no figure above it can be the server's. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../harness/bench.ts'
import { bareServer } from '../harness/contestants.ts'
import { median, runHarness } from '../harness/harness.ts'
import { percent, whole } from '../harness/report.ts'
import { requestsOf, scenarios } from './scenarios.ts'

/**
 * Requests a second that the generator's CPU time for one of them allows, against the bare server and the smallest
 * answer. With a core to itself it can send at least so many: the busier it is, the more it does in one turn.
 */
export async function measureCeiling(bench: Bench): Promise<number> {
  const { machine, subject, report } = bench
  const file = join(subject.folder, 'ceiling.requests')
  const requests = requestsOf(scenarios[0]!, subject, bench.requestsListed)
  writeFileSync(file, requests.map((request) => `${request}\0`).join(''), { mode: 0o600 })
  const smallest = { statusLine: '200 OK', headers: [], bodyBytes: 2, memoryBytes: 0, pieces: 1, takesBodies: false }
  const workload = { file, status: 200, before: [] }
  const bare = bareServer(machine, { ...smallest, threads: 1 }, workload, { name: 'bare', cores: '0' })
  const figures = (await runHarness([bare], bench)).get(bare.name)!
  const rate = median(figures.map((round) => round.rate))
  const share = median(figures.map((round) => round.generatorShare))
  report.text(
    `The generator's ceiling: at least ${whole(rate / share)} requests/s (it sent ${whole(rate)} to the bare server, ` +
      `whose answer had 2 bytes, and was busy for ${percent(share)} of the time).`,
  )
  return rate / share
}
