/** The input of a part of the benchmark, and a scenario made ready: its requests for the generator, a sample of its answers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawFrom, randomFrom } from '../../test/support/random.ts'
import { requestsOf, type Scenario } from '../http/scenarios.ts'
import { type Sample, sampleAnswers } from './answers.ts'
import { service } from './contestants.ts'
import { type HarnessOptions, startReady, type Workload } from './harness.ts'
import type { Machine } from './machine.ts'
import type { Report } from './report.ts'
import type { Subject } from './subject.ts'

export interface Bench extends HarnessOptions {
  readonly machine: Machine
  readonly subject: Subject
  readonly report: Report
  readonly requestsListed: number
  readonly answersSampled: number
}

/** A scenario that is ready to be measured. */
export interface Prepared {
  readonly scenario: Scenario
  readonly subject: Subject
  readonly workload: Workload
  readonly sample: Sample
  readonly requests: readonly string[]
}

const sampleSeed = 7

/** Writes the scenario's requests for the load generator, and asks the service a sample of them. */
export async function prepareScenario(
  bench: Bench,
  scenario: Scenario,
  subject: Subject = bench.subject,
): Promise<Prepared> {
  const requests = requestsOf(scenario, subject, bench.requestsListed)
  const workload: Workload = {
    file: join(subject.folder, `${scenario.name}.requests`),
    status: scenario.status,
    before: scenario.before?.(subject) ?? [],
  }
  writeFileSync(workload.file, requests.map((request) => `${request}\0`).join(''), { mode: 0o600 })
  const random = randomFrom(sampleSeed)
  const asked = Array.from({ length: bench.answersSampled }, () => drawFrom(random, requests))
  const server = await startReady(service(bench.machine, subject, workload))
  try {
    const sample = await sampleAnswers(server.port, asked, scenario.status)
    return { scenario, subject, workload, requests, sample }
  } finally {
    await server.stop()
  }
}
