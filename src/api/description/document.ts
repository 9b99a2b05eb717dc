/**
 * Generates the OpenAPI 3.1 document from the tables that the server uses.
 *
 *   routes ─▶ operations ┬ parameters ◀─ parameter kinds        examples.json: recorded responses for the sample
 *                        └ responses ◀── problems, examples ◀──┘
 *   schemas                  plans, limits ─▶ descriptions
 */
import type { About } from '../../indexes/about-file.ts'
import type { ApiForm } from '../../settings.ts'
import { formOf, routes } from '../routes.ts'
import { tags } from './descriptions.ts'
import { readExamples } from './examples.ts'
import { headers } from './headers.ts'
import { infoOf } from './info.ts'
import { ifNoneMatch, operationOf } from './operations.ts'
import { type DescribedRoute, responsesOf } from './responses.ts'
import { jsonSchemas } from './schemas.ts'
import { shareResponses } from './shared.ts'

/** The document as it is sent: JSON in UTF-8. A few milliseconds. @param about what the operator tells of the data */
export function describeInterface(served: ApiForm, about: About): Uint8Array {
  const examples = readExamples()
  const described = routes.filter((route): route is DescribedRoute => route.operation !== 'getDescription')
  const { shared, responses } = shareResponses(
    described.map((route) => ({ form: formOf(route, served), responses: responsesOf(route, served, examples) })),
  )
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [i, route] of described.entries()) {
    const operation = { ...operationOf(route, served, examples), responses: responses[i] }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const document = {
    openapi: '3.1.0',
    info: infoOf(served, about),
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      parameters: { ifNoneMatch },
      headers,
      responses: shared,
      schemas: jsonSchemas(),
    },
  }
  return Buffer.from(JSON.stringify(document))
}

/** The header alone: a generated client sends a key in each way that stands here. */
const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The parameter `api_key` works too, less safely: addresses are written to logs. If both are sent, the header counts.',
  },
}
