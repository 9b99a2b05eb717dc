/**
 * The examples of the OpenAPI description. They are responses from the data of the sample snapshot. `npm run examples`
 * records them, and a test compares them with the server's responses.
 */
import { readFileSync } from 'node:fs'
import type { ApiForm } from '../../settings.ts'
import { packageVersion } from '../../version.ts'
import type { ProblemCode } from '../problems.ts'
import type { DescribedOperation } from '../routes.ts'
import type { ResponseOf } from '../schemas.ts'

export interface GoodExample {
  /** The request's method and address. */
  readonly request: string
  /** The body of a POST. */
  readonly body?: unknown
  /** The body of the 200, or only its first line if the body consists of lines. */
  readonly answer: unknown
  /** The same response as CSV: the request for it, and the answer. */
  readonly csv?: { readonly request: string; readonly answer: string }
}

/** Bodies of problems, by code. */
type ProblemBodies = Partial<Record<ProblemCode, unknown>>

export interface Examples {
  /** Incomplete while `npm run examples` records them. */
  readonly answers: Readonly<Partial<Record<DescribedOperation, GoodExample>>>
  /**
   * `common` has the bodies that most operations answer with. `own` has, by operation, the bodies that differ from
   * those.
   */
  readonly problems: Readonly<
    Record<
      ApiForm,
      { readonly common: ProblemBodies; readonly own: Readonly<Partial<Record<DescribedOperation, ProblemBodies>>> }
    >
  >
}

export const examplesFile = new URL('./examples.json', import.meta.url)

export type ListedGames = ResponseOf<'games'>

/**
 * Returns the recorded examples with the current software version, so that a release need not record them again.
 * @param served the games of the served version. They replace the sample's in the list of games, and in messages that
 * name all games
 */
export function readExamples(served?: ListedGames): Examples {
  const { answers, problems } = JSON.parse(readFileSync(examplesFile, 'utf8'))
  if (answers.getHealth !== undefined) answers.getHealth.answer.software = packageVersion
  if (served === undefined || answers.listGames === undefined) return { answers, problems }
  const messages = JSON.stringify(problems).replaceAll(namesOf(answers.listGames.answer), namesOf(served))
  answers.listGames.answer = served
  return { answers, problems: JSON.parse(messages) }
}

const namesOf = ({ data }: ListedGames): string => data.map(({ id }) => id).join(', ')
