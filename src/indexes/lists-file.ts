/**
 * `lists.msgpack`: the columns that list, filter and sort cards, except by name; over the numbers of cards and names of
 * `search.msgpack`. Lists are contiguous: `…At` has the start of each, and one more entry for the end. Cards in a list
 * ascend, which is the order of equals.
 *
 *   cardGame, gameCardsAt, gameCards            the game of each card; the cards of each game
 *   cardMarket                                  the market price of each card in cents, `noPrice` if unknown
 *   marketByName                                the same in the order of `cards` of the search file, grouped by name
 *   numberTextAt, numberText                    the collector's numbers, folded, each once, in the order of their UTF-16 text
 *   cardNumber, numberCardsAt, numberCards      the index of each card's number; the cards of each number in each game
 *                                               (`numberList`), and at the end those without a number
 *   productIds, productCardsAt, productCards    TCGplayer's products, ascending, and the printings of each
 *   cardmarketIds, cardmarketCardsAt, cardmarketCards   the same of Cardmarket
 *   cardPrinting                                the index of each card's printing in `printings`, `noPrinting` if unknown
 *   scryfallIds, scryfallCardsAt, scryfallCards the ids of Scryfall, ascending, four numbers each (`numbersOfUuid`), and the cards of
 *                                               each; `mtgjson…`: the same of MTGJSON
 *   keyTextAt, keyText                          the keys of names and faces (`identityOf`), each once, in the order of their UTF-16 text
 *   keyCardsAt, keyCards                        the cards of each key: twice the card's number, plus one if the key is of a face
 *   cardMark                                    the index of each card's mark (`Mark`) in `marks`
 *   setEndsAt, setEnds                          ,"printings":[…],"rarities":[…],"printedTotal":…}} of each set, to follow the list's fields
 *   suggestionsAt, suggestions                  {"name":"Charizard","game":"pokemon","cards":57} of each name
 *
 * An *order* is a permutation of all cards and its inverse: `cardAt` to walk from any rank, `rankOf` to sort cards.
 *
 *   rank     0  1  2  3                 card     0  1  2  3
 *   cardAt   2  0  3  1                 rankOf   1  3  0  2
 *
 *   cheapestFirst, dearestFirst    by market price; unknown ones last in both
 *   byName                         by the name's folded words, one after the other
 *
 * Equals are in the order of card numbers.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { priceCentsMax, printingsMax } from '../limits.ts'
import {
  bytesColumn,
  type Columns,
  decodeIndexFile,
  encodeIndexFile,
  f64Column,
  inOrderOf,
  u16Column,
  u32Column,
} from './format.ts'

export interface Order {
  readonly cardAt: Uint32Array
  readonly rankOf: Uint32Array
}

/** In the order of the file. */
const columns = {
  cardGame: bytesColumn,
  gameCardsAt: u32Column,
  gameCards: u32Column,
  cardMarket: u32Column,
  marketByName: u32Column,
  numberTextAt: u32Column,
  numberText: u16Column,
  cardNumber: u32Column,
  numberCardsAt: u32Column,
  numberCards: u32Column,
  productIds: f64Column,
  productCardsAt: u32Column,
  productCards: u32Column,
  cardmarketIds: f64Column,
  cardmarketCardsAt: u32Column,
  cardmarketCards: u32Column,
  cardPrinting: u16Column,
  scryfallIds: u32Column,
  scryfallCardsAt: u32Column,
  scryfallCards: u32Column,
  mtgjsonIds: u32Column,
  mtgjsonCardsAt: u32Column,
  mtgjsonCards: u32Column,
  keyTextAt: u32Column,
  keyText: u16Column,
  keyCardsAt: u32Column,
  keyCards: u32Column,
  cardMark: u32Column,
  setEndsAt: u32Column,
  setEnds: bytesColumn,
  suggestionsAt: u32Column,
  suggestions: bytesColumn,
  cheapestFirstCards: u32Column,
  cheapestFirstRanks: u32Column,
  dearestFirstCards: u32Column,
  dearestFirstRanks: u32Column,
  byNameCards: u32Column,
  byNameRanks: u32Column,
}

/** `printings` are folded by `foldCase`; both lists have each text once. */
const metaSchema = v.object({ printings: v.array(v.string()), marks: v.array(v.string()) })

export type ListsFile = Readonly<ReturnType<typeof readListsFile>>

/** The list of a number and a game in `numberCards`; the lists of a number are adjacent. */
export const numberList = (number: number, game: number): number => number * gameSlugs.length + game

/** Above every price. */
export const noPrice = 0xffffffff

export const noPrinting = printingsMax

/** The key of an order by price, ascending; unknown prices last in both. */
export const sortPrice = (cents: number, dearestFirst: boolean): number =>
  dearestFirst && cents !== noPrice ? priceCentsMax - cents : cents

/** A UUID has so many 32-bit numbers, the most significant first, so that they sort like their texts. */
export const uuidNumbers = 4
const digitsEach = 8

/** @param uuid in lower case */
export function numbersOfUuid(uuid: string): number[] {
  const digits = uuid.replaceAll('-', '')
  return Array.from({ length: uuidNumbers }, (_, i) =>
    Number.parseInt(digits.slice(i * digitsEach, (i + 1) * digitsEach), 16),
  )
}

/** Negative if the UUID at `place` comes before the other. */
export function compareUuids(uuids: Uint32Array, place: number, other: ArrayLike<number>, otherPlace = 0): number {
  for (let i = 0; i < uuidNumbers; i++) {
    const difference = uuids[place * uuidNumbers + i]! - other[otherPlace * uuidNumbers + i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** The text of a suggestion after the name. */
export const suggestionEnd = (game: string, cards: number): string => `,"game":"${game}","cards":${cards}}`
export const suggestionStart = '{"name":"'

const kind = 'lists'

export function writeListsFile({
  cheapestFirst,
  dearestFirst,
  byName,
  printings,
  marks,
  ...rest
}: ListsFile): Uint8Array[] {
  const all: Columns<typeof columns> = {
    ...rest,
    cheapestFirstCards: cheapestFirst.cardAt,
    cheapestFirstRanks: cheapestFirst.rankOf,
    dearestFirstCards: dearestFirst.cardAt,
    dearestFirstRanks: dearestFirst.rankOf,
    byNameCards: byName.cardAt,
    byNameRanks: byName.rankOf,
  }
  return encodeIndexFile(kind, { printings, marks }, inOrderOf(columns, all))
}

/** Throws IndexError. */
export function readListsFile(bytes: Uint8Array) {
  const file = decodeIndexFile(kind, bytes, columns, metaSchema)
  const {
    cheapestFirstCards,
    cheapestFirstRanks,
    dearestFirstCards,
    dearestFirstRanks,
    byNameCards,
    byNameRanks,
    ...rest
  } = file
  return {
    ...rest,
    cheapestFirst: { cardAt: cheapestFirstCards, rankOf: cheapestFirstRanks },
    dearestFirst: { cardAt: dearestFirstCards, rankOf: dearestFirstRanks },
    byName: { cardAt: byNameCards, rankOf: byNameRanks },
  }
}
