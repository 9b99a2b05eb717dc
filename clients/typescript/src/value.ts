/** `card-prices-client/value`: what a list of cards is worth. */
import { type CallOptions, CardPrices as Client } from './index.ts'
import { type ListedCard, linesOf, type ReadList, type ReadOptions, readAll } from './list.ts'
import { type ValuedList, valueLines } from './valuation.ts'

export {
  type Column,
  type ListedCard,
  type ListLine,
  linesOf,
  type ReadColumn,
  type ReadList,
  type ReadOptions,
  readAll,
  readList,
} from './list.ts'
export { type Field, fieldNames } from './list-fields.ts'
export type { Condition } from './list-words.ts'
export { priceOf, totalsOf, type ValuedLine, type ValuedList, valueLines } from './valuation.ts'

export interface ValueOptions extends ReadOptions, CallOptions {
  /** Called while the list is valued, with the number of its lines that are done and of all. */
  readonly onProgress?: ((done: number, lines: number) => void) | undefined
}

export type List = string | readonly string[] | readonly ListedCard[]

const isTexts = (list: List): list is readonly string[] => typeof list === 'object' && typeof list[0] === 'string'

/**
 * Values a text (an export of a collection as CSV, a deck list, lines typed by hand, ids), its lines, or lines as
 * fields. Twenty lines cost one request; lines whose first question finds nothing are asked for again. An
 * error has the lines valued so far in `found`.
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
      ? readAll(text, reading)
      : { lines: linesOf(text as readonly ListedCard[], reading), columns: [], headings: 0 }
  return valueLines(
    read,
    (questions) => prices.match(questions, options),
    (done) => onProgress?.(done, read.lines.length),
  )
}

/** The client with a method for lists. */
export class CardPrices extends Client {
  /** See `valueList`. */
  value(list: List, options: ValueOptions = {}): Promise<ValuedList> {
    return valueList(this, list, options)
  }
}
