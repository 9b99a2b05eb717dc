/** Turns names and numbers as printed by sources into those of cards. */
import { decodeHTMLStrict } from 'entities'
import { compareTexts } from '../../../src/text-order.ts'

/** Tags that break a line separate words; all others may be within a word. */
const lineTag = /<\/?(?:br|p|div|li|ul|ol|hr|tr|td)\b[^<>]*>/gi
const tag = /<\/?[a-z][^<>]*>/gi

/** Decodes entities once, removes tags and double spaces. */
export function plainText(text: string): string {
  const decoded = text.includes('&') ? decodeHTMLStrict(text) : text
  const untagged = decoded.includes('<') ? decoded.replace(lineTag, ' ').replace(tag, '') : decoded
  return untagged.replace(/\s+/g, ' ').trim()
}

const pair = /^([^\s/]+) ?\/ ?[^\s/]+$/

/** A card's number: of a pair `139/195` the part before the slash; null if unknown. */
export function numberOf(printed: string): string | null {
  const text = plainText(printed)
  if (text === '' || /^n\/a$/i.test(text)) return null
  return pair.exec(text)?.[1] ?? text
}

/** Without slashes and what follows them, and without leading zeros, in lower case. */
function bare(text: string): string {
  const unslashed = text.includes('/') ? text.replace(/ ?\/\S*/g, '') : text
  const unpadded = unslashed.includes('0') ? unslashed.replace(/(^|\D)0+(?=\d)/g, '$1') : unslashed
  return unpadded.toLowerCase().trim()
}

const mayHoldNumber = /[([]| - /

/**
 * The name without the card's own number, which is in one of four places:
 *
 *   Squirtle - 063/100        Janine's Secret Art - 112/131 (Poke Ball Pattern)
 *   Steelix (H29)             Skarmory EX (145 Full Art)
 *
 * Other numbers stay, and other words in brackets.
 */
export function withoutNumber(name: string, printedNumber: string | null): string {
  if (printedNumber === null || !mayHoldNumber.test(name)) return name
  const number = plainText(printedNumber)
  if (numberOf(number) === null) return name
  const own = new Set([
    bare(number),
    bare(number.slice(number.lastIndexOf('-', slashOf(number)) + 1)),
    bare(number.slice(0, slashOf(number))),
  ])
  own.delete('')
  const isOwn = (text: string): boolean => own.has(bare(text))

  const undashed = name.replace(/ - ([^()[\]]+?)(?= - |\s*[([]|$)/g, (whole, text: string) =>
    isOwn(text) ? '' : whole,
  )
  const rest = undashed.replace(/\s*([([])([^()[\]]*)([)\]])/g, (whole, open: string, text: string, close: string) => {
    if (isOwn(text)) return ''
    const words = text.split(' ')
    for (let count = 1; count < words.length; count++) {
      if (isOwn(words.slice(0, count).join(' '))) return ` ${open}${words.slice(count).join(' ')}${close}`
    }
    return whole
  })
  return rest.replace(/\s+/g, ' ').trim() || name
}

const slashOf = (number: string): number => (number.includes('/') ? number.indexOf('/') : number.length)

/** `Normal` first, then by name. */
export const bySubType = (a: string, b: string): number => {
  if (a === b) return 0
  if (a === normal) return -1
  if (b === normal) return 1
  return compareTexts(a, b)
}

export const normal = 'Normal'

/** The name with the sub-type in square brackets, if its product has several. */
export const printingName = (name: string, subType: string | null, hasSeveral: boolean): string =>
  hasSeveral && subType !== null && subType !== normal ? `${name} [${subType}]` : name
