/** Measures the highest rate of the load generator itself. No server can be measured at a higher one. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../harness/bench.ts'
import { bareServer } from '../harness/contestants.ts'
import { median, runHarness, wholeCore } from '../harness/harness.ts'
import { percent, whole } from '../harness/report.ts'
import { requestsOf, scenarios } from './scenarios.ts'

export interface Ceiling {
  /** Requests a second. Undefined if the generator idled, because it could then have sent more. */
  readonly rate: number | undefined
  /** The generator's rate in each round. */
  readonly sent: readonly number[]
}

/** Measures the generator's rate to a bare server with the smallest response. */
export async function measureCeiling(bench: Bench): Promise<Ceiling> {
  const { machine, subject, report } = bench
  const file = join(subject.folder, 'ceiling.requests')
  const requests = requestsOf(scenarios[0]!, subject, bench.requestsListed)
  writeFileSync(file, requests.map((request) => `${request}\0`).join(''), { mode: 0o600 })
  const smallest = { statusLine: '200 OK', headers: [], bodyBytes: 2, memoryBytes: 0, pieces: 1, takesBodies: false }
  const workload = { file, status: 200, before: [] }
  const bare = bareServer(machine, { ...smallest, threads: 1 }, workload, { name: 'bare', cores: '0' })
  const figures = (await runHarness([bare], bench)).get(bare.name)!
  const sent = figures.map((round) => round.rate)
  const rate = median(sent)
  const share = median(figures.map((round) => round.generatorShare))
  const isAtItsEnd = share >= wholeCore
  const meaning = isAtItsEnd
    ? `The generator's ceiling: at least ${whole(rate)} requests/s`
    : "The generator's ceiling can't be told, since it idled"
  report.text(
    `${meaning} (it sent ${whole(rate)} to the bare server, whose answer had 2 bytes, and was busy for ${percent(share)} of the time).`,
  )
  return { rate: isAtItsEnd ? rate : undefined, sent }
}
