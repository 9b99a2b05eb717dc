/** Addresses by a grammar: the endpoint, and what is right or wrong about the id and the parameters. */
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

export interface Target {
  /** Bytes as latin1 characters. */
  readonly text: string
  /** The methods that it has, without OPTIONS; undefined: there is no such endpoint. */
  readonly methods: readonly string[] | undefined
  /** Traders' and above alone. */
  readonly isHistory: boolean
  /** The response of a GET with a good key. */
  readonly status: 200 | 400 | 404
}

const get = ['GET', 'HEAD']

/** Values that are right or wrong for a parameter, as they are sent. */
interface Values {
  readonly right: readonly string[]
  readonly wrong: readonly string[]
}

const notUtf8 = ['%', '%z', '%zz', 'a%f', '%ff', '%c3%28', '%e3%83', '\xff\xfe', '%ed%a0%80']
const limits: Values = {
  right: ['1', '2', '5', '007', '20', '100', '101', '200', '5000', '9'.repeat(40), '%31'],
  wrong: ['0', '-1', '+1', '1.5', '', '1e3', 'ten', '%d9%a3', '%00', '0x10', ...notUtf8],
}
const offsets: Values = {
  right: ['0', '1', '5', '1000', '0000', '123456789', '%30'],
  wrong: ['-1', '1.5', '', 'x', '%20', '1%00', ...notUtf8],
}
const games: Values = {
  right: ['pokemon', 'pokemonjp', 'mtg', 'yugioh', 'lorcana', 'onepiece', 'swu', 'fab', '%6dtg'],
  wrong: ['', 'Pokemon', 'chess', 'mtg%20', '__proto__', 'constructor', ...notUtf8],
}
const anyText: Values = {
  right: ['', 'base1', 'Base+Set', 'BASE1', 'rare%20holo', '%e2%98%85', '__proto__', "'--", '%00', 'x'.repeat(300)],
  wrong: notUtf8,
}
const names: Values = {
  right: [
    ...[
      'charizard',
      'a',
      'e',
      'pikachu+ex',
      '%e3%83%aa%e3%82%b6',
      'blue-eyes%20white',
      'monkey.d',
      '%F0%9F%98%80',
      'N',
    ],
    ...[
      'chrizrd',
      '_____',
      "urza's",
      '%00',
      '.*',
      '%ef%bc%a1',
      'the+the+the+the',
      `${'a+'.repeat(100)}`,
      'x'.repeat(200),
    ],
  ],
  wrong: ['', '+', '%20%09', 'x'.repeat(201), '%e3%83%aa'.repeat(201), ...notUtf8],
}
const periods: Values = {
  right: ['7d', '30d', '90d', '1y', 'all', '%37d'],
  wrong: ['', '7D', '31d', 'ALL', '7d%20', 'constructor', ...notUtf8],
}
const days: Values = {
  right: ['1', '7', '30', '90', '007', '%39'],
  wrong: ['0', '91', '-1', '1.0', '', 'x', '9'.repeat(30), ...notUtf8],
}

type Parameters = Readonly<Record<string, Values>>

