/** Prepares a scenario: its requests for the load generator, and a sample of its responses. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawFrom, randomFrom } from '../../test/support/random.ts'
import { requestsOf, type Scenario } from '../http/scenarios.ts'
import { sampleAnswers } from './answers.ts'
import type { Bench, Prepared } from './bench.ts'
import { service } from './contestants.ts'
import { startReady, type Workload } from './harness.ts'
import type { Subject } from './subject.ts'

const sampleSeed = 7

/** Writes the scenario's requests for the load generator, and sends a sample of them to the service. */
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
  const asked = Array.from(
    { length: Math.min(bench.answersSampled, scenario.answersSampled ?? Number.POSITIVE_INFINITY) },
    () => drawFrom(random, requests),
  )
  const server = await startReady(service(bench.machine, subject, workload))
  try {
    const sample = await sampleAnswers(server.port, asked, scenario.status)
    return { scenario, subject, workload, requests, sample }
  } finally {
    await server.stop()
  }
}
