/** What the description says of the service as a whole. */
import { type About, contactOf, titleOf } from '../../indexes/about-file.ts'
import { type Plan, plans } from '../../plans.ts'
import type { ApiForm } from '../../settings.ts'
import { softwareVersion } from '../../version.ts'
import type { Json } from './schemas.ts'

export function infoOf(served: ApiForm, about: About): Json {
  const { contact, currency } = about
  return {
    title: titleOf(about),
    version: softwareVersion,
    description: [introduction, ...(currency === undefined ? [] : [`Prices are in ${currency}.`]), quotas(served)].join(
      '\n\n',
    ),
    ...(contact === undefined ? {} : { contact: contactOf(contact) }),
    ...(currency === undefined ? {} : { 'x-currency': currency }),
  }
}

const introduction = `Trading card prices. Every request under \`/v1\` carries an API key, for servers alone: there are no CORS headers.
HEAD answers as GET without the body, OPTIONS tells a path’s methods. Parameters that are unknown are ignored, and of one
that is given twice the first counts. An unknown price is null, never 0.`

function quotas(served: ApiForm): string {
  const rows = Object.values<Plan>(plans).map(({ name, requestsPerDay }) => `| ${name} | ${grouped(requestsPerDay)} |`)
  return [
    '| plan | requests a day (UTC) |\n|---|---|',
    ...rows,
    `\nAll keys of an account draw on one quota. A request with a valid key counts one, whatever its status, but 429 and 5xx.`,
    `Errors are in form ${served} unless an operation says otherwise.`,
  ].join('\n')
}

/** toLocaleString would read the system's tables of languages, 30 ms of a start. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
