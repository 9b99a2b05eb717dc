/** Writes a route as an operation of the OpenAPI description. */
import { planNames, plans } from '../../plans.ts'
import type { ApiForm } from '../../settings.ts'
import type { Parameter } from '../parameter-kinds.ts'
import { formOf, rankOf } from '../routes.ts'
import type { Examples, GoodExample } from './examples.ts'
import { type Json, refTo } from './json-schemas.ts'
import type { DescribedRoute } from './responses.ts'

/** The operation without its responses. @param games the ids of the served games */
export function operationOf(
  route: DescribedRoute,
  served: ApiForm,
  examples: Examples,
  games: readonly string[],
): Json {
  const { tag = 'Cards', summary, description = '' } = route
  const example = examples.answers[route.operation]
  const parameters: Json[] = route.parameters.map((parameter) =>
    parameterOf(parameter.isGame ? { ...parameter, values: games } : parameter, exampleOf(parameter, route, example)),
  )
  if (route.plan !== undefined && route.method === 'GET')
    parameters.push(...['ifNoneMatch', 'ifMatch'].map((name) => ({ $ref: `#/components/parameters/${name}` })))
  return {
    operationId: route.operation,
    tags: [tag],
    summary,
    description: [description, neededWords(route), plansOf(route, served), formWords(route, served)]
      .filter((text) => text !== '')
      .join(' '),
    security: route.plan === undefined ? [] : [{ apiKeyHeader: [] }],
    parameters,
    ...(route.body === undefined ? {} : { requestBody: bodyOf(route.body, example) }),
  }
}

function plansOf(route: DescribedRoute, served: ApiForm): string {
  if (route.plan === undefined) return ''
  const lowest = rankOf(route, served)
  const names = planNames.filter((name) => plans[name].rank >= lowest)
  return lowest === 0
    ? 'All plans include it.'
    : `Only these plans include it: ${names.map((name) => plans[name].name).join(', ')}.`
}

const neededWords = ({ oneOf }: DescribedRoute): string =>
  oneOf === undefined ? '' : `At least one of ${oneOf.map(({ name }) => `\`${name}\``).join(', ')} is required.`

const formWords = (route: DescribedRoute, served: ApiForm): string =>
  formOf(route, served) === served ? '' : `Its errors have form ${formOf(route, served)}.`

function parameterOf(parameter: Parameter, example: string | number | undefined): Json {
  const { name, required, type, minimum, maximum, multipleOf, values, charsMin, charsMax, pattern, format } = parameter
  const schema = {
    type,
    default: parameter.default,
    minimum,
    maximum,
    enum: values,
    minLength: charsMin,
    maxLength: charsMax,
    pattern,
    format,
  }
  const lowered = parameter.aboveMaximum === 'lowered' ? ` A larger number counts as ${maximum}.` : ''
  // The schema does not say `multipleOf`, because validators compute in binary floating point: there, 19.99 is no
  // multiple of 0.01.
  const stepped = multipleOf === undefined ? '' : ` In steps of ${multipleOf}.`
  return {
    name,
    in: parameter.in,
    required,
    description: `${parameter.description}${lowered}${stepped}`,
    // JSON.stringify leaves out the schema's undefined fields.
    schema,
    example,
  }
}

/** The value that the parameter has in the example's request. */
function exampleOf(
  { name, in: place, type }: Parameter,
  { path }: DescribedRoute,
  example: GoodExample | undefined,
): string | number | undefined {
  if (example === undefined) return undefined
  const [address = '', query] = example.request.slice(example.request.indexOf(' ') + 1).split('?')
  const text =
    place === 'query'
      ? new URLSearchParams(query).get(name)
      : decodeURIComponent(address.split('/')[path.split('/').indexOf(`{${name}}`)]!)
  return text === null ? undefined : type === 'string' ? text : Number(text)
}

const bodyOf = ({ schema, bytesMax }: NonNullable<DescribedRoute['body']>, example: GoodExample | undefined): Json => ({
  description: `At most ${bytesMax / 1024} KiB.`,
  required: true,
  content: {
    'application/json': {
      schema: refTo(schema),
      examples: example && { body: { summary: example.request, value: example.body } },
    },
  },
})

const tagsHeader = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

/** The headers If-None-Match and If-Match, for the description's components. */
export const conditions = {
  ifNoneMatch: tagsHeader(
    'If-None-Match',
    'One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304.',
  ),
  ifMatch: tagsHeader(
    'If-Match',
    'One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412.',
  ),
}
