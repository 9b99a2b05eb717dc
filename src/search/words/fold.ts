/**
 * Folds names and queries for comparing: to words without case, accents, width and punctuation.
 *
 *   Urza's Saga       → urzas, saga          apostrophes are dropped, so that urzas and urza's are one word
 *   Blue-Eyes         → blue, eyes           other signs separate words
 *   カプ・コケコ      → カプコケコ           between Japanese letters, only spaces separate words
 *   リザードンｅｘ    → リザードン, ex       a change between Japanese and other letters separates words
 *   _____             →                      a text of signs has no words
 *
 * Voicing marks of kana stay (リザ is not リサ): they are composed again after accents are removed.
 */

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
/** Japanese letters, other letters and digits, or spaces; no signs. */
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

/** The text's folded words, in their order; none for a text of signs. */
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

/** The same for any text. Most are ASCII, which `fold` handles faster. */
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

/** True for a folded word that may match anywhere inside a word, not only at its beginning. */
export const isJapanese = (word: string): boolean => word.charCodeAt(0) > lastAscii && japaneseStart.test(word)

export const countLatinLetters = (word: string): number => word.match(latinLetters)?.length ?? 0

/** The text as typed, normalized so that texts that look the same are equal. */
export const asTyped = (text: string): string => text.normalize('NFC').trim()

/** Folds a text of signs: without width and spaces. */
export const foldSigns = (text: string): string => text.normalize('NFKC').replace(spaces, '')

const bracketsAtEnd = /\s*(?:\([^()]*\)|\[[^[\]]*\]|（[^（）]*）|［[^［］]*］|【[^【】]*】)\s*$/u

const closingBrackets = new Set(')]）］】')

/**
 * How many of the folded words are in brackets at the text's end: `Fry (Red) [Foil]` has two. 0 if no word would be left, or
 * if the bracket does not separate words, as between Japanese letters.
 * @param words of the text, folded
 */
export function wordsInBrackets(text: string, words: readonly string[]): number {
  if (!closingBrackets.has(text.charAt(text.trimEnd().length - 1))) return 0
  let bare = text
  for (let end = bracketsAtEnd.exec(bare); end !== null; end = bracketsAtEnd.exec(bare)) bare = bare.slice(0, end.index)
  const before = fold(bare)
  return before.length > 0 && before.every((word, i) => word === words[i]) ? words.length - before.length : 0
}

/** Folds a name for comparing as a whole. A name of signs equals only itself. */
export const foldName = (text: string): string => fold(text).join(' ') || foldSigns(text)

const zerosBeforeDigit = /^0+(?=\d)/

/** Folds a collector's number: `4`, `004` and `4/102` are equal; `SV001` and `SV1` are not. */
export function foldNumber(text: string): string {
  const slash = text.indexOf('/')
  const number = slash === -1 ? text : text.slice(0, slash)
  return foldCase(number.startsWith('0') ? number.replace(zerosBeforeDigit, '') : number)
}

/** Folds set codes, set names and rarities, which are compared as a whole, without case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase()
