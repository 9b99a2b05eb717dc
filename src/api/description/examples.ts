/**
 * The examples of the description: responses for the sample snapshot. `npm run examples` records them, and a test compares
 * them with the server.
 */
import { readFileSync } from 'node:fs'
import type { ApiForm } from '../../settings.ts'
import { softwareVersion } from '../../version.ts'
import type { ProblemCode } from '../problems.ts'
import type { DescribedOperation } from '../routes.ts'

export interface GoodExample {
  /** Method and address. */
  readonly request: string
  /** A POST has one. */
  readonly body?: unknown
  /** The body of the 200; its first line, if it has lines. */
  readonly answer: unknown
  /** The same as CSV. */
  readonly csv?: { readonly request: string; readonly answer: string }
}

/** Bodies of errors. */
type ProblemBodies = Partial<Record<ProblemCode, unknown>>

export interface Examples {
  /** Incomplete while `npm run examples` records them. */
  readonly answers: Readonly<Partial<Record<DescribedOperation, GoodExample>>>
  /** `common` has the bodies of most operations, `own` those of an operation that differ. */
  readonly problems: Readonly<
    Record<
      ApiForm,
      { readonly common: ProblemBodies; readonly own: Readonly<Partial<Record<DescribedOperation, ProblemBodies>>> }
    >
  >
}

export const examplesFile = new URL('./examples.json', import.meta.url)

/** As recorded, but with the current software version, so that a release need not record them again. */
export function readExamples(): Examples {
  const examples = JSON.parse(readFileSync(examplesFile, 'utf8'))
  const health = examples.answers.getHealth?.answer
  if (health !== undefined) health.software = softwareVersion
  return examples
}
