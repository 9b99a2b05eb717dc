/**
 * Generates the OpenAPI 3.1 document from the tables that the server uses.
 *
 *   routes ─▶ operations ┬ parameters ◀─ parameter kinds        examples.json: recorded responses for the sample
 *                        └ responses ◀── problems, examples ◀──┘
 *   schemas                  plans, limits ─▶ descriptions
 */
import { type About, contactOf, titleOf } from '../../indexes/about-file.ts'
import { type Plan, plans } from '../../plans.ts'
import type { ApiForm } from '../../settings.ts'
import { packageVersion } from '../../version.ts'
import { tags } from '../route-row.ts'
import { formOf, routes } from '../routes.ts'
import { type ListedGames, readExamples } from './examples.ts'
import { type Json, jsonSchemas } from './json-schemas.ts'
import { conditions, operationOf } from './operations.ts'
import { type DescribedRoute, headers, responsesOf, shareResponses } from './responses.ts'

/**
 * The OpenAPI document as JSON in UTF-8. Rendering it takes a few milliseconds.
 * @param about the operator's texts about the data
 * @param games the games of the served version; by default, the sample's games
 */
export function describeInterface(served: ApiForm, about: About, games?: ListedGames): Uint8Array {
  const examples = readExamples(games)
  const known = (examples.answers.listGames?.answer ?? { data: [] }) as ListedGames
  const slugs = known.data.map(({ id }) => id)
  const described = routes.filter((route): route is DescribedRoute => route.operation !== 'getDescription')
  const { shared, responses } = shareResponses(
    described.map((route) => ({ form: formOf(route, served), responses: responsesOf(route, served, examples) })),
  )
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [i, route] of described.entries()) {
    const operation = { ...operationOf(route, served, examples, slugs), responses: responses[i] }
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
      parameters: conditions,
      headers,
      responses: shared,
      schemas: jsonSchemas(slugs),
    },
  }
  return Buffer.from(JSON.stringify(document))
}

/** Only the header is listed, because a generated client would send the key by every scheme that is listed here. */
const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The query parameter `api_key` also works, but is less safe, because addresses are written to logs. If both are sent, the header counts.',
  },
}

/** The document's `info`. */
function infoOf(served: ApiForm, about: About): Json {
  const { contact, currency } = about
  return {
    title: titleOf(about),
    version: packageVersion,
    description: [introduction, ...(currency === undefined ? [] : [`Prices are in ${currency}.`]), quotas(served)].join(
      '\n\n',
    ),
    ...(contact === undefined ? {} : { contact: contactOf(contact) }),
    ...(currency === undefined ? {} : { 'x-currency': currency }),
  }
}

const introduction = `Trading card prices. Every request under \`/v1\` needs an API key. The API sends no CORS headers, so call it from a server.
HEAD returns the headers of GET without the body. OPTIONS lists a path’s methods. Parameters that only
other endpoints have, and names that other services use (such as \`page\`), get a 400; but \`/v1/games\` ignores \`limit\` and
\`offset\`. Other unknown parameters are ignored. If a parameter is given twice, the first value counts. An unknown price is null, never 0.`

function quotas(served: ApiForm): string {
  const rows = Object.values<Plan>(plans).map(({ name, requestsPerDay }) => `| ${name} | ${grouped(requestsPerDay)} |`)
  return [
    '| plan | requests a day (UTC) |\n|---|---|',
    ...rows,
    `\nAll keys of an account draw on one quota. A request with a valid key counts as one, even if its status is 4xx. These do not count: 429, 5xx, 405, OPTIONS, unknown paths, and requests of a suspended account.`,
    `An error has a code and a message. In form A it also has the status; in form B it has not. Errors have form ${served} unless an operation says otherwise.`,
  ].join('\n')
}

/** The number with commas between thousands. toLocaleString would load locale data, which takes 30 ms of a start. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
