/**
 * `lists.msgpack`: the columns by which cards are listed, filtered and sorted, except those of names. Indexes of cards
 * and numbers of names are those of `search.msgpack`. Lists follow one another: `…At` has the start of each list, and
 * one more entry for the end of the last. The cards of a list ascend by index, which is the order of equal results.
 *
 *   cardGame                                   the game of each card
 *   cardMarket                                 the market price of each card in cents, `noPrice` if unknown
 *   numberTextAt, numberText                   the folded collector's numbers, each once, in the order of their UTF-16
 *                                              text
 *   cardNumber, numberCardsAt, numberCards     the index of each card's number; the cards of each number, and last the
 *                                              cards without a number
 *   productIds, productCardsAt, productCards   the ids of TCGplayer's products, ascending, and each product's cards
 *   cardmarketIds, cardmarketCardsAt, cardmarketCards   the same for Cardmarket
 *   cardPrinting                               the index of each card's printing in `printings`, or `noPrinting`
 *   scryfallIds, scryfallCardsAt, scryfallCards   the ids of Scryfall, ascending, four numbers each (`numbersOfUuid`),
 *                                              and the cards of each; `mtgjson…`: the same for MTGJSON
 *   keyTextAt, keyText                         the keys of names and faces (`identityOf`), each once, in the order of
 *                                              their UTF-16 text
 *   keyCardsAt, keyCards                       the cards of each key: twice the card's index, plus one if the key is
 *                                              that of a face
 *   cardMark                                   the index of each card's mark (`Mark`) in `marks`
 *   setEndsAt, setEnds                         ,"printings":[…],"rarities":[…],"printedTotal":…}} of each set: the end
 *                                              of the response of `/v1/sets/GAME/CODE`, after the fields that a list
 *                                              of sets has
 *   suggestionsAt, suggestions                 {"name":"Charizard","game":"pokemon","cards":57} of each name
 *   nameRanks                                  the rank of each name by the text of its folded words, joined by
 *                                              blanks; names with equal texts have the same rank
 *   byNewest, byPrice, byPriceDown, byName     the cards of each game, one game after the other, in a list's order
 */
import * as v from 'valibot'
import { bytesColumn, f64Column, indexFile, offsets, printingsMax, u16Column, u32Column } from './format.ts'

/** How many 32-bit numbers a UUID has. The most significant number comes first, so UUIDs sort as their texts do. */
export const uuidNumbers = 4

/** The columns in the order of the file. */
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
  byNewest: u32Column,
  byPrice: u32Column,
  byPriceDown: u32Column,
  byName: u32Column,
}

/** `printings` are folded by `foldCase`. `printings` and `marks` contain each text once. */
const metaSchema = v.object({ printings: v.array(v.string()), marks: v.array(v.string()) })

export const { write: writeListsFile, read: readListsFile } = indexFile('lists', columns, metaSchema)

export type ListsFile = ReturnType<typeof readListsFile>

/** Stands for an unknown price. It is above every price. */
export const noPrice = 0xffffffff

export const noPrinting = printingsMax

/** A game's number is a byte. */
const gameNumbers = 256

/**
 * Where the cards of each game start in a list that has one game after the other. The last entry is the end of that
 * list.
 */
export function startsOfGames(cardGame: Uint8Array): Uint32Array<ArrayBuffer> {
  const counts = new Array<number>(gameNumbers).fill(0)
  for (const game of cardGame) counts[game]!++
  return offsets(counts)
}

const digitsEach = 8

/** @param uuid in lower case */
export function numbersOfUuid(uuid: string): number[] {
  const digits = uuid.replaceAll('-', '')
  return Array.from({ length: uuidNumbers }, (_, i) =>
    Number.parseInt(digits.slice(i * digitsEach, (i + 1) * digitsEach), 16),
  )
}

/** Negative if the UUID at `place` comes before the other UUID, positive if it comes after, 0 if both are equal. */
export function compareUuids(uuids: Uint32Array, place: number, other: ArrayLike<number>, otherPlace = 0): number {
  for (let i = 0; i < uuidNumbers; i++) {
    const difference = uuids[place * uuidNumbers + i]! - other[otherPlace * uuidNumbers + i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** The text after the name in a suggestion. */
export const suggestionEnd = (game: string, cards: number): string => `,"game":"${game}","cards":${cards}}`
export const suggestionStart = '{"name":"'
