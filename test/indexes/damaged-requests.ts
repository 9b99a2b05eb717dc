/** Requests of all endpoints that read a version, made of the version's own cards. */

import { games } from '../../build/games/default-games.ts'
import { type Answers, emptyRequest, isBody, type Request } from '../../src/api/answers.ts'
import type { Dataset } from '../../src/api/dataset.ts'
import { Problems } from '../../src/api/problems.ts'
import { type Operation, routes } from '../../src/api/routes.ts'
import { views } from '../../src/catalog/card-fields.ts'
import { batchIdsMax, matchLinesMax, queryCharsMax } from '../../src/limits.ts'
import { sorts } from '../../src/search/scope/orders.ts'

export interface Asked {
  readonly operation: Operation
  readonly request: Request
}

const problems = new Problems('A')
/** The answer's bytes as latin1 characters. Throws what the operation throws, which a caller gets as a 500. */
export function answerOf(answers: Answers, data: Dataset, { operation, request }: Asked): string {
  const answer = answers.of[operation](data, request, problems)
  const body = isBody(answer) ? answer : answer.body
  return Buffer.from(body instanceof Uint8Array ? body : body.body).toString('latin1')
}

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own body
type Json = any

/** @param cardsMax how many cards are asked for, evenly over the order of cards */
export function requestsOf(data: Dataset, cardCount: number, cardsMax: number): Asked[] {
  const asked: Asked[] = []
  const add = (operation: Operation, request: Partial<Request> = {}) =>
    asked.push({ operation, request: { ...emptyRequest, ...request } })
  const list = (operation: Operation, query: Readonly<Record<string, string>>) =>
    add(operation, { query: new URLSearchParams(query).toString() })
  const post = (operation: Operation, body: unknown) => add(operation, { body: Buffer.from(JSON.stringify(body)) })
  const step = Math.max(1, Math.floor(cardCount / cardsMax))
  const cards: Json[] = []
  for (let card = 0; card < cardCount; card += step) {
    const { id } = JSON.parse(Buffer.from(data.catalog.details(card)).toString()).data
    cards.push(JSON.parse(Buffer.from(data.catalog.detailsOf(id, 'extended')!).toString()).data)
  }
  for (const { id } of cards) {
    for (const query of ['', 'view=extended', 'format=csv']) add('getCard', { pathParameter: id, query })
    for (const query of ['period=all', 'period=30d&format=csv']) add('getCardHistory', { pathParameter: id, query })
    add('getCardPrices', { pathParameter: id, query: 'days=90' })
    add('getCardChanges', { pathParameter: id })
  }
  for (const { name, number, game, setCode, set } of cards) {
    if (name.trim() === '' || name.length > queryCharsMax / 2) continue
    list('searchCards', { q: name, limit: '100' })
    for (const view of views) list('searchCards', { q: name.slice(0, 3), game, view })
    list('searchCards', { q: withTypo(name), sort: 'price' })
    list('searchCards', { q: `${name} ${setCode} ${number}` })
    list('searchCards', { q: `${withTypo(name)} ${set}` })
    list('suggestNames', { q: name.slice(0, 2) })
  }
  for (const { game, set, setCode, number, rarity, printing, ...ids } of cards) {
    list('listCards', { game, set: setCode, ...(number === null ? {} : { number }) })
    if (number !== null) list('searchCards', { q: `${setCode}-${number}` })
    if (rarity !== null) list('listCards', { game, rarity, format: 'csv' })
    if (printing != null) list('listCards', { game, printing, min_price: '1' })
    if (ids.tcgplayerId != null) list('listCards', { tcgplayer_id: `${ids.tcgplayerId}` })
    add('getSet', { pathParameter: game, secondPathParameter: encodeURIComponent(setCode) })
    list('listSets', { q: set })
  }
  for (const { id: game } of games) {
    for (const sort of sorts)
      if (sort !== 'relevance') list('listCards', { game, sort, limit: '100', view: 'extended' })
    for (const direction of ['up', 'down']) list('listMovers', { game, direction, limit: '100' })
    list('listSets', { game, limit: '200' })
    add('downloadCards', { pathParameter: game })
  }
  list('listMovers', { period: '30d', by: 'amount', limit: '100', format: 'csv' })
  for (let i = 0; i < cards.length; i += batchIdsMax) {
    const ids = cards.slice(i, i + batchIdsMax).map(({ id }) => id)
    for (const view of views) post('batchCards', { ids, view })
    for (const period of ['30d', 'all']) post('batchCardHistories', { ids, period })
    post('batchCardPrices', { ids, days: 90 })
  }
  for (let i = 0; i < cards.length; i += matchLinesMax) {
    const some = cards.slice(i, i + matchLinesMax)
    post('matchCards', { cards: some.map(({ id }) => ({ id })) })
    post('matchCards', {
      cards: some.map(({ name, number, set }) => (number === null ? { name, set } : { name, number, set })),
    })
    post('matchCards', { cards: some.map(({ name }) => ({ name: withTypo(name) })) })
    post('matchCards', { cards: some.map(({ name, number, game }) => ({ name: `${name} (${number})`, game })) })
  }
  add('listGames')
  add('getHealth')
  const operations = new Set(asked.map(({ operation }) => operation))
  const missing = routes.filter(({ operation, needsNoData }) => needsNoData !== true && !operations.has(operation))
  if (missing.length > 0) throw new Error(`no request asks ${missing.map(({ operation }) => operation)}`)
  return asked
}

/** The text with its third and fourth character swapped. */
const withTypo = (text: string): string => text.slice(0, 2) + (text[3] ?? '') + (text[2] ?? '') + text.slice(4)
