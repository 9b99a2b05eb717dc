/**
 * Requests that try to take a thread's time, by a seed: of each operation that reads texts of a caller, and of the pages'
 * look-ups. They are answered in this process, as a server thread answers them.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Answers, type Request } from '../../src/api/answers.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { ParameterError } from '../../src/api/parameter-kinds.ts'
import { Problems } from '../../src/api/problems.ts'
import type { Operation } from '../../src/api/routes.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { batchBodyBytesMax, batchIdsMax } from '../../src/limits.ts'
import {
  cardOf,
  findCards,
  namesakesOf,
  namesLike,
  type Question,
  setMeant,
  setsLike,
} from '../../src/web/card-data.ts'
import { hostileTextsOf } from '../reference/hostile-texts.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { indexOf } from '../support/servers-here.ts'
import { type CostlyCard, writeCostly } from './costly-catalog.ts'

/** CPU time of an answer. */
const msMax = 25
const timesCounted = 10

/** A request, and how it is written in a message. */
interface CostlyRequest {
  readonly text: string
  answer(data: Dataset): void
}

/** Of a request's first line: the HTTP library's bound, less what surrounds a query. */
const queryBytesMax = 3900
const texts = ['set', 'rarity', 'printing', 'number'] as const
const lineFields = ['number', 'set', 'game', 'printing', 'rarity'] as const
const unbounded = 'x'.repeat(5000)
const repeated = ['\ufdfa', 'a', 'リ', '(', '(a)', ' ', '0', '4/', '\u0301', 'a ', "'", '#', '½', '[]']

const answers = new Answers()
const problems = new Problems('A')
const noRequest: Request = {
  pathParameter: '',
  secondPathParameter: '',
  query: '',
  body: new Uint8Array(0),
  acceptsGzip: true,
  statusIfFound: 200,
}

/** As the handlers do. */
function answer(data: Dataset, operation: Operation, request: Partial<Request>): void {
  try {
    answers.of[operation](data, { ...noRequest, ...request }, problems)
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error
  }
}

