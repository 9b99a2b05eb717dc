/**
 * Names and queries as search compares them: without case, accents, width and punctuation, as a list of words.
 *
 *   Urza's Saga       → urzas, saga          apostrophes are dropped, so that urzas and urza's are one word
 *   Blue-Eyes         → blue, eyes           other signs part words
 *   カプ・コケコ      → カプコケコ           but not between Japanese letters, where spaces alone do
 *   リザードンｅｘ    → リザードン, ex       a change between Japanese and other letters parts words
 *   _____             →                      signs alone have no words
 *
 * The voicing marks of kana are kept (リザ is not リサ): they are composed again after the accents are gone.
 */

/** They would decompose into a space and an accent. */
const spacingAcutes = /[´\u1ffd]/g
/** Accents, variation selectors and what is used as an apostrophe, all in their decomposed form. */
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
/** A run of Japanese letters, a run of other letters and digits, or a run of spaces; signs are left out. */
const pieces = new RegExp(
  `(?:(?=${japanese})${letter})(?:(?=${japanese})${letter}|\\p{M})*|(?:(?!${japanese})${letter})(?:(?!${japanese})${letter}|\\p{M})*|\\s+`,
  'gu',
)
const japaneseStart = new RegExp(`^(?=${japanese})${letter}`, 'u')
const lastAscii = 0x7f
const latinLetters = /\p{Script=Latin}/gu
const sign = { parts: 0, dropped: 1, letter: 2 } as const
/** By ASCII code, in lower case. */
const asciiSigns = Uint8Array.from({ length: 128 }, (_, code) => {
  const text = String.fromCharCode(code)
  return /[a-z0-9]/.test(text) ? sign.letter : /['`]/.test(text) ? sign.dropped : sign.parts
})
const spaces = /\s+/g

/** The text's words, folded, in their order; none for signs alone. */
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
    if (kind === sign.parts && word !== '') {
      words.push(word)
      word = ''
    }
  }
  return words
}

/** The same for any text; most are ASCII, for which there is a shorter way to the same words. */
function foldAny(text: string): string[] {
  const plain = text
    .replace(spacingAcutes, '')
    .normalize('NFKD')
    .replace(dropped, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(special, (found) => withoutDecomposition[found]!)
  const words: string[] = []
  let joins = false
  for (const piece of plain.match(pieces) ?? []) {
    const inJapanese = isJapanese(piece)
    if (inJapanese && joins) words[words.length - 1] += piece
    else if (piece.trim() !== '') words.push(piece)
    joins = inJapanese
  }
  return words
}

/** True for a folded word that is matched anywhere inside a word, not at its beginning alone. */
export const isJapanese = (word: string): boolean => word.charCodeAt(0) > lastAscii && japaneseStart.test(word)

export const countLatinLetters = (word: string): number => word.match(latinLetters)?.length ?? 0

/** The text as typed: equal here are texts that nobody can tell apart. */
export const asTyped = (text: string): string => text.normalize('NFC').trim()

/** A text of signs alone, for comparing: without width and spaces. */
export const foldSigns = (text: string): string => text.normalize('NFKC').replace(spaces, '')

const bracketsAtEnd = /\s*(?:\([^()]*\)|\[[^[\]]*\]|（[^（）]*）|［[^［］]*］|【[^【】]*】)\s*$/u

const closingBrackets = new Set(')]）］】')

/**
 * How many of the folded words stand in brackets at the text's end: `Fry (Red) [Foil]` has two. 0 where nothing would be left, or
 * where the bracket does not part words, as between Japanese letters.
 * @param words of the text, folded
 */
export function wordsInBrackets(text: string, words: readonly string[]): number {
  if (!closingBrackets.has(text.charAt(text.trimEnd().length - 1))) return 0
  let bare = text
  for (let end = bracketsAtEnd.exec(bare); end !== null; end = bracketsAtEnd.exec(bare)) bare = bare.slice(0, end.index)
  const before = fold(bare)
  return before.length > 0 && before.every((word, i) => word === words[i]) ? words.length - before.length : 0
}

/** For comparing names whole: one of signs alone is equal to itself, and to no other. */
export const foldName = (text: string): string => fold(text).join(' ') || foldSigns(text)

const zerosBeforeDigit = /^0+(?=\d)/

/** A collector's number: `4`, `004` and `4/102` are one; `SV001` and `SV1` are not. */
export function foldNumber(text: string): string {
  const slash = text.indexOf('/')
  const number = slash === -1 ? text : text.slice(0, slash)
  return foldCase(number.startsWith('0') ? number.replace(zerosBeforeDigit, '') : number)
}

/** Set codes, set names and rarities are compared whole, without case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase()
