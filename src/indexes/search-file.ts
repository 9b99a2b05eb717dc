/**
 * `search.msgpack`: the columns of search. A *name* is a distinct pair of game and display name. Names are numbered in
 * the order of their first cards. A *word* is a distinct folded word. Words are numbered in the order of their UTF-16
 * texts. Lists follow one another: `…At` has the start of each list, and one more entry for the end of the last.
 *
 *   word 0 aaaa ─┐ postings                  names                      cards
 *   word 1 aang ─┼──────────► name 17 ────────────────► 5, 803, 9120    ascending: the order of equal results
 *   word 2 aba   │            game, text
 *                └─◄────────  its words in order
 *
 *   cardName, cardSet, cardRarity   the numbers of each card's name and set; the index of its rarity in `rarities`, or
 *                                   `noRarity` if unknown
 *   cardsAt, cards                  the cards of each name, ascending
 *   setCardsAt, setCards            the cards of each set, ascending
 *   nameGame                        the game of each name
 *   nameTextAt, nameText            each display name as typed, in UTF-16
 *   nameWordsAt, nameWords          the numbers of each name's words, in the name's order. If only signs separate some
 *                                   words, an entry before these words has the joined word and their count: D.D. Crow
 *                                   is 2|dd d d crow
 *   wordTextAt, wordText            each word in UTF-16
 *   wordLetters                     the letters of each word as bits: a UTF-16 unit sets bit (unit mod 32)
 *   postingsAt, postings            the names that have each word, ascending, each once. An entry is twice the name's
 *                                   number, plus one if the name does not begin with the word
 *   lengthAt, wordsByLength         the words of each length, ascending
 *   lettersByLength                 `wordLetters` in the order of `wordsByLength`, for scans
 */
import * as v from 'valibot'
import { gamesMax } from '../limits.ts'
import { bytesColumn, indexFile, raritiesMax, u16Column, u32Column } from './format.ts'

const columns = {
  cardName: u32Column,
  cardSet: u32Column,
  cardRarity: u16Column,
  cardsAt: u32Column,
  cards: u32Column,
  setCardsAt: u32Column,
  setCards: u32Column,
  nameGame: bytesColumn,
  nameTextAt: u32Column,
  nameText: u16Column,
  nameWordsAt: u32Column,
  nameWords: u32Column,
  wordTextAt: u32Column,
  wordText: u16Column,
  wordLetters: u32Column,
  postingsAt: u32Column,
  postings: u32Column,
  lengthAt: u32Column,
  wordsByLength: u32Column,
  lettersByLength: u32Column,
}

const metaSchema = v.object({
  /**
   * The sets by number. Texts are folded by `foldCase`. `short` is the name without its publisher's prefix, or '' if
   * there is no prefix.
   */
  sets: v.array(
    v.object({
      code: v.string(),
      name: v.string(),
      short: v.string(),
      /** The number after the slash in the collector's numbers of the set's cards; null if unknown. */
      printedTotal: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      game: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(gamesMax - 1)),
    }),
  ),
  /** Each rarity once, folded by `foldCase`. */
  rarities: v.array(v.string()),
})

export const { write: writeSearchFile, read: readSearchFile } = indexFile('search', columns, metaSchema)

export type SearchFile = ReturnType<typeof readSearchFile>

export const noRarity = raritiesMax

/**
 * How many low bits of an entry of `nameWords` are a word's number. For a joined word, the high bits are the number of
 * words that it joins. For a word of the name itself, they are 0.
 */
export const wordBits = 24
export const wordMask = 2 ** wordBits - 1
export const joinedEntry = (word: number, count: number): number => ((count << wordBits) | word) >>> 0

/** The letters of a text as bits. */
export function lettersOf(text: Uint16Array, start: number, end: number): number {
  let letters = 0
  for (let i = start; i < end; i++) letters |= 1 << (text[i]! & 31)
  return letters >>> 0
}
