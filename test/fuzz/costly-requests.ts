/**
 * The endpoints that read what strangers write, and their requests as records of texts: a match and a list have many records, a search
 * has one. They are answered in this process, as a server thread and the pages' thread answer them.
 */
import assert from 'node:assert/strict'
import { type Answerer, Answers, type Request as Asked, emptyRequest } from '../../src/api/answers.ts'
import type { Dataset } from '../../src/api/dataset.ts'
import { ParameterError } from '../../src/api/parameter-kinds.ts'
import { Problems } from '../../src/api/problems.ts'
import { Histories } from '../../src/history/histories.ts'
import {
  batchBodyBytesMax,
  historyDaysMax,
  idCharsMax,
  matchLinesMax,
  queryCharsMax,
  strangerListLinesMax,
} from '../../src/limits.ts'
import { tcglookupAnswers } from '../../src/tcglookup/answers.ts'
import { idsMax } from '../../src/tcglookup/shapes.ts'
import { cardOf, findCards, namesakesOf, namesLike, setMeant, setsLike } from '../../src/web/cards/card-data.ts'
import { everything } from '../reference/search-judge.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import { send } from '../support/service.ts'
import { datedIds } from './costly-catalog.ts'
import type { CostlyCard, CostlyTexts, Pieces } from './costly-texts.ts'

/** Texts in pieces, by field. */
export type CostlyRecord = Readonly<Record<string, Pieces>>
export type CostlyBody = readonly CostlyRecord[]

export interface Endpoint {
  readonly name: string
  /** The first is in each record, the others in some. */
  readonly fields: readonly string[]
  readonly recordsMax: number
  /** Of the steps of a search. */
  readonly share: number
  /** Asked before all others, as they are. */
  readonly careless: readonly string[]
  /** What an answer may cost the thread at a stretch, in units of `unitMs`. */
  readonly unitsMax: number
  /** The request as it is sent. */
  text(body: CostlyBody): string
  /** Sends it, of the pages to that address. Resolves to the longest stretch in ms, if the answer is given in several. */
  ask(data: Dataset, pages: string, text: string): undefined | Promise<number>
}

const answers = new Answers()
const problems = new Problems('A')
/** As the handlers do. Histories are rendered as they are sent. */
function answer(data: Dataset, answerer: Answerer, request: Partial<Asked>): undefined {
  try {
    const answered = answerer(data, { ...emptyRequest, ...request }, problems)
    if (answered instanceof Histories) answered.subarray(0, answered.length)
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error
  }
}

/** CPU time that an answer of the API may cost, in units of `unitMs`: 20 ms on a quiet machine. */
const answerUnitsMax = 9
/** For how long a list may hold the pages' thread at a stretch: 5 ms, and what the client in this process adds. */
const stretchUnitsMax = 3.6

/** Of a request's first line: the HTTP library's bound, less what surrounds a query. */
const queryBytesMax = 3900

let tries = 0

/** What this process has used, of all its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function get(name: string, share: number, answerer: Answerer, fields: readonly string[], rest: string): Endpoint {
  return {
    name,
    share,
    fields,
    careless: [],
    recordsMax: 1,
    unitsMax: answerUnitsMax,
    text: ([record]) => {
      const sent = fields.flatMap((field) => {
        const text = textOf(record!, field, field === 'q' ? queryCharsMax : 1000)
        return text === undefined ? [] : [`${field}=${encodeURIComponent(text.toWellFormed())}`]
      })
      return [...sent, rest].join('&').slice(0, queryBytesMax)
    },
    // Another query each time keeps the page cache out of it.
    ask: (data, _, text) => answer(data, answerer, { query: `${text}&try=${++tries}` }),
  }
}

/** A request whose address names a card. */
function ofCard(name: string, answerer: Answerer, fields: readonly string[]): Endpoint {
  const query = get(name, 1, answerer, fields, '')
  return {
    ...query,
    fields: ['id', ...fields],
    text: (body) => `${textOf(body[0]!, 'id', idCharsMax)}?${query.text(body)}`,
    ask(data, _, text) {
      const end = text.lastIndexOf('?')
      return answer(data, answerer, { pathParameter: text.slice(0, end), query: text.slice(end + 1) })
    },
  }
}

/** @param itemsOf what the records are in the body's list */
function post(
  name: string,
  share: number,
  operation: 'matchCards' | 'batchCards' | 'batchCardHistories' | 'batchCardPrices',
  itemsOf: (body: CostlyBody) => unknown[],
  more: object = {},
): Endpoint {
  const list = operation === 'matchCards' ? 'cards' : 'ids'
  return {
    name,
    share,
    fields: ['id'],
    careless: carelessBodies(list, operation === 'matchCards' ? '{"name":"a"}' : '""'),
    recordsMax: matchLinesMax,
    unitsMax: answerUnitsMax,
    text(body) {
      const items = itemsOf(body)
      const written = () => JSON.stringify({ [list]: items, ...more })
      let text = written()
      while (Buffer.byteLength(text) > batchBodyBytesMax && items.pop()) text = written()
      return text
    },
    ask: (data, _, text) => answer(data, answers.of[operation], { body: Buffer.from(text) }),
  }
}

