/** The cards that a collector's number stands for by itself, in the place of a name. */
import type { ListsFile } from '../indexes/lists-file.ts'
import { numberIndex } from '../search/scope/number-index.ts'

/** It has its set's code before a hyphen, so few cards have it: `OP01-016`, `LOB-EN001`. */
const withCode = /^[A-Z]{1,5}\d{0,3}-[A-Z0-9_]{1,12}$/i

/** Card indexes; none for a text that is no such number. */
export function cardsOfPrintedNumber(text: string, lists: ListsFile): Uint32Array {
  const number = withCode.test(text) ? numberIndex(lists, text) : -1
  const { numberCards, numberCardsAt } = lists
  return number === -1
    ? numberCards.subarray(0, 0)
    : numberCards.subarray(numberCardsAt[number], numberCardsAt[number + 1])
}