/** Draws requests about these cards. */
function costlyRequests(random: Random, cards: readonly CostlyCard[]): () => CostlyRequest {
  const hostile = hostileTextsOf(random, cards)
  const card = () => drawFrom(random, cards)
  const long = () => drawFrom(random, repeated).repeat(1 + drawBelow(random, 6000))
  /** Right, hostile within 200 characters, or longer than any bound. */
  const textFor = (right: (card: CostlyCard) => string) =>
    drawFrom(random, [() => right(card()), () => right(card()), hostile, hostile, long])()
  const fieldOf = (name: string) => textFor((one) => one[name === 'set' ? 'setCode' : (name as 'number')] ?? 'Normal')
  const nameText = () =>
    drawFrom(random, [
      () => card().name,
      hostile,
      hostile,
      () => drawFrom(random, repeated).repeat(200).slice(0, 200),
      () => `${card().name} ${card().number} ${card().setCode} ${hostile()}`.slice(0, 200),
      () =>
        Array.from({ length: 60 }, () => card().name.slice(0, 1 + drawBelow(random, 3)))
          .join(' ')
          .slice(0, 200),
    ])()

  function query(first: readonly (readonly [string, string])[], ...more: readonly string[]): string {
    const parts = [
      ...first,
      ...texts.filter(() => drawBelow(random, 6) === 0).map((name) => [name, fieldOf(name)] as const),
    ]
    const rest = more.filter(() => drawBelow(random, 4) === 0)
    return [...parts.map(([name, text]) => `${name}=${encoded(text)}`), ...rest].join('&').slice(0, queryBytesMax)
  }

  function bodyOf(items: readonly unknown[], name: string, more: object = {}): Uint8Array {
    const body = Buffer.from(JSON.stringify({ [name]: items, ...more }))
    return body.length <= batchBodyBytesMax ? body : bodyOf(items.slice(0, -1), name, more)
  }

  function matchBody(): Uint8Array {
    if (drawBelow(random, 8) === 0) return rawBody('cards', '{"name":"a"}')
    const same = drawBelow(random, 2) === 0 ? { name: nameText() } : undefined
    const count = 1 + drawBelow(random, batchIdsMax)
    const lines = Array.from({ length: count }, () => ({
      name: same?.name ?? nameText(),
      ...Object.fromEntries(lineFields.filter(() => drawBelow(random, 3) === 0).map((name) => [name, fieldOf(name)])),
    }))
    // A single line may take the whole body.
    const body = bodyOf(lines, 'cards')
    return body.length > 20 ? body : bodyOf([{ name: card().name, printing: long().slice(0, 5000) }], 'cards')
  }

  /** Bodies that a careless reader takes long for. */
  const rawBody = (name: string, item: string): Uint8Array =>
    Buffer.from(
      drawFrom(random, [
        `{"${name}":${'['.repeat(8000)}${']'.repeat(8000)}}`,
        `{"${name}":[${`${item},`.repeat(1200)}${item}]}`,
        `{"${name}":[${item}${' '.repeat(16_000)}]}`,
        `{"${name}":["${'\\u0061'.repeat(2600)}"]}`,
        `{${`"${name}":1,`.repeat(1300)}"${name}":[]}`,
        `{"${name}":[${item}],"view":"${unbounded}"}`,
        '['.repeat(16_000),
      ]).slice(0, batchBodyBytesMax),
    )

  const batchBody = () =>
    drawBelow(random, 3) === 0
      ? rawBody('ids', '""')
      : bodyOf(
          Array.from({ length: drawBelow(random, 25) }, () => textFor(({ id }) => id)),
          'ids',
          drawBelow(random, 2) === 0 ? { view: drawFrom(random, ['summary', 'full', 'extended']) } : {},
        )

  const paged = ['limit=100', 'view=full', 'view=extended', 'offset=99', 'offset=5000', 'min_price=0.01']
  const sorted = ['sort=price', 'sort=-price', 'sort=name', 'sort=newest', 'sort=-change']
  const ofGame = ['game=pokemon', 'game=pokemonjp']
  const get = (operation: Operation, sent: string): CostlyRequest => ({
    text: `${operation} ${sent}`,
    // Another query each time keeps the page cache out of it.
    answer: (data) => answer(data, operation, { query: `${sent}&try=${++tries}` }),
  })
  const post = (operation: Operation, body: Uint8Array): CostlyRequest => ({
    text: `${operation} ${Buffer.from(body).toString()}`,
    answer: (data) => answer(data, operation, { body }),
  })
  const path = (operation: Operation, pathParameter: string, secondPathParameter = ''): CostlyRequest => ({
    text: `${operation} ${pathParameter} ${secondPathParameter}`,
    answer: (data) => answer(data, operation, { pathParameter, secondPathParameter }),
  })
  /** The pages bound what is typed by its characters, and so does this. */
  const page = (name: string, ask: (data: Dataset, typed: string) => unknown, typed: string): CostlyRequest => ({
    text: `${name} ${typed}`,
    answer: (data) => ask(data, typed),
  })
  let tries = 0

  const kinds: readonly (() => CostlyRequest)[] = [
    () => get('searchCards', query([['q', nameText()]], ...paged, ...sorted, ...ofGame)),
    () => get('searchCards', query([['q', nameText()]], ...paged, ...sorted, ...ofGame)),
    () => get('listCards', query([['set', fieldOf('set')]], ...paged, ...sorted, ...ofGame)),
    () => get('listCards', query([['game', 'pokemon']], ...paged, ...sorted)),
    () => get('suggestNames', query([['q', nameText()]], 'limit=20', ...ofGame)),
    () => get('listSets', query([['q', nameText()]], 'limit=200', ...ofGame)),
    () => get('listMovers', query([], ...paged, ...ofGame)),
    () => get('listGames', encoded(long()).replaceAll('a', '&').slice(0, queryBytesMax)),
    () => path('getCard', encoded(textFor(({ id }) => id)).slice(0, queryBytesMax)),
    () => path('getSet', 'pokemon', encoded(fieldOf('set')).slice(0, queryBytesMax)),
    () => post('batchCards', batchBody()),
    () => post('matchCards', matchBody()),
    () => post('matchCards', matchBody()),
    () => page('look up', (data, typed) => findCards(data, lookUpOf(typed), typed.length % 50), nameText()),
    () => page('suggest', (data, typed) => namesLike(data, typed, -1), nameText()),
    () => page('suggest sets', (data, typed) => setsLike(data, typed, -1), nameText()),
    () => page('set', (data, typed) => setMeant(data, typed, -1), fieldOf('set')),
    () => page('card', cardAndNamesakes, textFor(({ id }) => id).slice(0, 8000)),
  ]
  return () => drawFrom(random, kinds)()
}

const lookUpOf = (name: string): Question => ({
  name,
  filter: { game: -1, set: undefined, rarity: undefined },
  sort: 'relevance',
})

function cardAndNamesakes(data: Dataset, id: string): unknown {
  const card = cardOf(data, id)
  return card && namesakesOf(data, card)
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/**
 * Throws AssertionError with a request that takes longer. Returns the slowest of each kind, in ms.
 * @param cards of the catalog
 */
export async function fuzzCosts(
  { requests, seed }: { requests: number; seed: number },
  cards: number,
): Promise<Readonly<Record<string, number>>> {
  const random = randomFrom(seed)
  const catalog = writeCostly(random, cards)
  const indexDir = await indexOf(catalog.folder)
  const data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
  const draw = costlyRequests(random, catalog.cards)
  const slowestMs: Record<string, number> = {}
  for (let number = 0; number < requests; number++) {
    const request = draw()
    const ms = costOf(request, data)
    assert.ok(ms <= msMax, `seed ${seed}, request ${number} took ${ms.toFixed(1)} ms: ${request.text}`)
    const kind = request.text.slice(0, request.text.indexOf(' '))
    slowestMs[kind] = Math.max(slowestMs[kind] ?? 0, ms)
  }
  return slowestMs
}

/**
 * A request's cost to the thread, in ms: by the clock or, if that is much, in CPU time, which other work of the machine does not
 * change. The kernel may count that in ticks of 4 ms, so it is taken of several answers.
 */
function costOf(request: CostlyRequest, data: Dataset): number {
  const start = performance.now()
  request.answer(data)
  const ms = performance.now() - start
  if (ms <= msMax / 4) return ms
  const before = process.threadCpuUsage()
  for (let i = 0; i < timesCounted; i++) request.answer(data)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000 / timesCounted
}
