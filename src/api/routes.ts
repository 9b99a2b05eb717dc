/** The endpoints: one table of method, path, plan and answer. An answer is bytes to send, or a problem. */
import * as v from 'valibot'
import { IdList } from '../catalog/id-list.ts'
import {
  batchIdsMax,
  historyDaysDefault,
  historyDaysMax,
  searchLimitDefault,
  searchLimitMax,
  setsLimitDefault,
  setsLimitMax,
} from '../limits.ts'
import type { ApiForm } from '../settings.ts'
import type { Dataset } from './dataset.ts'
import { Pages } from './kept-pages.ts'
import {
  decoded,
  gameParameter,
  limitParameter,
  nameParameter,
  offsetParameter,
  ParameterError,
  rawParameter,
  textParameter,
} from './parameters.ts'
import type { Problem, Problems } from './problems.ts'

export type Answer = Uint8Array | Problem

export interface Request {
  /** What stands for `{id}` in the path, as it was sent; empty for other paths. */
  readonly id: string
  /** The query as it was sent. */
  readonly query: string
  /** The body of a POST, empty otherwise. */
  readonly body: Uint8Array
}

export interface Route {
  readonly method: 'GET' | 'POST'
  /** `:id` is a card's id. */
  readonly path: string
  /** The form of the interface in which it answers, errors too; undefined: the server's. */
  readonly form?: ApiForm
  /** The forms of the interface in which the endpoint needs the Trader plan or above. */
  readonly traderIn: readonly ApiForm[]
  /** Throws ParameterError. */
  readonly answer: (data: Dataset, request: Request, problems: Problems) => Answer
}

export const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/search', traderIn: [], answer: kept(new Pages(), search) },
  { method: 'GET', path: '/v1/cards/:id', traderIn: [], answer: details },
  { method: 'GET', path: '/v1/cards/:id/history', form: 'A', traderIn: ['A', 'B'], answer: historyByPeriod },
  { method: 'GET', path: '/v1/cards/:id/prices', form: 'B', traderIn: ['A', 'B'], answer: historyByDays },
  { method: 'GET', path: '/v1/sets', traderIn: [], answer: kept(new Pages(), sets) },
  { method: 'GET', path: '/v1/games', traderIn: [], answer: ({ catalog }) => catalog.games() },
  { method: 'POST', path: '/v1/cards/batch', traderIn: ['B'], answer: batch },
]

/** The same answers, those asked for last from memory. */
function kept(pages: Pages, answer: (data: Dataset, query: string) => Uint8Array) {
  return (data: Dataset, { query }: Request): Answer => {
    pages.use(data.version)
    const known = pages.get(query)
    if (known !== undefined) return known
    const page = answer(data, query)
    // A query that holds a key is that caller's alone, and a key is kept nowhere but with the accounts.
    if (rawParameter(query, 'api_key') === undefined) pages.add(query, page)
    return page
  }
}

function search({ search, catalog }: Dataset, query: string): Uint8Array {
  const name = nameParameter(query)
  const filter = {
    game: gameParameter(query),
    set: textParameter(query, 'set'),
    rarity: textParameter(query, 'rarity'),
  }
  const limit = limitParameter(query, searchLimitDefault, searchLimitMax)
  const offset = offsetParameter(query)
  return catalog.searchPage(search.find(name, filter, limit, offset), limit, offset)
}

function details({ catalog }: Dataset, { id }: Request, problems: Problems): Answer {
  return catalog.detailsOf(cardId(id)) ?? problems.of('CARD_NOT_FOUND')
}

const periodDays: ReadonlyMap<string, number> = new Map([
  ['7d', 7],
  ['30d', 30],
  ['90d', 90],
  ['1y', 365],
  ['all', Number.POSITIVE_INFINITY],
])

function historyByPeriod(data: Dataset, request: Request, problems: Problems): Answer {
  const period = textParameter(request.query, 'period') ?? '30d'
  const days = periodDays.get(period)
  if (days === undefined) throw new ParameterError('period', `one of ${[...periodDays.keys()].join(', ')}`, period)
  return history(data, cardId(request.id), `"period":"${period}"`, days, problems)
}

function historyByDays(data: Dataset, request: Request, problems: Problems): Answer {
  const text = textParameter(request.query, 'days') ?? String(historyDaysDefault)
  const days = /^\d+$/.test(text) ? Number(text) : 0
  if (days < 1 || days > historyDaysMax) {
    throw new ParameterError('days', `a whole number from 1 to ${historyDaysMax}`, text)
  }
  return history(data, cardId(request.id), `"days":${days}`, days, problems)
}

function history({ catalog, history }: Dataset, id: string, label: string, days: number, problems: Problems): Answer {
  const card = catalog.find(id)
  return card === -1 ? problems.of('CARD_NOT_FOUND') : history.body(card, id, label, days)
}

function sets({ catalog }: Dataset, query: string): Uint8Array {
  const game = gameParameter(query)
  return catalog.setsPage(game, limitParameter(query, setsLimitDefault, setsLimitMax), offsetParameter(query))
}

const batchBody = v.object({ ids: v.array(v.string()) })

const batchIds = new IdList(batchIdsMax)

function batch({ catalog }: Dataset, { body }: Request, problems: Problems): Answer {
  if (!batchIds.takePlain(body)) {
    const parsed = v.safeParse(batchBody, parsedJson(body))
    if (!parsed.success) return problems.of('INVALID_BODY')
    batchIds.takeAll(parsed.output.ids)
  }
  return batchIds.count > batchIdsMax ? problems.of('BATCH_TOO_LARGE') : catalog.batch(batchIds)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined if the bytes are not JSON in UTF-8. */
function parsedJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    return undefined
  }
}

/** Ids need no escapes, so most are used as they came. Throws ParameterError. */
function cardId(raw: string): string {
  if (!raw.includes('%')) return raw
  const id = decoded(raw.replaceAll('+', '%2B'))
  if (id === undefined) throw new ParameterError('id', 'percent-encoded UTF-8', raw)
  return id
}
