/** Collector's numbers: as they are printed, typed and compared, and as TCGplayer writes them into names. */
import { foldCase } from './fold.ts'

const zerosBeforeDigit = /^0+(?=\d)/
const numberSign = /^#\s*(?=\S)/
const beyondAscii = /[^\0-\x7f]/

/** Removes width, spaces around the number, and `#`. */
function plainNumber(text: string): string {
  const narrow = beyondAscii.test(text) ? text.normalize('NFKC') : text
  const trimmed = narrow.trim()
  return trimmed.startsWith('#') ? trimmed.replace(numberSign, '') : trimmed
}

const spacedSlash = /(?<=\p{N})\s*\/\s*(?=\p{L}*\p{N})/gu

/** Removes width, and spaces around the slashes of numbers: `4 / 102` becomes `4/102`. */
export function joinedNumbers(text: string): string {
  const narrow = beyondAscii.test(text) ? text.normalize('NFKC') : text
  return narrow.includes('/') ? narrow.replace(spacedSlash, '/') : narrow
}

/** Folds a collector's number: `4`, `004`, `#4`, `4/102`, `4 / 102` and `４` are equal; `SV001` and `SV1` are not. */
export function foldNumber(text: string): string {
  const plain = plainNumber(text)
  const slash = plain.indexOf('/')
  const number = slash === -1 ? plain : plain.slice(0, slash).trimEnd()
  return foldCase(number.startsWith('0') ? number.replace(zerosBeforeDigit, '') : number)
}

/** The total after the slash of `4/102`, folded like a number; undefined if there is no slash. */
export function totalOf(number: string): string | undefined {
  const plain = plainNumber(number)
  const slash = plain.indexOf('/')
  return slash === -1 ? undefined : foldNumber(plain.slice(slash + 1))
}

const pair = /^([^\s/]+) ?\/ ?[^\s/]+$/

/**
 * The collector's number in a source's text. For a pair such as `139/195`, it is the part before the slash. Null if it
 * is unknown.
 */
export function printedNumber(printed: string): string | null {
  if (printed === '' || /^n\/a$/i.test(printed)) return null
  return pair.exec(printed)?.[1] ?? printed
}

/** A slash and a total: `/102`, ` / SV122`, `/XY-P`, `/P`. The text after a total does not belong to it. */
const slashAndTotal = / ?\/ ?(?:\p{L}{0,4}\p{N}+|(?:\p{L}{1,3}-)?P\b)?/giu

/** Removes slashes with totals and leading zeros. Returns lower case. */
export function bareNumber(text: string): string {
  const unslashed = text.includes('/') ? text.replace(slashAndTotal, '') : text
  const unpadded = unslashed.includes('0') ? unslashed.replace(/(^|\D)0+(?=\d)/g, '$1') : unslashed
  return unpadded.toLowerCase().trim()
}

const slashOf = (number: string): number => (number.includes('/') ? number.indexOf('/') : number.length)

/**
 * The forms that a card's number may have in a name: the whole number, the part after its last hyphen, and the part
 * before its slash. Each form is bare (`bareNumber`).
 */
export function numberForms(number: string): Set<string> {
  const slash = slashOf(number)
  const behindHyphen = number.slice(number.lastIndexOf('-', slash) + 1)
  const forms = new Set([number, behindHyphen, number.slice(0, slash)].map(bareNumber))
  forms.delete('')
  return forms
}

const mayHoldNumber = /[([]| - /
const behindDash = / - ([^()[\]（）［］]+?)(?= - |\s*[([（［]|$)/g
const inBrackets = /\s*([([])([^()[\]]*)([)\]])/g
/** A number at the start of brackets has at most this many words: `099/102 & 100/102 SAR`. */
const numberWordsMax = 4

/**
 * The name without the card's own number, which is in one of four places:
 *
 *   Squirtle - 063/100        Janine's Secret Art - 112/131 (Poke Ball Pattern)
 *   Steelix (H29)             Skarmory EX (145 Full Art)
 *
 * Other numbers stay, and so do other words in brackets.
 * @param number the number as printed
 */
export function withoutNumber(name: string, number: string | null): string {
  if (number === null || !mayHoldNumber.test(name) || printedNumber(number) === null) return name
  const own = numberForms(number)
  const isOwn = (text: string): boolean => own.has(bareNumber(text))
  const undashed = name.replace(behindDash, (whole, text: string) => (isOwn(text) ? '' : whole))
  const rest = undashed.replace(inBrackets, (whole, open: string, text: string, close: string) => {
    if (isOwn(text)) return ''
    const words = text.split(' ')
    for (let count = 1; count < Math.min(words.length, numberWordsMax + 1); count++) {
      if (isOwn(words.slice(0, count).join(' '))) return ` ${open}${words.slice(count).join(' ')}${close}`
    }
    return whole
  })
  return rest.replace(/\s+/g, ' ').trim() || name
}

/** A card's number is near the end of its name, so only this many places there are examined. */
const numberPlacesMax = 4

/**
 * The parts of a name that `withoutNumber` would remove if they were the card's own number. It examines the last
 * `numberPlacesMax` texts after dashes, and the last `numberPlacesMax` texts in brackets.
 */
export function possibleNumbers(name: string): readonly string[] {
  if (!mayHoldNumber.test(name)) return []
  const parts = [...name.matchAll(behindDash)].slice(-numberPlacesMax).map(([, text]) => text!)
  for (const [, , inner] of [...name.matchAll(inBrackets)].slice(-numberPlacesMax)) {
    parts.push(inner!)
    const words = inner!.split(' ')
    for (let count = 1; count < Math.min(words.length, numberWordsMax + 1); count++)
      parts.push(words.slice(0, count).join(' '))
  }
  return parts
}