/** What the pages look up for a text. @param ask as a page does */
function page(name: string, share: number, field: string, ask: (data: Dataset, text: string) => unknown): Endpoint {
  return {
    name,
    share,
    fields: [field],
    careless: [],
    recordsMax: 1,
    unitsMax: answerUnitsMax,
    text: ([record]) => textOf(record!, field, queryCharsMax)!,
    ask(data, _, text) {
      ask(data, text)
      return undefined
    },
  }
}

const unbounded = 'x'.repeat(5000)

/** Bodies that a careless reader takes long for. @param item of the list of that name */
const carelessBodies = (list: string, item: string): readonly string[] =>
  [
    `{"${list}":${'['.repeat(8000)}${']'.repeat(8000)}}`,
    `{"${list}":[${`${item},`.repeat(1200)}${item}]}`,
    `{"${list}":[${item}${' '.repeat(16_000)}]}`,
    `{"${list}":["${'\\u0061'.repeat(2600)}"]}`,
    `{${`"${list}":1,`.repeat(1300)}"${list}":[]}`,
    `{"${list}":[${item}],"view":"${unbounded}"}`,
    '['.repeat(16_000),
  ].map((body) => body.slice(0, batchBodyBytesMax))

const idsOf = (body: CostlyBody) => body.map((record) => textOf(record, 'id', queryCharsMax))
const filters = ['set', 'rarity', 'printing', 'number', 'game', 'sort', 'view', 'offset', 'min_price', 'changed_since']

export const endpoints: readonly Endpoint[] = [
  {
    ...post('match', 8, 'matchCards', (body) =>
      body.map((record) =>
        Object.fromEntries(Object.keys(record).map((field) => [field, textOf(record, field, queryCharsMax)])),
      ),
    ),
    fields: ['name', 'set', 'number', 'printing', 'rarity', 'game'],
  },
  get('search', 4, answers.of.searchCards, ['q', ...filters], 'limit=100'),
  get('suggestions', 2, answers.of.suggestNames, ['q', 'game'], 'limit=20'),
  get(
    'lists',
    2,
    answers.of.listCards,
    ['sort', ...filters.filter((name) => name !== 'sort')],
    'game=pokemon&limit=100',
  ),
  post('batch', 1, 'batchCards', idsOf),
  post('batch of histories', 1, 'batchCardHistories', idsOf, { period: 'all' }),
  post('batch of prices', 1, 'batchCardPrices', idsOf, { days: historyDaysMax }),
  get('sets', 1, answers.of.listSets, ['q', 'game'], 'limit=200'),
  get('changed_since', 2, answers.of.listCards, ['changed_since', ...filters.slice(0, -1)], 'game=mtg&limit=100'),
  get('tcglookup search', 2, tcglookupAnswers.searchCards, ['q', 'set', 'game', 'ids', 'offset'], 'limit=100'),
  get('tcglookup list', 1, tcglookupAnswers.searchCards, ['set', 'game', 'offset'], 'limit=100'),
  {
    ...get('tcglookup ids', 1, tcglookupAnswers.searchCards, [], ''),
    fields: ['id'],
    recordsMax: idsMax,
    text: (body) => `ids=${body.map((record) => encodeURIComponent(idOf(record))).join(',')}`.slice(0, queryBytesMax),
  },
  ofCard('tcglookup card', tcglookupAnswers.getCard, []),
  ofCard('tcglookup history', tcglookupAnswers.getHistory, ['period']),
  get('tcglookup sets', 1, tcglookupAnswers.listSets, ['game', 'offset'], 'limit=200'),
  get('tcglookup games', 1, tcglookupAnswers.listGames, ['offset'], 'limit=200'),
  page('look up', 2, 'q', (data, name) => findCards(data, { name, filter: everything, sort: 'relevance' }, 0)),
  page('names as one types', 1, 'q', (data, typed) => namesLike(data, typed, -1)),
  page('sets as one types', 1, 'q', (data, typed) => setsLike(data, typed, -1)),
  page('set', 1, 'set', (data, text) => setMeant(data, text, -1)),
  page('card', 1, 'id', (data, id) => {
    const card = cardOf(data, id)
    return card && namesakesOf(data, card)
  }),
  {
    name: '/value',
    share: 1,
    fields: ['line'],
    careless: [],
    recordsMax: strangerListLinesMax,
    unitsMax: stretchUnitsMax,
    text: (body) => body.map((record) => textOf(record, 'line', 4000)).join('\n'),
    ask: (_, pages, text) => longestStretch(pages, text),
  },
]