const numbers: Values = {
  right: ['4', '004', '4/102', '4%2F102', 'SV001', '/', '%20', '%e3%83%aa', 'x'.repeat(32), '%f0%9f%98%80'.repeat(32)],
  wrong: ['', 'x'.repeat(33), '%e3%83%aa'.repeat(33), ...notUtf8],
}
const lowPrices: Values = {
  right: ['0', '0.5', '0.05', '00.10', '1%2e5'],
  wrong: ['', '-1', '+1', '.5', '5.', '0.001', '1e2', '1,5', 'NaN', '%00', ...notUtf8],
}
const highPrices: Values = { ...lowPrices, right: ['2', '350.13', '10000000', '9'.repeat(40), '00002.00'] }
const products: Values = {
  right: ['1', '42382', '0042382', '9007199254740992', '9'.repeat(40)],
  wrong: ['0', '-1', '1.5', '', 'x', '+1', '1e3', ...notUtf8],
}
const uuids: Values = {
  right: ['0000579f-7b35-4ed3-b44c-db2a538066fe', '0000579F-7B35-4ED3-B44C-DB2A538066FE'],
  wrong: ['', '0', '0000579f7b354ed3b44cdb2a538066fe', '0000579f-7b35-4ed3-b44c-db2a538066f', ...notUtf8],
}
const listSorts: Values = {
  right: ['price', '-price', 'name', 'newest', '%2dprice'],
  wrong: ['', 'Price', '+price', '-name', 'price%20', 'constructor', ...notUtf8],
}
const views: Values = {
  right: ['summary', 'full', 'f%75ll', 'extended'],
  wrong: ['', 'FULL', 'all', '__proto__', ...notUtf8],
}

const narrowings: Parameters = {
  ...{ rarity: anyText, printing: anyText, number: numbers, min_price: lowPrices, max_price: highPrices },
  ...{ view: views, limit: limits, offset: offsets },
}
const searchParameters: Parameters = {
  ...{ game: games, set: anyText, sort: { ...listSorts, right: [...listSorts.right, 'relevance'] } },
  ...narrowings,
}
const cardsParameters: Parameters = {
  game: games,
  set: anyText,
  tcgplayer_id: products,
  scryfall_id: uuids,
  sort: listSorts,
  ...narrowings,
}
const setsParameters: Parameters = { q: names, game: games, limit: limits, offset: offsets }
/** Parameters of no endpoint. */
const unknown = ['x=1', 'x=%zz', '=', '', 'Limit=0', 'x=\xff', 'limit[]=0', '%', 'a=b=c', 'x'.repeat(200), '%71%71=1']

/** Parameters of other endpoints than `/v1/games`, or of other services. */
const misplaced = ['q=a', 'game=pokemon', 'days=7', 'page=2', 'order=%zz', 'v%69ew=full', 'tcgplayer_id=']

/** A name of a parameter, now and then with one of its letters encoded. */
function nameAs(random: Random, name: string): string {
  if (drawBelow(random, 12) > 0) return name
  const at = drawBelow(random, name.length)
  return `${name.slice(0, at)}%${name.charCodeAt(at).toString(16)}${name.slice(at + 1)}`
}

/** A query of some of these parameters; `wrong` if any of them is. */
function queryOf(random: Random, parameters: Parameters, required?: string): { text: string; wrong: boolean } {
  const parts: string[] = []
  let wrong = false
  for (const [name, values] of Object.entries(parameters)) {
    if (drawBelow(random, 4) > 0 && name !== required) continue
    const isWrong = drawBelow(random, 6) === 0
    wrong ||= isWrong
    parts.push(`${nameAs(random, name)}=${drawFrom(random, isWrong ? values.wrong : values.right)}`)
    // Given twice, the first counts.
    while (drawBelow(random, 8) === 0) parts.push(`${name}=${drawFrom(random, [...values.right, ...values.wrong])}`)
  }
  while (drawBelow(random, 5) === 0) parts.splice(drawBelow(random, parts.length + 1), 0, drawFrom(random, unknown))
  return { text: parts.join('&'), wrong }
}

/** As sent: with escapes that change nothing. */
function escaped(random: Random, id: string): string {
  if (drawBelow(random, 3) > 0) return id
  return Array.from(id, (c) => (drawBelow(random, 5) === 0 ? `%${c.charCodeAt(0).toString(16)}` : c)).join('')
}

const unknownIds = ['nobody', 'pokemon-', 'pokemon-base1-004%00', '__proto__', 'x'.repeat(128), 'y'.repeat(700), '%20']
const oddIds = ['..', '.', '*', '+', '%2f', '%2e%2e', 'a;b', "'", '%e3%83%aa', '\xe9', '%25', '~', 'POKEMON-BASE1-004']
const wrongIds = ['%', '%z', '%ff', '%c3%28', 'pokemon-%']

