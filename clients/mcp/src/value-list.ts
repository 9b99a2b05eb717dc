/** The tool value_list: the client's sums, within the day's quota, as few fields as an assistant needs. */
import type { CardPrices, ExtendedCard } from '../../typescript/src/index.ts'
import { type ListedCard, linesOf, type ReadOptions, readAll, valueLines } from '../../typescript/src/value.ts'

/** Lines of a request. */
const batchMax = 20

interface Given extends ReadOptions {
  readonly text: string
  readonly lines: readonly ListedCard[]
}

/** The quota has too few requests left for the list. */
export class TooFewRequestsError extends Error {}

/** Throws TooFewRequestsError before its first request, or after one if the quota was unknown. */
export async function valueList(prices: CardPrices, { text, lines, ...options }: Given, signal: AbortSignal) {
  const read = readAll(text, options)
  const all = [...read.lines, ...linesOf(lines, options, read.lines.length + 1)]
  const cost = Math.ceil(all.filter(({ questions }) => questions.length > 0).length / batchMax)
  if (prices.rateLimit === undefined && cost > 1) await prices.games({ signal })
  checkRequestsLeft(prices, cost)
  const valued = await valueLines({ ...read, lines: all }, (questions) => prices.match(questions, { signal }))
  return {
    ...valued,
    columns: [...valued.columns],
    lines: valued.lines.map(({ card, candidates, ...line }) => ({
      ...line,
      card: card === null ? null : namedBy(card),
      candidates: candidates.map((card) => ({ ...namedBy(card), unitPrice: card.prices.market })),
    })),
  }
}

function checkRequestsLeft({ rateLimit }: CardPrices, cost: number): void {
  if (rateLimit === undefined || rateLimit.remaining >= cost || rateLimit.reset * 1000 <= Date.now()) return
  const { remaining, limit, reset } = rateLimit
  throw new TooFewRequestsError(
    `This list needs ${cost} requests, and ${remaining} of the day’s ${limit} are left. New ones come at ` +
      `${new Date(reset * 1000).toISOString()}. None was spent on it; ${remaining * batchMax} lines would fit.`,
  )
}

const namedBy = ({ id, name, game, set, number, printing }: ExtendedCard) => ({ id, name, game, set, number, printing })
