/**
 * Describes the responses of operations by status: 200, 304, the problems of the route, and 405. Responses that several
 * operations share are components, and so are all headers.
 */
import type { ApiForm } from '../../settings.ts'
import { codeIn, type ProblemCode, planRestriction, problemCodes, problemTable, statusOf } from '../problems.ts'
import { type DescribedOperation, formOf, hasCsv, planOf, problemsOf, type Route } from '../routes.ts'
import type { Examples, GoodExample } from './examples.ts'
import { type Json, refTo } from './json-schemas.ts'

export type DescribedRoute = Route & { readonly operation: DescribedOperation }

/** Responses, by status. */
type Responses = Record<string, Json>

const wholeNumber = { type: 'integer', minimum: 0 }
const header = (description: string, schema: Json, required = true): Json => ({ required, description, schema })

/** The headers, for the description's components. */
export const headers = {
  'X-RateLimit-Limit': header('The requests a day in the account’s plan. 0 without a valid key.', wholeNumber),
  'X-RateLimit-Remaining': header('The requests left today after this one. 0 without a valid key.', wholeNumber),
  'X-RateLimit-Reset': header('The time of the next quota: the next midnight UTC, in Unix seconds.', wholeNumber),
  ETag: header('The version of the data. The response to the same URL changes only with the version.', {
    type: 'string',
    pattern: '^"[^"]+"$',
  }),
  'Cache-Control': header(
    '`private`: shared caches must not store the response. `no-store`: no cache may store it, since it is an error.',
    {
      type: 'string',
      enum: ['private', 'no-store'],
    },
  ),
  'X-Total': header('The number of rows of all pages. Only a CSV has this header.', wholeNumber, false),
  'Content-Encoding': header(
    'The compression of the body. A proxy that decompresses the body removes this header.',
    { const: 'gzip' },
    false,
  ),
  'Retry-After': header('The number of seconds after which to try again.', wholeNumber),
  Allow: header('The methods that the path has.', { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' }),
}

type Header = keyof typeof headers

/** References to headers, for a response. */
const headersNamed = (names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const quotaHeaders: readonly Header[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

export function responsesOf(route: DescribedRoute, served: ApiForm, examples: Examples): Responses {
  const ofQuota = route.plan === undefined ? [] : quotaHeaders
  const hasTag = route.plan !== undefined && route.method === 'GET'
  const ofBody =
    route.media !== undefined ? (['Content-Encoding'] as const) : hasCsv(route) ? (['X-Total'] as const) : []
  const ofAnswer = [...ofQuota, ...(hasTag ? (['ETag'] as const) : []), 'Cache-Control' as const]
  const example = examples.answers[route.operation]
  const good = {
    description: 'The requested data.',
    headers: headersNamed([...ofAnswer, ...ofBody]),
    content: {
      [route.media?.type ?? 'application/json']: {
        schema: schemaOf(route),
        examples: example && { answer: { summary: example.request, value: example.answer } },
      },
      ...(hasCsv(route) ? { 'text/csv': csvOf(example) } : {}),
    },
  }
  const unchanged = {
    description: '`If-None-Match` names the current version. The response has no body.',
    headers: headersNamed(ofAnswer),
  }
  const codes: ProblemCode[] = [...problemsOf(route, served), 'METHOD_NOT_ALLOWED']
  const responses: Responses = { 200: good, ...(hasTag ? { 304: unchanged } : {}) }
  for (const [status, ofStatus] of Map.groupBy(codes, statusOf)) {
    responses[status] = ofProblems(route, formOf(route, served), ofStatus, examples)
  }
  return responses
}

/** The content of a 200 with `format=csv`. */
const csvOf = (example: GoodExample | undefined): Json => ({
  schema: { type: 'string', description: 'CSV by RFC 4180, with a header row.' },
  examples: example?.csv && { csv: { summary: example.csv.request, value: example.csv.answer } },
})

/** The schema of a 200's body. A body that is not JSON is described as a string with a `contentSchema`. */
const schemaOf = ({ answer, media }: DescribedRoute): Json =>
  media === undefined
    ? refTo(answer)
    : {
        type: 'string',
        description: 'Each line is a JSON object.',
        contentMediaType: media.type,
        contentSchema: { type: 'array', items: refTo(answer) },
      }

/** The response for a status. @param codes all problems with this status */
function ofProblems(route: DescribedRoute, form: ApiForm, codes: readonly ProblemCode[], examples: Examples): Json {
  const { common, own } = examples.problems[form]
  const headers = headersNamed([
    ...(route.plan === undefined ? [] : quotaHeaders),
    ...(codes.some((code) => 'hasETag' in problemTable[code]) ? (['ETag'] as const) : []),
    'Cache-Control',
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

/** @param form the route's form */
const messageOf = (code: ProblemCode, route: DescribedRoute, form: ApiForm): string =>
  code === 'PLAN_RESTRICTION'
    ? planRestriction(planOf(route, form))
    : (route.messages?.[code] ?? problemTable[code].message)

/**
 * Moves responses that several operations share to the components.
 * @param all for each operation: the form of its errors, and its responses
 * @returns `shared` has the components. `responses` has the responses of each operation, which refer to the components
 */
export function shareResponses(all: readonly { readonly form: ApiForm; readonly responses: Responses }[]): {
  shared: Json
  responses: Responses[]
} {
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
    // Several shared responses may have the same name, because their status is the same. The first of them gets the
    // name and becomes a component. The others stay in their operations.
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

/** The name of a shared response: `TooManyRequestsInFormA`, for example, or `NotModified` for a 304. */
function nameOf(form: ApiForm, status: string): string | undefined {
  if (status === '304') return 'NotModified'
  const code = problemCodes.find((one) => statusOf(one) === Number(status))
  if (code === undefined) return undefined
  const [, ...phrase] = problemTable[code].status.split(' ')
  return `${phrase.join('')}InForm${form}`
}
