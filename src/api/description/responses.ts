/** All responses of an operation by status: 200, 304, the problems of its route, and 405. */
import type { ApiForm } from '../../settings.ts'
import { codeIn, type ProblemCode, planRestriction, problemTable, statusOf } from '../problems.ts'
import { formOf, planOf, problemsOf, type Route } from '../routes.ts'
import type { DescribedOperation } from './descriptions.ts'
import type { Examples } from './examples.ts'
import { headersNamed, quotaHeaders } from './headers.ts'
import { type Json, refTo } from './schemas.ts'

export type DescribedRoute = Route & { readonly operation: DescribedOperation }

/** By status. */
export type Responses = Record<string, Json>

export function responsesOf(route: DescribedRoute, served: ApiForm, examples: Examples): Responses {
  const ofQuota = route.plan === undefined ? [] : quotaHeaders
  const hasTag = route.plan !== undefined && route.method === 'GET'
  const ofBody = route.media === undefined ? [] : (['Content-Encoding'] as const)
  const headers = [...ofQuota, ...(hasTag ? (['ETag'] as const) : [])]
  const example = examples.answers[route.operation]
  const good = {
    description: 'What was asked for.',
    headers: headersNamed([...headers, ...ofBody]),
    content: {
      [route.media?.type ?? 'application/json']: {
        schema: schemaOf(route),
        examples: example && { answer: { summary: example.request, value: example.answer } },
      },
    },
  }
  const unchanged = {
    description: 'What was asked for is what `If-None-Match` names. No body.',
    headers: headersNamed(headers),
  }
  const responses: Responses = { 200: good, ...(hasTag ? { 304: unchanged } : {}) }
  for (const [status, codes] of byStatus([...problemsOf(route, served), 'METHOD_NOT_ALLOWED'])) {
    responses[status] = ofProblems(route, formOf(route, served), codes, examples)
  }
  return responses
}

/** A body that is not JSON is a string with `contentSchema`. */
const schemaOf = ({ answer, media }: DescribedRoute): Json =>
  media === undefined
    ? refTo(answer)
    : {
        type: 'string',
        description: 'Lines, each of them JSON.',
        contentMediaType: media.type,
        contentSchema: { type: 'array', items: refTo(answer) },
      }

function byStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const grouped = new Map<number, ProblemCode[]>()
  for (const code of codes) grouped.set(statusOf(code), [...(grouped.get(statusOf(code)) ?? []), code])
  return grouped
}

/** @param codes of one status */
function ofProblems(route: DescribedRoute, form: ApiForm, codes: readonly ProblemCode[], examples: Examples): Json {
  const { common, own } = examples.problems[form]
  const headers = headersNamed([
    ...(route.plan === undefined ? [] : quotaHeaders),
    ...(codes.some((code) => 'retry' in problemTable[code]) ? (['Retry-After'] as const) : []),
    ...(codes.includes('METHOD_NOT_ALLOWED') ? (['Allow'] as const) : []),
  ])
  return {
    description: codes.map((code) => `\`${codeIn(form, code)}\`: ${messageOf(code, route, form)}`).join('\n\n'),
    headers,
    content: {
      'application/json': {
        schema: refTo(form === 'A' ? 'errorInFormA' : 'errorInFormB'),
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { summary: codeIn(form, code), value: own[route.operation]?.[code] ?? common[code] },
          ]),
        ),
      },
    },
  }
}

/** @param form the route's */
const messageOf = (code: ProblemCode, route: DescribedRoute, form: ApiForm): string =>
  code === 'PLAN_RESTRICTION'
    ? planRestriction(planOf(route, form))
    : (route.messages?.[code] ?? problemTable[code].message)
