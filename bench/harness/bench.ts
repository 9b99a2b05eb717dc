/** The input that each part of the benchmark gets. */
import type { Scenario } from '../http/scenarios.ts'
import type { Sample } from './answers.ts'
import type { HarnessOptions, Workload } from './harness.ts'
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

/** A scenario with its requests and a sample of its responses. */
export interface Prepared {
  readonly scenario: Scenario
  readonly subject: Subject
  readonly workload: Workload
  readonly sample: Sample
  readonly requests: readonly string[]
}
