/**
 * The answers that stand in the description as examples: what a server gave for the sample snapshot, written down by
 * `npm run examples` and asked for again by a test.
 */
import { readFileSync } from 'node:fs'
import type { ApiForm } from '../../settings.ts'
import { softwareVersion } from '../../version.ts'
import type { ProblemCode } from '../problems.ts'
import type { DescribedOperation } from './descriptions.ts'

export interface GoodExample {
  /** Method and address. */
  readonly request: string
  /** Of a POST. */
  readonly body?: unknown
  /** The body of the 200; of one that is lines, the first of them. */
  readonly answer: unknown
}

/** Bodies of errors. */
type ProblemBodies = Partial<Record<ProblemCode, unknown>>

export interface Examples {
  /** Without those that are not recorded yet: a server that is to be asked for them starts without them. */
  readonly answers: Readonly<Partial<Record<DescribedOperation, GoodExample>>>
  /** `common` is what most operations say, `own` what one says otherwise. */
  readonly problems: Readonly<
    Record<
      ApiForm,
      { readonly common: ProblemBodies; readonly own: Readonly<Partial<Record<DescribedOperation, ProblemBodies>>> }
    >
  >
}

export const examplesFile = new URL('./examples.json', import.meta.url)

/** As they were recorded, but for the software's version: a release need not record them anew. */
export function readExamples(): Examples {
  const examples = JSON.parse(readFileSync(examplesFile, 'utf8'))
  const health = examples.answers.getHealth?.answer
  if (health !== undefined) health.software = softwareVersion
  return examples
}
