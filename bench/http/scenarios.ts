/** The scenarios, in one table: the requests, the status that responses must have, and the limit that fits. */

import { gameSlugs } from '../../build/games/default-games.ts'
import { searchLimitDefault } from '../../src/api/parameters.ts'
import { directions, periods } from '../../src/indexes/changes-file.ts'
import { batchIdsMax, matchLinesMax } from '../../src/limits.ts'
import { listSorts } from '../../src/search/scope/orders.ts'
import { drawBelow, drawFrom, type Random, randomFrom, shuffled, zipf } from '../../test/support/random.ts'
import type { ListedBy, Subject } from '../harness/subject.ts'
import { distinctQueries } from './queries.ts'

/** A request's text as it is sent. Its Host header has no port, because no server reads it. */
type RawRequest = string

export interface Fit {
  readonly kind: 'hot' | 'cold'
  readonly why: string
}

/** The limits and reasons, each for several scenarios. */
const sameForAll: Fit = { kind: 'hot', why: 'all callers get the same bytes, which the nearest caches hold' }
const noBody: Fit = { kind: 'hot', why: 'no body is sent' }
const refused: Fit = { kind: 'hot', why: 'a refusal is the same for all' }
const computed: Fit = {
  kind: 'hot',
  why: 'the answer is written anew from few bytes, and so lies in caches when it is sent',
}
const sameOfGame: Fit = { kind: 'hot', why: 'all callers get the same megabyte of a game' }
const anyRecord: Fit = { kind: 'cold', why: "any card's bytes: no cache holds all cards" }
const anyItems: Fit = { kind: 'cold', why: 'gathered from as many random cards as it has items' }

export interface Scenario {
  readonly name: string
  /** The scenario's name in pictures. */
  readonly label: string
  readonly what: string
  readonly status: number
  /** The limit with which the scenario is compared, and why. @see servers/limit.ts */
  readonly limit: Fit
  /** True if the requests have bodies. */
  readonly takesBodies?: boolean
  /** Returns the requests, which are sent in turn, over and over. */
  readonly requests: (subject: Subject, random: Random, count: number) => RawRequest[]
  /** Returns requests that are sent once to each new server, before anything is measured. */
  readonly before?: (subject: Subject) => RawRequest[]
  /** The most responses to sample, for scenarios with large ones. */
  readonly answersSampled?: number
}

const seed = 20_261_120
const zipfQueries = 10_000
/** The requests in a list. Their cards far exceed the CPU caches near a core, but the list stays in the generator's. */
export const requestsListed = 50_000
/** In catalogs of up to this many cards, `eachCard` requests every card. */
const cardsListedMax = 250_000
/** Lists of new queries are longer by this factor: longer than what a run sends, so that no query repeats. */
const newQueriesFactor = 8

const get = (path: string, key: string, moreLines = '') => rawRequest('GET', path, key, '', moreLines)

