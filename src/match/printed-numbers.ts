/** Finds the cards of a line whose name is only a collector's number. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { numberIndex } from '../search/scope/number-index.ts'

/**
 * A number that begins with its set's code and a hyphen, as in `OP01-016` and `LOB-EN001`. Few cards have the same one.
 */
const withCode = /^[A-Z]{1,5}\d{0,3}-[A-Z0-9_]{1,12}$/i

/** Card indexes. There are none if the text is not a number with its set's code. */
export function cardsOfPrintedNumber(text: string, lists: ListsFile): Uint32Array {
  const number = withCode.test(text) ? numberIndex(lists, text) : -1
  const { numberCards, numberCardsAt } = lists
  return number === -1
    ? numberCards.subarray(0, 0)
    : numberCards.subarray(numberCardsAt[number], numberCardsAt[number + 1])
}