function idOf(random: Random, ids: readonly string[]): { text: string; status: Target['status'] } {
  const kind = drawBelow(random, 8)
  if (kind === 0) return { text: drawFrom(random, unknownIds), status: 404 }
  if (kind === 1) return { text: drawFrom(random, oddIds), status: 404 }
  if (kind === 2) return { text: drawFrom(random, wrongIds), status: 400 }
  return { text: escaped(random, drawFrom(random, ids)), status: 200 }
}

const nowhere = [
  ...['/', '/v1', '/v2/games', '/v1/Games', '/V1/games', '/v1//games', '//v1/games', '/v1/cards/', '/v1/./games'],
  ...['/v1/../v1/games', '/v1/%67ames', '/v1/games/x', '/v1/cards/x/y', '/v1/cards/x/history/y', '/v1/cards/a/b/c/d'],
  ...['/healthz/x', '/health', '/favicon.ico', '/.env', '/v1/search;a=b', `/${'x'.repeat(500)}`, '/\xff', '/%', '/v1x'],
]

const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)

type Drawn = (random: Random, ids: readonly string[]) => Target

const endpoints: readonly Drawn[] = [
  (random) => {
    const query = queryOf(random, { q: names, ...searchParameters }, 'q')
    return { text: `/v1/search?${query.text}`, methods: get, isHistory: false, status: query.wrong ? 400 : 200 }
  },
  (random) => {
    const by = drawFrom(random, ['game', 'set', 'tcgplayer_id', 'scryfall_id'])
    const query = queryOf(random, cardsParameters, by)
    return { text: `/v1/cards?${query.text}`, methods: get, isHistory: false, status: query.wrong ? 400 : 200 }
  },
  (random) => {
    const query = queryOf(random, { q: names, game: games, limit: limits }, 'q')
    return { text: `/v1/suggest?${query.text}`, methods: get, isHistory: false, status: query.wrong ? 400 : 200 }
  },
  (random) => {
    const query = queryOf(random, setsParameters)
    const text = withQuery('/v1/sets', query.text)
    return { text, methods: get, isHistory: false, status: query.wrong ? 400 : 200 }
  },
  (random) => {
    // These are ignored there, those of others are not.
    const { text: ignored } = queryOf(random, { limit: limits, offset: offsets })
    const other = drawBelow(random, 4) === 0 ? drawFrom(random, misplaced) : undefined
    const text = withQuery('/v1/games', [ignored, ...(other === undefined ? [] : [other])].filter(Boolean).join('&'))
    return { text, methods: get, isHistory: false, status: other === undefined ? 200 : 400 }
  },
  (random, ids) => {
    const id = idOf(random, ids)
    const text = withQuery(`/v1/cards/${id.text}`, drawBelow(random, 4) === 0 ? drawFrom(random, unknown) : '')
    return { text, methods: get, isHistory: false, status: id.status }
  },
  (random, ids) => history(random, ids, 'history', { period: periods }),
  (random, ids) => history(random, ids, 'prices', { days }),
  () => ({ text: '/v1/cards/batch', methods: ['POST'], isHistory: false, status: 200 }),
  (random) => {
    const text = withQuery(drawFrom(random, nowhere), drawBelow(random, 3) === 0 ? drawFrom(random, unknown) : '')
    return { text, methods: undefined, isHistory: false, status: 404 }
  },
]

function history(random: Random, ids: readonly string[], path: string, parameters: Parameters): Target {
  const id = idOf(random, ids)
  const query = queryOf(random, parameters)
  // Both are looked at before the card is.
  const status = query.wrong || id.status === 400 ? 400 : id.status
  return { text: withQuery(`/v1/cards/${id.text}/${path}`, query.text), methods: get, isHistory: true, status }
}

export const drawTarget: Drawn = (random, ids) => drawFrom(random, endpoints)(random, ids)
