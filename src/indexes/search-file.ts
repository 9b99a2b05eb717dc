/**
 * `search.msgpack`: the columns of search. A *name* is a distinct pair of game and display name, numbered in the order of its
 * first card; a *word* is a distinct folded word, numbered in the order of its UTF-16 text. Lists are contiguous: `…At` has
 * the start of each, and one more entry for the end.
 *
 *   word 0 aaaa ─┐ postings                  names                      cards
 *   word 1 aang ─┼──────────► name 17 ────────────────► 5, 803, 9120    ascending: the order of equals
 *   word 2 aba   │            game, text
 *                └─◄────────  its words in order
 *
 *   cardName, cardSet, cardRarity   of each card; a rarity is an index in `rarities`, `noRarity` if unknown
 *   cardsAt, cards                  the cards of each name, ascending
 *   setCardsAt, setCards            the cards of each set, ascending
 *   nameGame                        the game of each name
 *   nameTextAt, nameText            each display name as typed, in UTF-16
 *   nameWordsAt, nameWords          the words of each name, in its order
 *   nameBrackets                    how many words of each name are in brackets at its end, fewer than all
 *   wordTextAt, wordText            each word in UTF-16
 *   wordLetters                     the letters of each word as bits: bit (UTF-16 unit mod 32)
 *   postingsAt, postings            the names that have each word, ascending, each once: twice the name's number, plus one if
 *                                   the word is not its first
 *   lengthAt, wordsByLength         the words of each length, ascending
 *   lettersByLength                 `wordLetters` in the order of `wordsByLength`, for scans
 *   nearAt, near                    the words within the allowed typos of each word, ascending, except those that it is a
 *                                   prefix of
 *
 * checks/search-check.ts verifies all of it except texts, rarities, and the typos of `near`.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { raritiesMax } from '../limits.ts'
import {
  bytesColumn,
  type Column,
  decodeIndexFile,
  encodeIndexFile,
  IndexError,
  u16Column,
  u32Column,
} from './format.ts'

interface SearchSet {
  readonly code: string
  readonly name: string
  readonly game: number
}

export interface SearchFile {
  /** By set number; code and name folded by `foldCase`. */
  readonly sets: readonly SearchSet[]
  /** Folded by `foldCase`, each once. */
  readonly rarities: readonly string[]
  readonly cardName: Uint32Array
  readonly cardSet: Uint32Array
  readonly cardRarity: Uint16Array
  readonly cardsAt: Uint32Array
  readonly cards: Uint32Array
  readonly setCardsAt: Uint32Array
  readonly setCards: Uint32Array
  readonly nameGame: Uint8Array
  readonly nameTextAt: Uint32Array
  readonly nameText: Uint16Array
  readonly nameWordsAt: Uint32Array
  readonly nameWords: Uint32Array
  readonly nameBrackets: Uint8Array
  readonly wordTextAt: Uint32Array
  readonly wordText: Uint16Array
  readonly wordLetters: Uint32Array
  readonly postingsAt: Uint32Array
  readonly postings: Uint32Array
  readonly lengthAt: Uint32Array
  readonly wordsByLength: Uint32Array
  readonly lettersByLength: Uint32Array
  readonly nearAt: Uint32Array
  readonly near: Uint32Array
}

export const noRarity = raritiesMax

const kind = 'search'

/** The letters of a text as bits. */
export function lettersOf(text: Uint16Array, start: number, end: number): number {
  let letters = 0
  for (let i = start; i < end; i++) letters |= 1 << (text[i]! & 31)
  return letters >>> 0
}

export function writeSearchFile(file: SearchFile): Uint8Array[] {
  const { sets, rarities, ...columns } = file
  return encodeIndexFile(kind, { sets, rarities }, columns satisfies Record<string, Column>)
}

const metaSchema = v.object({
  sets: v.array(
    v.object({
      code: v.string(),
      name: v.string(),
      game: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(gameSlugs.length - 1)),
    }),
  ),
  rarities: v.array(v.string()),
})

const columns = [
  'cardName',
  'cardSet',
  'cardRarity',
  'cardsAt',
  'cards',
  'setCardsAt',
  'setCards',
  'nameGame',
  'nameTextAt',
  'nameText',
  'nameWordsAt',
  'nameWords',
  'nameBrackets',
  'wordTextAt',
  'wordText',
  'wordLetters',
  'postingsAt',
  'postings',
  'lengthAt',
  'wordsByLength',
  'lettersByLength',
  'nearAt',
  'near',
]

/** Throws IndexError. */
export function readSearchFile(bytes: Uint8Array): SearchFile {
  const file = decodeIndexFile(kind, bytes, columns)
  const meta = v.safeParse(metaSchema, file.meta)
  if (!meta.success) throw new IndexError(`the search file is damaged (${v.getDotPath(meta.issues[0])})`)
  return {
    ...meta.output,
    cardName: u32Column(file, 'cardName'),
    cardSet: u32Column(file, 'cardSet'),
    cardRarity: u16Column(file, 'cardRarity'),
    cardsAt: u32Column(file, 'cardsAt'),
    cards: u32Column(file, 'cards'),
    setCardsAt: u32Column(file, 'setCardsAt'),
    setCards: u32Column(file, 'setCards'),
    nameGame: bytesColumn(file, 'nameGame'),
    nameTextAt: u32Column(file, 'nameTextAt'),
    nameText: u16Column(file, 'nameText'),
    nameWordsAt: u32Column(file, 'nameWordsAt'),
    nameWords: u32Column(file, 'nameWords'),
    nameBrackets: bytesColumn(file, 'nameBrackets'),
    wordTextAt: u32Column(file, 'wordTextAt'),
    wordText: u16Column(file, 'wordText'),
    wordLetters: u32Column(file, 'wordLetters'),
    postingsAt: u32Column(file, 'postingsAt'),
    postings: u32Column(file, 'postings'),
    lengthAt: u32Column(file, 'lengthAt'),
    wordsByLength: u32Column(file, 'wordsByLength'),
    lettersByLength: u32Column(file, 'lettersByLength'),
    nearAt: u32Column(file, 'nearAt'),
    near: u32Column(file, 'near'),
  }
}
