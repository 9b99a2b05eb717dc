/** Values a list of cards: matches each line by the API, and sums up the market prices. */
import type { CardPrices, ExtendedCard } from '../../typescript/src/index.ts'
import type { StockLine, StockList } from './stock-list.ts'

/** Ids or lines of a request. */
const batchMax = 20

interface Found {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  readonly card: ExtendedCard | null
  readonly candidates: readonly ExtendedCard[]
}

export interface Candidate {
  readonly id: string
  readonly name: string
  readonly game: string
  readonly set: string
  readonly number: string | null
  readonly printing: string | null
  readonly unitPrice: number | null
}

export interface ValuedLine {
  readonly line: number
  readonly text: string
  readonly quantity: number
  readonly match: Found['match'] | 'unreadable'
  readonly card: Omit<Candidate, 'unitPrice'> | null
  readonly unitPrice: number | null
  readonly total: number | null
  readonly candidates: Candidate[]
}

export interface ValuedList {
  readonly total: number
  readonly currency: string | null
  readonly counts: Readonly<Record<ValuedLine['match'] | 'withoutPrice' | 'cards', number>>
  readonly lines: ValuedLine[]
  readonly ignoredColumns: string[]
}

/** The quota has too few requests left for the list. */
export class TooFewRequestsError extends Error {}

const idOf = ({ wanted }: StockLine): string | undefined =>
  wanted !== undefined && 'id' in wanted ? wanted.id : undefined

/** Requests that a list costs: one for each 20 ids, and one for each 20 other lines. */
export const costOf = (lines: readonly StockLine[]): number => {
  const ids = new Set(lines.map(idOf).filter((id) => id !== undefined))
  const others = lines.filter((line) => line.wanted !== undefined && idOf(line) === undefined)
  return Math.ceil(ids.size / batchMax) + Math.ceil(others.length / batchMax)
}

/** Throws TooFewRequestsError before its first request, or after it if the quota was unknown. */
export async function valueList(
  prices: CardPrices,
  { lines, ignored }: StockList,
  signal: AbortSignal,
): Promise<ValuedList> {
  let cost = costOf(lines)
  /** Sends the first batch alone: its response has the quota. */
  const askInTwo = async <Item, Answer>(items: readonly Item[], ask: (items: readonly Item[]) => Promise<Answer[]>) => {
    const answers: Answer[] = []
    for (const part of [items.slice(0, batchMax), items.slice(batchMax)]) {
      if (part.length === 0) continue
      checkRequestsLeft(prices, cost)
      answers.push(...(await ask(part)))
      cost -= Math.ceil(part.length / batchMax)
    }
    return answers
  }
  const ids = [...new Set(lines.flatMap((line) => idOf(line) ?? []))]
  const byId = new Map(
    await askInTwo(ids, async (some) => [...(await prices.cards(some, { view: 'extended', signal }))]),
  )
  const wishes = lines.flatMap(({ wanted }) => (wanted === undefined || 'id' in wanted ? [] : [wanted]))
  const matches = await askInTwo(wishes, (some) => prices.match(some, { signal }))
  let next = 0
  const valued = lines.map((line) => {
    const id = idOf(line)
    if (line.wanted === undefined) return valuedLine(line, undefined)
    return valuedLine(line, id === undefined ? matches[next++]! : foundById(byId.get(id)))
  })
  return {
    ...sumOf(valued),
    currency: currencyOf([...matches, ...[...byId.values()].map(foundById)]),
    lines: valued,
    ignoredColumns: [...ignored],
  }
}

const foundById = (card: ExtendedCard | undefined): Found =>
  card === undefined ? { match: 'none', card: null, candidates: [] } : { match: 'exact', card, candidates: [] }

function checkRequestsLeft({ rateLimit }: CardPrices, cost: number): void {
  if (rateLimit === undefined || rateLimit.remaining >= cost || rateLimit.reset * 1000 <= Date.now()) return
  const { remaining, limit, reset } = rateLimit
  throw new TooFewRequestsError(
    `This list needs ${cost} more requests, and ${remaining} of the day’s ${limit} are left. New ones come at ` +
      `${new Date(reset * 1000).toISOString()}. Nothing more was asked; ${remaining * batchMax} lines would fit.`,
  )
}

function valuedLine({ line, text, quantity }: StockLine, found: Found | undefined): ValuedLine {
  const unitPrice = found?.card?.prices.market ?? null
  return {
    line,
    text,
    quantity,
    match: found?.match ?? 'unreadable',
    card: found?.card == null ? null : namedBy(found.card),
    unitPrice,
    total: unitPrice === null ? null : inCents(unitPrice * quantity),
    candidates: (found?.candidates ?? []).map((card) => ({ ...namedBy(card), unitPrice: card.prices.market })),
  }
}

const namedBy = ({ id, name, game, set, number, printing }: ExtendedCard) => ({ id, name, game, set, number, printing })

const inCents = (amount: number): number => Math.round(amount * 100) / 100

function sumOf(lines: readonly ValuedLine[]): Pick<ValuedList, 'total' | 'counts'> {
  const counts = { exact: 0, likely: 0, ambiguous: 0, none: 0, unreadable: 0, withoutPrice: 0, cards: 0 }
  let total = 0
  for (const line of lines) {
    counts[line.match]++
    if (line.card === null) continue
    counts.cards += line.quantity
    if (line.total === null) counts.withoutPrice++
    else total = inCents(total + line.total)
  }
  return { total, counts }
}

const currencyOf = (found: readonly Found[]): string | null =>
  found.find(({ card }) => card !== null)?.card?.currency ?? null
