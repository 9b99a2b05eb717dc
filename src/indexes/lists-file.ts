/**
 * `lists.msgpack`: the columns that list, filter and sort cards, except by name; over the numbers of cards and names of
 * `search.msgpack`. Lists are contiguous: `…At` has the start of each, and one more entry for the end. Cards in a list
 * ascend, which is the order of equals.
 *
 *   cardGame                                    the game of each card
 *   cardMarket                                  the market price of each card in cents, `noPrice` if unknown
 *   numberTextAt, numberText                    the collector's numbers, folded, each once, in the order of their UTF-16 text
 *   cardNumber, numberCardsAt, numberCards      the index of each card's number; the cards of each number, and at the end those
 *                                               without a number
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
 *   nameRanks                                   the rank of each name by its folded words, one after the other; equal ones have one rank
 */
import * as v from 'valibot'
import { printingsMax } from '../limits.ts'
import { bytesColumn, f64Column, indexFile, u16Column, u32Column } from './format.ts'

/** In the order of the file. */
const columns = {
  cardGame: bytesColumn,
  cardMarket: u32Column,
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
  nameRanks: u32Column,
}

/** `printings` are folded by `foldCase`; both lists have each text once. */
const metaSchema = v.object({ printings: v.array(v.string()), marks: v.array(v.string()) })

export const { write: writeListsFile, read: readListsFile } = indexFile('lists', columns, metaSchema)

export type ListsFile = ReturnType<typeof readListsFile>

/** Above every price. */
export const noPrice = 0xffffffff

export const noPrinting = printingsMax

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
