/**
 * `/llms.txt`: what an assistant needs to know to use this server. Programs that read pages for an assistant load it,
 * too. It is made from the tables of the API.
 */
import { type ProblemCode, problemTable, statusOf } from '../../api/problems.ts'
import { planOf, routes } from '../../api/routes.ts'
import { batchIdsMax, searchLimitMax, setsLimitMax } from '../../limits.ts'
import { type Plan, planNames, plans } from '../../plans.ts'
import { packageVersion } from '../../version.ts'

/** The operations in the order in which they are used. Each has its purpose, and an example's query, path or body. */
const requests = [
  [
    'searchCards',
    'cards by name, set and number; parameters for game, set, rarity, printing, prices, order',
    '?q=charizard+base+set&limit=5',
  ],
  ['suggestNames', 'names that begin so', '?q=char'],
  ['getCard', 'a card with all its prices; view=extended adds printing, currency, ids elsewhere and other markets', ''],
  [
    'matchCards',
    `up to ${batchIdsMax} lines of a list, each with its card or its candidates`,
    '{"cards":[{"name":"Charizard","set":"Base Set","number":"4/102"}]}',
  ],
  ['batchCards', `up to ${batchIdsMax} cards by id`, '{"ids":["ID","ID"]}'],
  [
    'listCards',
    'the cards of a game or set, or of a TCGplayer, Cardmarket, Scryfall or MTGJSON id; changed_since=2026-11-19 keeps those that changed',
    '?game=pokemon&set=base1',
  ],
  ['getCardHistory', 'prices by day: 7d, 30d, 90d, 1y, all', '?period=90d'],
  ['batchCardHistories', `the same of up to ${batchIdsMax} cards`, '{"ids":["ID","ID"],"period":"90d"}'],
  ['getCardChanges', 'how the price moved in five periods, and its year’s high and low', ''],
  ['listMovers', 'the cards that moved most', '?game=mtg&period=7d&direction=up'],
  ['listSets', 'sets, newest first', '?game=pokemon'],
] as const

/**
 * Returns Markdown, under 8 KB.
 * @param api the address of the API
 * @param title the title of the operator's site
 * @param games the names of the served games
 */
export function llmsText(api: string, title: string, games: readonly string[]): string {
  const asked = requests.map(([operation, purpose, example]) => {
    const route = routes.find((one) => one.operation === operation)!
    const plan = planOf(route, 'A')
    const needs = plan === planNames[0] ? '' : ` Plan ${plans[plan].name} or above.`
    const sent =
      route.body === undefined
        ? `\`${route.method} ${route.path}${example}\``
        : `\`${route.method} ${route.path}\` with \`${example}\``
    return `- ${sent}: ${purpose}.${needs}`
  })
  const quotas = Object.values<Plan>(plans).map(
    ({ name, requestsPerDay }) => `- ${name}: ${requestsPerDay} requests a day (UTC)`,
  )
  const codes = (Object.keys(problemTable) as ProblemCode[]).filter((code) => !('code' in problemTable[code]))
  const errors = codes.map((code) => `- ${statusOf(code)} \`${code}\`: ${problemTable[code].message}`)
  return `# ${title}

> A read-only HTTP JSON API of prices of trading cards${gamesText(games)}. Version ${packageVersion}.

- Address of the API: ${api}
- Send the key in the header \`X-API-Key\`. The operator gives keys out. Never put a key into a page, a chat or an address.
- Full description: [OpenAPI 3.1](/openapi.json). Guide with recipes: [/docs](/docs). Reference: [/docs/reference](/docs/reference).
- An unknown price is \`null\`, never 0. \`updatedAt\` is the date of a price. The currency is that of \`/healthz\`.
- Ids (\`pokemon-base1-004\`) come from search, match and lists. Don't make them up.

## Requests

${asked.join('\n')}

## Limits

${quotas.join('\n')}
- All keys of an account share its quota. \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` are in each response.
- A page of cards has at most ${searchLimitMax} items, one of sets ${setsLimitMax}, a batch ${batchIdsMax} ids, \`q\` 200 characters.

## Errors

The body is \`{"error":{"code":…,"message":…}}\`. Retry 503 after \`Retry-After\`, 500 after a second, 429 at the reset, nothing else.

${errors.join('\n')}
`
}

const gamesNamedMax = 20

function gamesText(games: readonly string[]): string {
  if (games.length === 0) return ''
  const more = games.length - gamesNamedMax
  return `: ${games.slice(0, gamesNamedMax).join(', ')}${more > 0 ? ` and ${more} more, which \`/v1/games\` lists` : ''}`
}
