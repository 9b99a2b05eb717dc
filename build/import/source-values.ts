/** Values that several sources have: printed names and numbers, ids, days, and addresses. */
import { decodeHTMLStrict } from 'entities'
import * as v from 'valibot'
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../src/calendar.ts'
import { historyDateMax, historyDateMin } from '../../src/limits.ts'
import { printedNumber } from '../../src/names/numbers.ts'
import { compareTexts } from '../../src/text-order.ts'
import { wellFormed } from '../read/snapshot-schema.ts'

/**
 * An id of MTGJSON or Scryfall, which is a UUID. It is a part of a line of ids.ndjson, and may become a part of a
 * card's id.
 */
export const sourceId = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][\w .-]{0,63}$/i, 'must be a letter or digit, and at most 63 more, dots or hyphens'),
)

export const optionalText = v.nullish(v.pipe(v.string('must be a string or null'), wellFormed), null)

const notWhole = 'must be a whole number above 0'
export const wholeNumber = v.pipe(v.number(notWhole), v.safeInteger(notWhole), v.minValue(1, notWhole))

/**
 * The day of a date or time that begins with YYYY-MM-DD. Null if the text is not a date, or if the day is outside of a
 * history's bounds.
 */
export function dayOfText(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10)
  return day !== undefined && dayOfDate(day) !== noDay && day >= historyDateMin && day <= historyDateMax ? day : null
}

/** Tomorrow is accepted, since a clock or a time zone may be off by a day. */
export const isAfterTomorrow = (day: string): boolean => day > dateOfDay(dayOfMs(Date.now()) + 1)

export const dayOfTime = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * The address of an image; null if the text is not a web address. With a base, it is the base and the image's file
 * name.
 */
export function imageOf(address: string | null | undefined, base: string | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null
  if (base === undefined) return address
  const name = new URL(address).pathname.split('/').at(-1)
  return name ? `${base.replace(/\/$/, '')}/${name}` : null
}

/**
 * These tags break a line, so they separate words. All other tags may be within a word. A single capital is part of a
 * name: `Maliss <P> White Rabbit`.
 */
const lineTag = /<\/?(?:br|p|div|li|ul|ol|hr|tr|td|BR|DIV|LI|UL|OL|HR|TR|TD)\b[^<>]*>/g
const tag = /<\/?(?:[a-z][a-z0-9]*|[A-Z]{2,}[0-9]?)\b[^<>]*>/g

/** Decodes entities once, removes tags, and joins white space. */
export function plainText(text: string): string {
  const decoded = text.includes('&') ? decodeHTMLStrict(text) : text
  const untagged = decoded.includes('<') ? decoded.replace(lineTag, ' ').replace(tag, '') : decoded
  return untagged.replace(/\s+/g, ' ').trim()
}

/** A card's number: the part before the slash, if it is printed as `139/195`; null if unknown. */
export const numberOf = (printed: string): string | null => printedNumber(plainText(printed))

/** Sorts `Normal` first, then by name. */
export const bySubType = (a: string, b: string): number => {
  if (a === b) return 0
  if (a === normal) return -1
  if (b === normal) return 1
  return compareTexts(a, b)
}

export const normal = 'Normal'

/** The card's name. If its product has several sub-types, the sub-type follows in square brackets, except `Normal`. */
export const printingName = (name: string, subType: string | null, hasSeveral: boolean): string =>
  hasSeveral && subType !== null && subType !== normal ? `${name} [${subType}]` : name
