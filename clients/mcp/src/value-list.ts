/**
 * The tool value_list: values a list with the client, within the day's quota. Returns only fields that assistants need.
 */
import { type ListedCard, linesOf, type ReadList, type ReadOptions } from '../../../src/lists/read-list.ts'
import type { Totals } from '../../../src/lists/totals.ts'
import { type CardPrices, type ExtendedCard, PlanError } from '../../typescript/src/index.ts'
import { ListFormError, readWithData, type ValuedList, valueRead, worthOf } from '../../typescript/src/value.ts'
import { evenly } from './history-points.ts'

/** The most lines in a request. */
const batchMax = 20
/** The most characters of a column's values in a note. */
const shownMax = 80

interface Given extends ReadOptions {
  readonly text: string
  readonly lines: readonly ListedCard[]
  /** The period of the worth over time. Undefined: no worth over time. */
  readonly period: Period | undefined
}

type Period = '7d' | '30d' | '90d' | '1y' | 'all'

/** The quota has too few requests left for the list. */
export class TooFewRequestsError extends Error {}

/** The text is no list, or the options name a column that the list lacks, or an unknown field or condition. */
export class WrongColumnsError extends Error {}

/**
 * Values the list. In the result, `notes` and `columns` come before `total`, because an assistant must know them first.
 * @throws WrongColumnsError
 * @throws TooFewRequestsError before any line is valued. Only look-ups of sets, games and quota may have cost requests
 */
export async function valueList(prices: CardPrices, { text, lines, period, ...options }: Given, signal: AbortSignal) {
  const read = await readOf(prices, text, options, signal)
  const all = [...read.lines, ...linesOf(lines, options, read.lines.length + 1)]
  const batches = Math.ceil(all.filter(({ questions }) => questions.length > 0).length / batchMax)
  // This may be more than the list will cost, because lines of the same card share its history.
  const cost = period === undefined ? batches : 2 * batches
  if (prices.rateLimit === undefined && cost > 1) await prices.games({ signal })
  checkRequestsLeft(prices, cost)
  const valued = await valueRead(prices, { ...read, lines: all }, { signal })
  const { priced, unpriced, ambiguous, unmatched, excluded, atMarket, headings, total, currency } = valued
  const { overTime, notes } = await overTimeOf(prices, valued, period, signal)
  return {
    notes: [...columnNotes(read), ...countNotes(valued), ...notes],
    columns: [...valued.columns],
    priced,
    unpriced,
    ambiguous,
    unmatched,
    excluded,
    atMarket,
    headings,
    total,
    currency,
    overTime,
    lines: valued.lines.map(({ card, candidates, ...line }) => ({
      ...line,
      card: card === null ? null : namedBy(card),
      candidates: candidates.map((card) => ({
        ...namedBy(card),
        rarity: card.rarity,
        unitPrice: card.prices.market,
      })),
    })),
  }
}

/**
 * Returns the worth over time. It is null without a period, without a total, and on a plan without histories. In the
 * last case, a note says so.
 */
async function overTimeOf(prices: CardPrices, valued: ValuedList, period: Period | undefined, signal: AbortSignal) {
  if (period === undefined || valued.total === null) return { overTime: null, notes: [] }
  try {
    const { days, counted, leftOut, backfilled } = await worthOf(prices, valued, { period, signal })
    return { overTime: { period, points: evenly(days), counted, leftOut, backfilled }, notes: [] }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { overTime: null, notes: [`There is no overTime: ${error.message}`] }
  }
}

async function readOf(prices: CardPrices, text: string, options: ReadOptions, signal: AbortSignal): Promise<ReadList> {
  try {
    return await readWithData(prices, text, options, { signal })
  } catch (error) {
    if (error instanceof ListFormError || error instanceof TypeError) throw new WrongColumnsError(error.message)
    throw error
  }
}

/** Returns a note about the guessed columns, and how to call the tool again. Empty if no column is a guess. */
function columnNotes({ columns }: ReadList): string[] {
  const unsure = columns.filter(({ sure }) => !sure)
  if (unsure.length === 0) return []
  const guessed = unsure.map(
    ({ column, field, values }) =>
      `“${column}” (such as ${values.join(', ').slice(0, shownMax)}) was read as ${field ?? 'no amount'}`,
  )
  const settled = JSON.stringify(Object.fromEntries(unsure.map(({ column, field }) => [column, field])))
  return [
    `There is no total, because the meaning of some columns is a guess: ${guessed.join('; ')}. Ask the user what they are, then ` +
      `call value_list again with the same text and columns: ${settled}, changed as the user says; null is for a column that ` +
      'changes no amount.',
  ]
}

function countNotes({ unpriced, ambiguous, unmatched, excluded, atMarket }: Totals): string[] {
  const said = (count: number, one: string, several: string) =>
    count === 0 ? [] : [count === 1 ? `1 line ${one}` : `${count} lines ${several}`]
  return [
    ...said(
      atMarket,
      'names a condition without a price of its own: it counts at the market price.',
      'name a condition without a price of its own: they count at the market price.',
    ),
    ...said(
      unpriced,
      'has a card without a price, or a grade without one: it counts nothing.',
      'have a card without a price, or a grade without one: they count nothing.',
    ),
    ...said(ambiguous, 'may mean several cards: it counts nothing.', 'may mean several cards: they count nothing.'),
    ...said(
      unmatched,
      'was not found or can’t be read: it counts nothing.',
      'were not found or can’t be read: they count nothing.',
    ),
    ...said(
      excluded,
      'is a proxy, a want, or the other face of a card: it counts nothing.',
      'are proxies, wants, or other faces of cards: they count nothing.',
    ),
  ]
}

function checkRequestsLeft({ rateLimit }: CardPrices, cost: number): void {
  if (rateLimit === undefined || rateLimit.remaining >= cost || rateLimit.reset * 1000 <= Date.now()) return
  const { remaining, limit, reset } = rateLimit
  throw new TooFewRequestsError(
    `This list needs ${cost} requests, and ${remaining} of the day’s ${limit} are left. New ones come at ` +
      `${new Date(reset * 1000).toISOString()}. Nothing was valued; ${remaining * batchMax} lines would fit.`,
  )
}

const namedBy = ({ id, name, game, set, number, printing }: ExtendedCard) => ({ id, name, game, set, number, printing })
