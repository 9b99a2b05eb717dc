/**
 * Folds names and queries for comparison: to words without case, accents, width and punctuation.
 *
 *   Urza's Saga       → urzas, saga          apostrophes are dropped, so that urzas and urza's are one word
 *   Blue-Eyes         → blue, eyes           other signs separate words
 *   カプ・コケコ      → カプコケコ           between Japanese letters, only spaces separate words
 *   リザードンｅｘ    → リザードン, ex       a change between Japanese and other letters separates words
 *   Sword & Shield    → sword, and, shield   & becomes the word “and”, except after a Japanese letter
 *   _____             →                      a text of signs has no words
 *
 * Voicing marks of kana stay (リザ is not リサ): they are composed again after accents are removed.
 */
import { queryCharsMax } from '../limits.ts'

/** Acute accents as characters of their own. NFKD would decompose them into a space and an accent. */
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
/** A piece of a text: Japanese letters, other letters and digits, spaces, or `&`. Other signs belong to no piece. */
const pieces = new RegExp(
  `(?:(?=${japanese})${letter})(?:(?=${japanese})${letter}|\\p{M})*|(?:(?!${japanese})${letter})(?:(?!${japanese})${letter}|\\p{M})*|\\s+|&`,
  'gu',
)
const japaneseStart = new RegExp(`^(?=${japanese})${letter}`, 'u')
const lastAscii = 0x7f
const latinLetters = /\p{Script=Latin}/gu
const sign = { parts: 0, dropped: 1, letter: 2, and: 3 } as const
/** The kind of each ASCII character. Texts are in lower case. */
const asciiSigns = Uint8Array.from({ length: 128 }, (_, code) => {
  const text = String.fromCharCode(code)
  if (text === '&') return sign.and
  return /[a-z0-9]/.test(text) ? sign.letter : /['`]/.test(text) ? sign.dropped : sign.parts
})
const and = 'and'
const spaces = /\s+/g

/** The text's folded words, in their order. A text of signs has none. */
export function fold(text: string): string[] {
  const lower = text.toLowerCase()
  const words: string[] = []
  let word = ''
  let start = 0
  for (let i = 0; i <= lower.length; i++) {
    const kind = i < lower.length ? asciiSigns[lower.charCodeAt(i)] : sign.parts
    if (kind === undefined) return foldAny(text)
    if (kind === sign.letter) continue
    if (i > start) word += lower.slice(start, i)
    start = i + 1
    if (kind !== sign.dropped && word !== '') {
      words.push(word)
      word = ''
    }
    if (kind === sign.and) words.push(and)
  }
  return words
}

/** Folds texts that are not ASCII. Most texts are ASCII, and `fold` is faster for those. */
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

/**
 * Several words of a text, joined into one word because only signs separate them: `D.D. Crow` has the joined word `dd`.
 */
export interface JoinedWord {
  readonly word: string
  /** The index of the first word that it joins, and the number of words that it joins. */
  readonly first: number
  readonly count: number
}

const isSpace = 1
const isLetter = 2
const isSign = 3
/** The kind of each ASCII character, or 0 if folding drops the character. */
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const text = String.fromCharCode(code)
  return /\s/.test(text) ? isSpace : /[a-z0-9]/i.test(text) ? isLetter : /['`]/.test(text) ? 0 : isSign
})

/**
 * The kind of a character; undefined if only `joinedWords` can tell. Japanese letters count as spaces, because signs
 * never join them.
 */
function kindOf(code: number): number | undefined {
  if (code <= lastAscii) return asciiKinds[code]
  const isLatin = code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7
  const isJapaneseLetter = (code >= 0x3041 && code <= 0x30fa) || (code >= 0x4e00 && code <= 0x9fff) || code === 0x30fc
  return isLatin ? isLetter : isJapaneseLetter ? isSpace : undefined
}

/** False if no two letters of the text are separated by signs alone. True if they may be: this is a quick check. */
function mayJoin(text: string): boolean {
  let before = isSpace
  for (let i = 0; i < text.length; i++) {
    const kind = kindOf(text.charCodeAt(i))
    if (kind === undefined || (kind === isLetter && before === isSign)) return true
    // Signs after a space join nothing.
    if (kind !== 0 && (kind !== isSign || before !== isSpace)) before = kind
  }
  return false
}

/**
 * The joined words of a text, in the order of `fold`'s words. Signs between Japanese letters do not separate words, so
 * Japanese words are not joined.
 */
export function joinedWords(text: string): JoinedWord[] {
  const found: JoinedWord[] = []
  if (!mayJoin(text)) return found
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
export const isJapanese = (word: string): boolean => word.charCodeAt(0) > lastAscii && japaneseStart.test(word)

export const countLatinLetters = (word: string): number => word.match(latinLetters)?.length ?? 0

/** The text as typed, normalized: texts that look the same become equal. */
export const asTyped = (text: string): string => text.normalize('NFC').trim()

/** Folds a text that consists only of signs: removes width and spaces. */
export const foldSigns = (text: string): string => text.normalize('NFKC').replace(spaces, '')

/** Folds a name that is compared as a whole. A name that has only signs equals only names with the same signs. */
export const foldName = (text: string): string => fold(text).join(' ') || foldSigns(text)

/** Folds set codes, set names and rarities, which are compared as a whole, without case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase()

/** A code as one word: `OP-01` is `op01`. */
export const foldCode = (code: string): string => fold(code).join('')

/**
 * Matches `SV03: Obsidian Flames`, `SM - Ultra Prism` and `XY - Evolutions`, and captures the name after the prefix.
 */
const behindPrefix = /^[A-Z0-9&-]{1,8}(?:: | - )(.*\S.*)$/

/** A set's name without its publisher's prefix; undefined if it has no prefix. */
export const shortSetName = (name: string): string | undefined => behindPrefix.exec(name)?.[1]
