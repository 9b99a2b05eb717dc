/**
 * Folds names and queries for comparing: to words without case, accents, width and punctuation.
 *
 *   Urza's Saga       → urzas, saga          apostrophes are dropped, so that urzas and urza's are one word
 *   Blue-Eyes         → blue, eyes           other signs separate words
 *   カプ・コケコ      → カプコケコ           between Japanese letters, only spaces separate words
 *   リザードンｅｘ    → リザードン, ex       a change between Japanese and other letters separates words
 *   Sword & Shield    → sword, and, shield   & is the word and, except behind a Japanese letter
 *   _____             →                      a text of signs has no words
 *
 * Voicing marks of kana stay (リザ is not リサ): they are composed again after accents are removed.
 */
import { queryCharsMax } from '../limits.ts'

/** NFKD would decompose them into a space and an accent. */
const spacingAcutes = /[´\u1ffd]/g
/** Accents, variation selectors and apostrophes, all in their decomposed form. */
const dropped = /[\u0300-\u036f\ufe00-\ufe0f'`‘’‛ʹʻʼ′]/g
const withoutDecomposition: Readonly<Record<string, string>> = {
  æ: 'ae',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  œ: 'oe',
  ß: 'ss',
  ŧ: 't',
  þ: 'th',
  ς: 'σ',
}
const special = new RegExp(`[${Object.keys(withoutDecomposition).join('')}]`, 'g')

const japanese = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]'
const letter = '[\\p{L}\\p{N}]'
/** Japanese letters, other letters and digits, spaces, or `&`; no other signs. */
const pieces = new RegExp(
  `(?:(?=${japanese})${letter})(?:(?=${japanese})${letter}|\\p{M})*|(?:(?!${japanese})${letter})(?:(?!${japanese})${letter}|\\p{M})*|\\s+|&`,
  'gu',
)
const japaneseStart = new RegExp(`^(?=${japanese})${letter}`, 'u')
const ascii = /^[\0-\x7f]*$/
const latinLetters = /\p{Script=Latin}/gu
const and = 'and'
const spaces = /\s+/g

/** The text's folded words, in their order; none for a text of signs. */
export function fold(text: string): string[] {
  if (!ascii.test(text)) return foldAny(text)
  return (
    text
      .toLowerCase()
      .replaceAll('&', ' and ')
      .replace(/['`]/g, '')
      .match(/[a-z0-9]+/g) ?? []
  )
}

/** The same for any text. Most are ASCII, which `fold` handles faster. */
function foldAny(text: string): string[] {
  const words: string[] = []
  let joins = false
  for (const piece of plain(text).match(pieces) ?? []) {
    if (piece === '&' && joins) continue
    const inJapanese = isJapanese(piece)
    if (inJapanese && joins) words[words.length - 1] += piece
    else if (piece === '&') words.push(and)
    else if (piece.trim() !== '') words.push(piece)
    joins = inJapanese
  }
  return words
}

/** The text in lower case, without accents, apostrophes and width. */
const plain = (text: string): string =>
  text
    .replace(spacingAcutes, '')
    .normalize('NFKD')
    .replace(dropped, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(special, (found) => withoutDecomposition[found]!)

/** Words between which stand signs and no spaces, written as one: `D.D. Crow` has `dd`. */
export interface JoinedWord {
  readonly word: string
  /** The index of the first of its words, and how many it joins. */
  readonly first: number
  readonly count: number
}

/** Texts of letters, digits, spaces and apostrophes alone, without a sign that joins words: most queries. */
const withoutSigns = /^[\sa-z0-9'`À-ÖØ-öø-ɏぁ-ヺー一-鿿]*$/i

/** The joined words of a text, in the order of `fold`'s words. Japanese letters are never parted by signs, so they join none. */
export function joinedWords(text: string): JoinedWord[] {
  const found: JoinedWord[] = []
  if (withoutSigns.test(text)) return found
  let at = 0
  for (const token of plain(text).split(/\s+/u)) {
    const words = fold(token)
    for (let first = 0; first < words.length; ) {
      let end = first
      while (end < words.length && !isJapanese(words[end]!)) end++
      const parts = token.includes('&')
        ? words.slice(first, end).filter((word) => word !== and)
        : words.slice(first, end)
      const word = parts.join('')
      if (parts.length > 1 && word.length <= queryCharsMax) found.push({ word, first: at + first, count: end - first })
      first = Math.max(end, first + 1)
    }
    at += words.length
  }
  return found
}

/** True for a folded word that may match anywhere inside a word, not only at its beginning. */
export const isJapanese = (word: string): boolean => word.charCodeAt(0) > 0x7f && japaneseStart.test(word)

export const countLatinLetters = (word: string): number => word.match(latinLetters)?.length ?? 0

/** The text as typed, normalized so that texts that look the same are equal. */
export const asTyped = (text: string): string => text.normalize('NFC').trim()

/** Folds a text of signs: without width and spaces. */
export const foldSigns = (text: string): string => text.normalize('NFKC').replace(spaces, '')

/** Folds a name for comparing as a whole. A name of signs equals only itself. */
export const foldName = (text: string): string => fold(text).join(' ') || foldSigns(text)

/** Folds set codes, set names and rarities, which are compared as a whole, without case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase()
