/**
 * A caller's program, run by each runtime beside the installed package: prints as JSON what the client returns and throws.
 * ADDRESS and KEY are a server's, FAILURES is the address of a server whose paths begin with the name of a failure.
 */
import { CardPrices } from 'card-prices-client'

const { ADDRESS: baseUrl, KEY: apiKey, FAILURES } = globalThis.process.env
const prices = new CardPrices({ baseUrl, apiKey })
const id = 'pokemon-base1-004'

async function count(items) {
  let number = 0
  for await (const _ of items) number++
  return number
}

const thrown = (call) => call().then(
  () => 'nothing',
  ({ name, code, status, message, stack }) => [name, code, status, `${message}${stack}`.includes(apiKey)],
)

const faulty = (fault) => new CardPrices({ baseUrl: `${FAILURES}/${fault}`, apiKey, timeoutMs: 2000, maxWaitMs: 500 })

const cards = await prices.cards([id, 'nobody', 'mtg-unh-023'])
console.log(
  JSON.stringify({
    card: await prices.card(id),
    cards: [...cards].map(([id, card]) => [id, card?.name]),
    page: await prices.search({ q: 'pokémon é', limit: 2 }),
    listed: await count(prices.list.all({ game: 'swu', limit: 5 })),
    bulk: await count(prices.bulk('swu')),
    changed: [await prices.changed('/v1/games'), await prices.changed('/v1/games')],
    limit: prices.rateLimit.limit,
    retried: (await faulty('busy').games()).length,
    unknown: await thrown(() => prices.card('nobody')),
    quota: await thrown(() => faulty('quota').games()),
    redirect: await thrown(() => faulty('redirect').games()),
    stalled: await thrown(() => faulty('stall').games()),
    closed: await thrown(() => faulty('close').games()),
    half: await thrown(() => count(faulty('half').bulk('swu'))),
    halfPacked: await thrown(() => count(faulty('half-packed').bulk('swu'))),
    aborted: (await thrown(() => prices.games({ signal: AbortSignal.abort() })))[0],
  }),
)