function rawRequest(method: string, path: string, key: string, body: string, moreLines = ''): RawRequest {
  const keyLine = key === '' ? '' : `X-API-Key: ${key}\r\n`
  const bodyLines =
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${keyLine}${moreLines}${bodyLines}\r\n${body}`
}

const times = (count: number, request: () => RawRequest) => Array.from({ length: count }, request)

const search = (query: string, key: string) => get(`/v1/search?q=${encodeURIComponent(query)}`, key)

/** Requests each card, in a random order, with random keys. */
const eachCard =
  (path: (id: string) => string, moreLines = ''): Scenario['requests'] =>
  ({ ids, keys }, random, count) =>
    // Cards repeat only after all others, so each is requested about equally often.
    cycled(shuffled(random, ids), Math.max(count, Math.min(ids.length, cardsListedMax))).map((id) =>
      get(path(id), drawFrom(random, keys), moreLines),
    )

const cycled = <One>(all: readonly One[], count: number): One[] =>
  Array.from({ length: count }, (_, i) => all[i % all.length]!)

const fixedPath =
  (path: string): Scenario['requests'] =>
  ({ keys }, random) =>
    times(10_000, () => get(path, drawFrom(random, keys)))

const health: Scenario['requests'] = () => times(1000, () => get('/healthz', ''))

const batches: Scenario['requests'] = ({ ids, keys }, random) =>
  times(20_000, () => {
    const body = JSON.stringify({ ids: Array.from({ length: batchIdsMax }, () => drawFrom(random, ids)) })
    return rawRequest('POST', '/v1/cards/batch', drawFrom(random, keys), body)
  })

const repeatedSearches: Scenario['requests'] = ({ names, keys }, random, count) => {
  const queries = distinctQueries(random, names, zipfQueries)
  const rank = zipf(random, queries.length)
  return times(count, () => search(queries[rank()]!, drawFrom(random, keys)))
}

const newSearches: Scenario['requests'] = ({ names, keys }, random, count) =>
  distinctQueries(random, names, newQueriesFactor * count).map((query) => search(query, drawFrom(random, keys)))

/** Requests lists or searches by the fields of random cards. */
const byCard =
  (path: (card: ListedBy, name: string) => string): Scenario['requests'] =>
  ({ listed, names, keys }, random, count) =>
    times(count, () => {
      const card = drawBelow(random, listed.length)
      return get(path(listed[card]!, names[card]!), drawFrom(random, keys))
    })

const game = ({ game }: ListedBy) => `game=${game}`
const number = (card: ListedBy) => `number=${encodeURIComponent(card.number ?? '1')}`
const firstWord = (name: string) => encodeURIComponent(name.split(' ', 1)[0]!)

/**
 * Requests pages of a game's cards at random offsets, so that few pages repeat.
 * @param depth all offsets lie within this first share of the list
 */
const lists =
  (depth: number, more: (random: Random, subject: Subject) => string = () => ''): Scenario['requests'] =>
  (subject, random, count) => {
    const cardsOf = Map.groupBy(subject.listed, (card) => card.game)
    return times(count, () => {
      const slug = drawFrom(random, subject.listed).game
      const offset = drawBelow(random, Math.ceil(depth * cardsOf.get(slug)!.length))
      return get(`/v1/cards?game=${slug}&offset=${offset}${more(random, subject)}`, drawFrom(random, subject.keys))
    })
  }

const listDays = 30
const dayMs = 86_400_000
const changedSince = (random: Random, { version }: Subject) => {
  const day = Date.parse(version.manifest.asOf ?? '2026-01-01') - (1 + drawBelow(random, listDays)) * dayMs
  return `&changed_since=${new Date(day).toISOString().slice(0, 10)}`
}
const leastPrice = (random: Random) => `&min_price=${(200 * random() ** 3).toFixed(2)}`

const anyBulk: Scenario['requests'] = ({ listed, keys }, random) => {
  const slugs = [...new Set(listed.map((card) => card.game))]
  return times(1000, () =>
    get(`/v1/bulk/${drawFrom(random, slugs)}`, drawFrom(random, keys), 'Accept-Encoding: gzip\r\n'),
  )
}

const anyMovers =
  (more: (random: Random) => string): Scenario['requests'] =>
  ({ keys }, random, count) =>
    times(count, () => {
      const { name } = drawFrom(random, periods)
      const of = drawFrom(random, ['', ...gameSlugs.map((slug) => `&game=${slug}`)])
      const way = `${drawFrom(random, directions)}&by=${drawFrom(random, ['percent', 'amount'])}`
      return get(`/v1/movers?period=${name}&direction=${way}${of}${more(random)}`, drawFrom(random, keys))
    })

/** Searches for a name with its number and a random total, such as `Charizard 4/512`. No name contains the number. */
const fieldSearches: Scenario['requests'] = ({ listed, names, keys }, random, count) =>
  times(count, () => {
    const card = drawBelow(random, listed.length)
    return search(`${names[card]!} ${listed[card]!.number ?? '1'}/${drawBelow(random, 1000)}`, drawFrom(random, keys))
  })

/** Matches lines with a name, its number and its game, as in a stock list. */
const matches: Scenario['requests'] = ({ listed, names, keys }, random) =>
  times(20_000, () => {
    const cards = Array.from({ length: matchLinesMax }, () => {
      const card = drawBelow(random, listed.length)
      return { name: names[card]!, number: listed[card]!.number, game: listed[card]!.game }
    })
    return rawRequest('POST', '/v1/match', drawFrom(random, keys), JSON.stringify({ cards }))
  })

/** Requests suggestions for a name after each letter, as if a person typed the name until the card appears. */
const typedNames: Scenario['requests'] = ({ names, keys }, random, count) => {
  const requests: RawRequest[] = []
  const rank = zipf(random, names.length)
  while (requests.length < count) {
    const letters = [...names[rank()]!].slice(0, 3 + drawBelow(random, 10))
    for (let length = 1; length <= letters.length; length++) {
      const query = letters.slice(0, length).join('').trim()
      if (query !== '') requests.push(get(`/v1/suggest?q=${encodeURIComponent(query)}`, drawFrom(random, keys)))
    }
  }
  return requests.slice(0, count)
}

const noCard = eachCard((id) => `/v1/cards/${id}-none`)
const noKey: Scenario['requests'] = ({ ids }, random) =>
  times(10_000, () => get(`/v1/cards/${drawFrom(random, ids)}`, ''))
const wrongKey: Scenario['requests'] = ({ ids, keys }, random) =>
  times(10_000, () => get(`/v1/cards/${drawFrom(random, ids)}`, mistyped(drawFrom(random, keys))))
const usedUp: Scenario['requests'] = ({ ids, freeKey }, random) =>
  times(10_000, () => get(`/v1/cards/${drawFrom(random, ids)}`, freeKey))

const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

export const scenarios: readonly Scenario[] = [
  {
    name: 'details',
    label: 'card details',
    what: 'card details, any card, any of the keys',
    status: 200,
    limit: anyRecord,
    requests: eachCard((id) => `/v1/cards/${id}`),
  },
  {
    name: 'games',
    label: 'games',
    what: 'the games',
    status: 200,
    limit: sameForAll,
    requests: fixedPath('/v1/games'),
  },
  {
    name: 'sets',
    label: 'sets',
    what: 'the first page of the sets',
    status: 200,
    limit: sameForAll,
    requests: fixedPath('/v1/sets'),
  },
  {
    name: 'batch',
    label: 'a batch of 20',
    what: `a batch of ${batchIdsMax} cards`,
    status: 200,
    limit: anyItems,
    takesBodies: true,
    requests: batches,
  },
  {
    name: 'match',
    label: 'a match of 20',
    what: `a match of ${matchLinesMax} lines of a stock list`,
    status: 200,
    limit: anyItems,
    takesBodies: true,
    requests: matches,
  },
  {
    name: 'health',
    label: 'health',
    what: 'is it alive? without a key',
    status: 200,
    limit: sameForAll,
    requests: health,
  },
  {
    name: 'unchanged',
    label: '304: nothing is new',
    what: '304, card details that the caller has',
    status: 304,
    limit: noBody,
    requests: eachCard((id) => `/v1/cards/${id}`, 'If-None-Match: *\r\n'),
  },
  {
    name: 'search-zipf',
    label: 'searches, Zipf',
    what: `search, ${zipfQueries.toLocaleString('en')} queries, Zipf 1, pages of ${searchLimitDefault}`,
    status: 200,
    limit: anyItems,
    requests: repeatedSearches,
  },
  {
    name: 'search-new',
    label: 'new searches',
    what: 'search, every query a new one',
    status: 200,
    limit: anyItems,
    requests: newSearches,
  },
  {
    name: 'search-fields',
    label: 'new searches, with a number',
    what: 'search, any name with its number, every query a new one',
    status: 200,
    limit: anyItems,
    requests: fieldSearches,
  },
  {
    name: 'search-number',
    label: 'search with a number',
    what: 'search, the first word of any name with its number and game',
    status: 200,
    limit: anyItems,
    requests: byCard((card, name) => `/v1/search?q=${firstWord(name)}&${game(card)}&${number(card)}`),
  },
  {
    name: 'cards-number',
    label: 'cards of a number',
    what: 'the cards of a game with a number',
    status: 200,
    limit: anyItems,
    requests: byCard((card) => `/v1/cards?${game(card)}&${number(card)}`),
  },
  {
    name: 'cards-set',
    label: 'cards of a set',
    what: 'the cards of any set, pages of 20',
    status: 200,
    limit: anyItems,
    requests: byCard((card) => `/v1/cards?${game(card)}&set=${encodeURIComponent(card.setCode)}`),
  },
  {
    name: 'list-game',
    label: 'cards of a game',
    what: 'the cards of a game, new pages of its first tenth',
    status: 200,
    limit: anyItems,
    requests: lists(0.1),
  },
  {
    name: 'list-far',
    label: 'cards of a game, far',
    what: 'the same, anywhere in the list',
    status: 200,
    limit: anyItems,
    requests: lists(1),
  },
  {
    name: 'list-sorted',
    label: 'cards of a game, sorted',
    what: 'the same, in any order',
    status: 200,
    limit: anyItems,
    requests: lists(1, (random) => `&sort=${drawFrom(random, listSorts)}`),
  },
  {
    name: 'list-filtered',
    label: 'cards above a price',
    what: 'the cards of a game above any price, in any order, new pages of its first tenth',
    status: 200,
    limit: anyItems,
    requests: lists(0.1, (random) => `${leastPrice(random)}&sort=${drawFrom(random, listSorts)}`),
  },
  {
    name: 'list-changed',
    label: 'cards that changed',
    what: `the cards of a game that changed in up to ${listDays} days, new pages of its first tenth`,
    status: 200,
    limit: anyItems,
    requests: lists(0.1, changedSince),
  },
  {
    name: 'list-csv',
    label: 'cards as CSV',
    what: 'the cards of a game as CSV, new pages anywhere in the list',
    status: 200,
    limit: anyItems,
    requests: lists(1, () => '&format=csv'),
  },
  {
    name: 'bulk',
    label: 'bulk of a game',
    what: 'all cards of any game, compressed by the build',
    status: 200,
    limit: sameOfGame,
    answersSampled: 20,
    requests: anyBulk,
  },
  {
    name: 'suggest',
    label: 'suggestions',
    what: 'suggestions, names as they are typed, Zipf 1',
    status: 200,
    limit: anyItems,
    requests: typedNames,
  },
  {
    name: 'full',
    label: 'cards in full',
    what: 'search for the first word of any name, pages of 20 in full',
    status: 200,
    limit: anyItems,
    requests: byCard((_, name) => `/v1/search?q=${firstWord(name)}&view=full`),
  },
  {
    name: 'history-30d',
    label: 'history, 30 days',
    what: 'history of 30 days, any card',
    status: 200,
    limit: computed,
    requests: eachCard((id) => `/v1/cards/${id}/history`),
  },
  {
    name: 'history-1y',
    label: 'history, a year',
    what: 'history of a year, any card',
    status: 200,
    limit: computed,
    requests: eachCard((id) => `/v1/cards/${id}/history?period=1y`),
  },
  {
    name: 'changes',
    label: 'changes of a card',
    what: 'how the price has changed, any card',
    status: 200,
    limit: anyRecord,
    requests: eachCard((id) => `/v1/cards/${id}/changes`),
  },
  {
    name: 'movers',
    label: 'movers',
    what: 'movers, of all games or one, any period, direction and order, pages of 20',
    status: 200,
    limit: anyItems,
    requests: anyMovers(() => ''),
  },
  {
    name: 'movers-cut',
    label: 'movers above a price',
    what: 'the same from any price between 1 and 200, every one a new one',
    status: 200,
    limit: anyItems,
    requests: anyMovers((random) => `&min_price=${(1 + 199 * random() ** 3).toFixed(2)}`),
  },
  {
    name: 'no-card',
    label: '404: no such card',
    what: '404, unknown card',
    status: 404,
    limit: refused,
    requests: noCard,
  },
  {
    name: 'no-route',
    label: '404: no such route',
    what: '404, unknown route',
    status: 404,
    limit: refused,
    requests: fixedPath('/v1/decks'),
  },
  { name: 'no-key', label: '401: no key', what: '401, without a key', status: 401, limit: refused, requests: noKey },
  {
    name: 'wrong-key',
    label: '401: mistyped key',
    what: '401, mistyped key',
    status: 401,
    limit: refused,
    requests: wrongKey,
  },
  {
    name: 'used-up',
    label: '429: quota used up',
    what: '429, quota used up',
    status: 429,
    limit: refused,
    requests: usedUp,
    before: ({ ids, freeKey }) => Array.from({ length: 200 }, () => get(`/v1/cards/${ids[0]}`, freeKey)),
  },
]

export function scenarioOf(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`there is no scenario ${name}`)
  return found
}

/** Returns the scenario's requests. Except for keys, they are the same in each run over the same snapshot. */
export const requestsOf = (scenario: Scenario, subject: Subject, count: number): RawRequest[] =>
  scenario.requests(subject, randomFrom(seed), count)
