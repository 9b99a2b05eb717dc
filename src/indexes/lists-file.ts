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
 *   cardPrinting                                the index of each card's printing in `printings`, `noPrinting` if unknown
 *   scryfallIds, scryfallCardsAt, scryfallCards the ids of Scryfall, ascending, four numbers each (uuids.ts), and the cards of
 *                                               each; `mtgjson…`: the same of MTGJSON
 *   setEndsAt, setEnds                          ,"printings":[…],"rarities":[…]}} of each set, to follow the list's fields
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
 * Equals are in the order of card numbers. checks/lists-check.ts verifies all of it except texts and prices.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { priceCentsMax, printingsMax } from '../limits.ts'
import {
  bytesColumn,
  type Column,
  decodeIndexFile,
  encodeIndexFile,
  f64Column,
  IndexError,
  u16Column,
  u32Column,
} from './format.ts'

export interface Order {
  readonly cardAt: Uint32Array
  readonly rankOf: Uint32Array
}

export interface ListsFile {
  readonly cardGame: Uint8Array
  readonly gameCardsAt: Uint32Array
  readonly gameCards: Uint32Array
  readonly cardMarket: Uint32Array
  readonly marketByName: Uint32Array
  readonly numberTextAt: Uint32Array
  readonly numberText: Uint16Array
  readonly cardNumber: Uint32Array
  readonly numberCardsAt: Uint32Array
  readonly numberCards: Uint32Array
  readonly productIds: Float64Array
  readonly productCardsAt: Uint32Array
  readonly productCards: Uint32Array
  /** Folded by `foldCase`, each once. */
  readonly printings: readonly string[]
  readonly cardPrinting: Uint16Array
  readonly scryfallIds: Uint32Array
  readonly scryfallCardsAt: Uint32Array
  readonly scryfallCards: Uint32Array
  readonly mtgjsonIds: Uint32Array
  readonly mtgjsonCardsAt: Uint32Array
  readonly mtgjsonCards: Uint32Array
  readonly setEndsAt: Uint32Array
  readonly setEnds: Uint8Array
  readonly suggestionsAt: Uint32Array
  readonly suggestions: Uint8Array
  readonly cheapestFirst: Order
  readonly dearestFirst: Order
  readonly byName: Order
}

/** The list of a number and a game in `numberCards`; the lists of a number are adjacent. */
export const numberList = (number: number, game: number): number => number * gameSlugs.length + game

/** Above every price. */
export const noPrice = 0xffffffff

export const noPrinting = printingsMax

/** The key of an order by price, ascending; unknown prices last in both. */
export const sortPrice = (cents: number, dearestFirst: boolean): number =>
  dearestFirst && cents !== noPrice ? priceCentsMax - cents : cents

/** The text of a suggestion after the name. */
export const suggestionEnd = (game: string, cards: number): string => `,"game":"${game}","cards":${cards}}`
export const suggestionStart = '{"name":"'

const kind = 'lists'
const orders = ['cheapestFirst', 'dearestFirst', 'byName'] as const
const columns = [
  'cardGame',
  'gameCardsAt',
  'gameCards',
  'cardMarket',
  'marketByName',
  'numberTextAt',
  'numberText',
  'cardNumber',
  'numberCardsAt',
  'numberCards',
  'productIds',
  'productCardsAt',
  'productCards',
  'cardPrinting',
  'scryfallIds',
  'scryfallCardsAt',
  'scryfallCards',
  'mtgjsonIds',
  'mtgjsonCardsAt',
  'mtgjsonCards',
  'setEndsAt',
  'setEnds',
  'suggestionsAt',
  'suggestions',
  ...orders.flatMap((order) => [`${order}Cards`, `${order}Ranks`]),
]

const metaSchema = v.object({ printings: v.array(v.string()) })

export function writeListsFile({ cheapestFirst, dearestFirst, byName, printings, ...rest }: ListsFile): Uint8Array[] {
  const all: Readonly<Record<string, Column>> = {
    ...rest,
    cheapestFirstCards: cheapestFirst.cardAt,
    cheapestFirstRanks: cheapestFirst.rankOf,
    dearestFirstCards: dearestFirst.cardAt,
    dearestFirstRanks: dearestFirst.rankOf,
    byNameCards: byName.cardAt,
    byNameRanks: byName.rankOf,
  }
  // The order of the file's columns must not depend on that of the object's fields.
  return encodeIndexFile(kind, { printings }, Object.fromEntries(columns.map((name) => [name, all[name]!])))
}

/** Throws IndexError. */
export function readListsFile(bytes: Uint8Array): ListsFile {
  const file = decodeIndexFile(kind, bytes, columns)
  const meta = v.safeParse(metaSchema, file.meta)
  if (!meta.success) throw new IndexError(`the lists file is damaged (${v.getDotPath(meta.issues[0])})`)
  const order = (name: (typeof orders)[number]): Order => ({
    cardAt: u32Column(file, `${name}Cards`),
    rankOf: u32Column(file, `${name}Ranks`),
  })
  return {
    cardGame: bytesColumn(file, 'cardGame'),
    gameCardsAt: u32Column(file, 'gameCardsAt'),
    gameCards: u32Column(file, 'gameCards'),
    cardMarket: u32Column(file, 'cardMarket'),
    marketByName: u32Column(file, 'marketByName'),
    numberTextAt: u32Column(file, 'numberTextAt'),
    numberText: u16Column(file, 'numberText'),
    cardNumber: u32Column(file, 'cardNumber'),
    numberCardsAt: u32Column(file, 'numberCardsAt'),
    numberCards: u32Column(file, 'numberCards'),
    productIds: f64Column(file, 'productIds'),
    productCardsAt: u32Column(file, 'productCardsAt'),
    productCards: u32Column(file, 'productCards'),
    ...meta.output,
    cardPrinting: u16Column(file, 'cardPrinting'),
    scryfallIds: u32Column(file, 'scryfallIds'),
    scryfallCardsAt: u32Column(file, 'scryfallCardsAt'),
    scryfallCards: u32Column(file, 'scryfallCards'),
    mtgjsonIds: u32Column(file, 'mtgjsonIds'),
    mtgjsonCardsAt: u32Column(file, 'mtgjsonCardsAt'),
    mtgjsonCards: u32Column(file, 'mtgjsonCards'),
    setEndsAt: u32Column(file, 'setEndsAt'),
    setEnds: bytesColumn(file, 'setEnds'),
    suggestionsAt: u32Column(file, 'suggestionsAt'),
    suggestions: bytesColumn(file, 'suggestions'),
    cheapestFirst: order('cheapestFirst'),
    dearestFirst: order('dearestFirst'),
    byName: order('byName'),
  }
}
