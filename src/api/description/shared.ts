/** Moves responses that several operations share to the components. */
import type { ApiForm } from '../../settings.ts'
import { type ProblemCode, problemTable, statusOf } from '../problems.ts'
import type { Responses } from './responses.ts'
import type { Json } from './schemas.ts'

export interface OfOperation {
  /** The form of its errors. */
  readonly form: ApiForm
  readonly responses: Responses
}

/** @returns the components, and the responses of each operation with references to them */
export function shareResponses(all: readonly OfOperation[]): { shared: Json; responses: Responses[] } {
  const uses = new Map<string, number>()
  for (const response of all.flatMap(({ responses }) => Object.values(responses))) {
    const text = JSON.stringify(response)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const shared = new Map<string, { readonly text: string; readonly response: Json }>()
  const refer = (form: ApiForm, status: string, response: Json): Json => {
    const text = JSON.stringify(response)
    const name = nameOf(form, status)
    if (uses.get(text) === 1 || name === undefined) return response
    // If operations differ for a status, the first one's shared response gets the name.
    if (!shared.has(name)) shared.set(name, { text, response })
    return shared.get(name)!.text === text ? { $ref: `#/components/responses/${name}` } : response
  }
  const responses = all.map((one) =>
    Object.fromEntries(
      Object.entries(one.responses).map(([status, response]) => [status, refer(one.form, status, response)]),
    ),
  )
  return { shared: Object.fromEntries([...shared].map(([name, { response }]) => [name, response])), responses }
}

/** `TooManyRequestsInFormA`; `NotModified` for a 304. */
function nameOf(form: ApiForm, status: string): string | undefined {
  if (status === '304') return 'NotModified'
  const code = (Object.keys(problemTable) as ProblemCode[]).find((one) => statusOf(one) === Number(status))
  if (code === undefined) return undefined
  const [, ...phrase] = problemTable[code].status.split(' ')
  return `${phrase.join('')}InForm${form}`
}
