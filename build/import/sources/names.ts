/** Turns names and numbers as printed by sources into those of cards. */
import { decodeHTMLStrict } from 'entities'
import { printedNumber } from '../../../src/names/numbers.ts'
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

/** A card's number: of a pair `139/195` the part before the slash; null if unknown. */
export const numberOf = (printed: string): string | null => printedNumber(plainText(printed))

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
