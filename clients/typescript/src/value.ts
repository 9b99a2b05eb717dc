/** `card-prices-client/value`: computes what a list of cards is worth. */
import type { Question } from '../../../src/lists/cards.ts'
import { KnownGames, type NamedGame, onlyFirstGames } from '../../../src/lists/known-games.ts'
import { type KnownData, KnownSets } from '../../../src/lists/known-sets.ts'
import { holdingsOf, type OverTime, overTime, runsOf } from '../../../src/lists/over-time.ts'
import {
  type ListedCard,
  linesOf,
  noList,
  type ReadList,
  type ReadOptions,
  readAll,
} from '../../../src/lists/read-list.ts'
import { type ValuedList as Valued, valueList as valueLines } from '../../../src/lists/value-list.ts'
import type { ValuedLine as Line } from '../../../src/lists/values.ts'
import { type CallOptions, CardPrices as Client, InvalidRequestError } from './index.ts'
import type { CardSet, ExtendedCard, HistoryParams, MatchLine } from './types.ts'

export { candidateTexts } from '../../../src/lists/candidate-texts.ts'
export type { Condition } from '../../../src/lists/cards.ts'
export type { Column } from '../../../src/lists/columns.ts'
export { type Field, fieldNames } from '../../../src/lists/fields.ts'
export type { WorthOfDay } from '../../../src/lists/over-time.ts'
export { type ListedCard, ListFormError, readList } from '../../../src/lists/read-list.ts'
export { valueList as valueLines } from '../../../src/lists/value-list.ts'

export type ValuedLine = Line<ExtendedCard>
export type ValuedList = Valued<ExtendedCard>

export interface ValueOptions extends ReadOptions, CallOptions {
  /** Called while the list is valued, with the number of lines done, and of all lines. */
  readonly onProgress?: ((done: number, lines: number) => void) | undefined
}

export type List = string | readonly string[] | readonly ListedCard[]

const isTexts = (list: List): list is readonly string[] => typeof list === 'object' && typeof list[0] === 'string'

/** Returns a function that calls `ask` once for each client, and again after an error. */
function onceAClient<Data>(ask: (prices: Client, calls: CallOptions) => Promise<Data>): typeof ask {
  const asked = new WeakMap<Client, Promise<Data>>()
  return async (prices, calls) => {
    const data = asked.get(prices) ?? ask(prices, calls)
    asked.set(prices, data)
    try {
      return await data
    } catch (error) {
      asked.delete(prices)
      throw error
    }
  }
}

const setsOf = onceAClient(askSets)
const gamesOf = onceAClient(askGames)

async function askSets(prices: Client, calls: CallOptions): Promise<KnownSets> {
  const sets: CardSet[] = []
  for await (const set of prices.sets.all({ ...calls, limit: 200, onRestart: () => sets.splice(0) })) sets.push(set)
  const known = new KnownSets()
  known.add(sets)
  return known
}

async function askGames(prices: Client, calls: CallOptions): Promise<KnownGames> {
  try {
    return new KnownGames((await prices.games({ ...calls, view: 'extended' })) as NamedGame[])
  } catch (error) {
    // A server of an earlier release lacks this view, and has only the eight built-in games.
    if (error instanceof InvalidRequestError) return onlyFirstGames
    throw error
  }
}

/** Reads a list. If a column needs the data's sets or games, requests them once for each client. */
export async function readWithData(
  prices: Client,
  text: string,
  options: ReadOptions,
  calls: CallOptions = {},
): Promise<ReadList> {
  let known: KnownData = {}
  for (;;) {
    const read = readAll(text, { ...options, known })
    if (read.needsSets) known = { ...known, sets: await setsOf(prices, calls) }
    else if (read.needsGames) known = { ...known, games: await gamesOf(prices, calls) }
    else return read
  }
}

/**
 * Values the lines of a list that has been read. Requests the games if lines say a language and a card is not of one of
 * the eight built-in games.
 */
export function valueRead(
  prices: Client,
  read: ReadList,
  calls: CallOptions,
  onDone: (done: number) => void = () => undefined,
): Promise<ValuedList> {
  const saysLanguage = read.lines.some(({ said }) => said.language !== undefined)
  let games = onlyFirstGames
  const isOther = ({ game }: ExtendedCard) => !games.has(game)
  const ask = async (questions: readonly Question[]) => {
    const found = await prices.match(questions as readonly MatchLine[], calls)
    if (!saysLanguage || !found.some(({ card, candidates }) => [card ?? [], candidates].flat().some(isOther)))
      return found
    try {
      games = await gamesOf(prices, calls)
    } catch (error) {
      throw Object.assign(error as Error, { found })
    }
    return found
  }
  return valueLines<ExtendedCard>(read, ask, onDone, { games: () => games })
}

/**
 * Values a list. It is a text (a collection's CSV export, a deck list, typed lines, ids), an array of such lines, or an
 * array of lines as fields. Twenty lines cost one request. If a line's first question finds nothing, its next questions
 * cost further requests. If a request fails, the error's `found` has the lines valued so far. Throws a ListFormError if
 * a text is no list.
 */
export async function valueList(
  prices: Client,
  list: List,
  { game, condition, columns, onProgress, ...options }: ValueOptions = {},
): Promise<ValuedList> {
  const reading = { game, condition, columns }
  const text = isTexts(list) ? list.join('\n') : list
  const read: ReadList =
    typeof text === 'string'
      ? await readWithData(prices, text, reading, options)
      : { ...noList, lines: linesOf(text as readonly ListedCard[], reading) }
  return valueRead(prices, read, options, (done) => onProgress?.(done, read.lines.length))
}

export interface Worth extends OverTime {
  /** The currency of the totals; null if it is unknown. */
  readonly currency: string | null
}

/**
 * Returns the worth of a valued list's priced lines on each day of a period, at market prices. Twenty different cards
 * cost one request. For a list without a total, there are no days and no requests.
 */
export async function worthOf(
  prices: Client,
  { currency, total, lines }: Pick<ValuedList, 'currency' | 'total' | 'lines'>,
  params: HistoryParams = {},
): Promise<Worth> {
  const holdings = holdingsOf(lines)
  const histories = total === null ? undefined : await prices.histories(holdings.byCard.keys(), params)
  return { currency, ...overTime(holdings, (id) => runsOf(histories?.get(id)?.history ?? [])) }
}

/** The client, with methods that value lists. */
export class CardPrices extends Client {
  /** See `valueList`. */
  value(list: List, options: ValueOptions = {}): Promise<ValuedList> {
    return valueList(this, list, options)
  }

  /** See `worthOf`. */
  worth(list: ValuedList, params: HistoryParams = {}): Promise<Worth> {
    return worthOf(this, list, params)
  }
}
