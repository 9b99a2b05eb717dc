/** `card-prices-client/value`: what a list of cards is worth. */
import { type CallOptions, CardPrices as Client } from './index.ts'
import { type ListedCard, linesOf, type ReadOptions, readList } from './list.ts'
import { type ValuedList, valueLines } from './valuation.ts'

export { type ListedCard, type ListLine, type ListReader, linesOf, type ReadOptions, readList } from './list.ts'
export type { Condition } from './list-columns.ts'
export { type ValuedLine, type ValuedList, valueLines } from './valuation.ts'

export interface ValueOptions extends ReadOptions, CallOptions {}

export type List = string | readonly string[] | readonly ListedCard[]

const isTexts = (list: List): list is readonly string[] => typeof list === 'object' && typeof list[0] === 'string'

/**
 * Values a text (an export of a collection as CSV, a deck list, lines typed by hand, ids), its lines, or lines as fields. Twenty lines cost one request;
 * lines that their id or the set's code does not find cost another one. An error has the lines valued so far in `found`.
 */
export function valueList(
  prices: Client,
  list: List,
  { game, condition, ...options }: ValueOptions = {},
): Promise<ValuedList> {
  const text = isTexts(list) ? list.join('\n') : list
  const reader = typeof text === 'string' ? readList(text, { game, condition }) : undefined
  const lines = reader === undefined ? linesOf(text as readonly ListedCard[], { game, condition }) : [...reader]
  return valueLines(lines, reader ?? { headings: 0, ignoredColumns: [] }, (questions) =>
    prices.match(questions, options),
  )
}

/** The client with a method for lists. */
export class CardPrices extends Client {
  /** See `valueList`. */
  async value(list: List, options: ValueOptions = {}): Promise<ValuedList> {
    return valueList(this, list, options)
  }
}