const idOf = (record: CostlyRecord): string => textOf(record, 'id', idCharsMax)!.toWellFormed()

const textOf = (record: CostlyRecord, field: string, charsMax: number): string | undefined =>
  record[field]?.join('').slice(0, charsMax)

/** The longest stretch for which the thread did nothing else: the loop turns once between two stretches. */
async function longestStretch(pages: string, list: string): Promise<number> {
  const body = new FormData()
  body.set('list', list)
  let longest = 0
  let since = 0
  let isDone = false
  const turned = () => {
    longest = Math.max(longest, cpuMs() - since)
    since = cpuMs()
    if (!isDone) setImmediate(turned)
  }
  const form = new Response(body)
  const sent = Buffer.from(await form.arrayBuffer())
  const headers = { 'content-type': form.headers.get('content-type')!, 'sec-fetch-site': 'same-origin' }
  since = cpuMs()
  setImmediate(turned)
  const { status } = await send(pages, '/value', { method: 'POST', headers, body: sent })
  isDone = true
  assert.ok([200, 400].includes(status), `a list is answered with ${status}`)
  turned()
  return longest
}

const quantities = ['', '', '1 ', '4x ', '20 ', '4 x ']
const choices: Readonly<Record<string, readonly string[]>> = {
  sort: ['price', '-price', 'name', 'newest', '-change', 'relevance'],
  view: ['summary', 'full', 'extended'],
  offset: ['0', '99', '5000', '100000'],
  min_price: ['0', '0.01', '5'],
  period: ['7d', '30d', '90d', '1y', 'all'],
  changed_since: ['2020-01-01', '2026-11-01', '2026-11-19'],
}

export class CostlyBodies {
  readonly #random: Random
  readonly #texts: CostlyTexts
  readonly #endpoint: Endpoint

  constructor(random: Random, texts: CostlyTexts, endpoint: Endpoint) {
    this.#random = random
    this.#texts = texts
    this.#endpoint = endpoint
  }

  drawn(): CostlyBody {
    const random = this.#random
    const records = Array.from({ length: 1 + drawBelow(random, this.#endpoint.recordsMax) }, () => this.#record())
    return drawBelow(random, 3) > 0 ? records : records.map(() => records[0]!)
  }

  /** Some records changed, added, left out, or put in place of others, each a little different. */
  changed(body: CostlyBody): CostlyBody {
    const random = this.#random
    const { recordsMax } = this.#endpoint
    const at = drawBelow(random, body.length)
    const changed = () => this.#changedRecord(body[at]!)
    return drawFrom(random, [
      () => body.with(at, changed()),
      () => body.with(at, changed()),
      () => body.map((record) => this.#changedRecord(record)),
      () => Array.from({ length: recordsMax }, changed),
      () => Array.from({ length: recordsMax }, () => drawFrom(random, body)),
      () => [...body, changed()].slice(-recordsMax),
      () => (body.length > 1 ? body.toSpliced(at, 1) : body.with(at, this.#record())),
    ])()
  }

  #record(): CostlyRecord {
    const card = this.#texts.card()
    const [first, ...others] = this.#endpoint.fields
    const more = others.filter(() => drawBelow(this.#random, 5) === 0)
    return Object.fromEntries([first!, ...more].map((field) => [field, this.#field(field, card)]))
  }

  #changedRecord(record: CostlyRecord): CostlyRecord {
    const random = this.#random
    const field = drawFrom(random, [this.#endpoint.fields[0]!, drawFrom(random, this.#endpoint.fields)])
    const own = record[field]
    if (own === undefined) return { ...record, [field]: this.#field(field, this.#texts.card()) }
    const isFirst = field === this.#endpoint.fields[0]
    if (!isFirst && drawBelow(random, 4) === 0) {
      return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
    }
    return { ...record, [field]: choices[field] === undefined ? this.#texts.changed(own) : this.#field(field) }
  }

  #field(field: string, card?: CostlyCard): Pieces {
    const random = this.#random
    const chosen = choices[field]
    if (chosen !== undefined) return [drawFrom(random, chosen)]
    if (field === 'id' && drawBelow(random, 2) === 0) return [drawFrom(random, datedIds)]
    const right = card?.[field as keyof CostlyCard]
    if (field === 'game') return [right ?? 'pokemon']
    const isName = field === 'name' || field === 'q' || field === 'line'
    if (!isName && drawBelow(random, 3) > 0) return [right ?? 'Normal']
    const start = field === 'line' ? [drawFrom(random, quantities)] : []
    const own = isName && drawBelow(random, 2) === 0 && card !== undefined ? [`${card.name} `] : []
    return [...start, ...own, ...this.#texts.pieces(drawFrom(random, [4, 12, 40]))]
  }
}
