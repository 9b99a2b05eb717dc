/** Values that several sources have: names and numbers as they are printed, ids, days, addresses. */
import { decodeHTMLStrict } from 'entities'
import * as v from 'valibot'
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../../src/calendar.ts'
import { historyDateMax, historyDateMin } from '../../../src/limits.ts'
import { printedNumber } from '../../../src/names/numbers.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { wellFormed } from '../../read/snapshot-schema.ts'

/** MTGJSON's and Scryfall's ids are UUIDs. Each is a part of a line of ids.ndjson, and may become a part of an id. */
export const sourceId = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][\w .-]{0,63}$/i, 'must be a letter or digit, and at most 63 more, dots or hyphens'),
)

export const optionalText = v.nullish(v.pipe(v.string('must be a string or null'), wellFormed), null)

const notWhole = 'must be a whole number above 0'
export const wholeNumber = v.pipe(v.number(notWhole), v.safeInteger(notWhole), v.minValue(1, notWhole))

/** The day of a date or time YYYY-MM-DD…; null if it is none, or no day that a history may have. */
export function dayOfText(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10)
  return day !== undefined && dayOfDate(day) !== noDay && day >= historyDateMin && day <= historyDateMax ? day : null
}

/** A clock or a time zone may be off by a day. */
export const isAfterTomorrow = (day: string): boolean => day > dateOfDay(dayOfMs(Date.now()) + 1)

export const dayOfTime = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The address of an image; with a base, that and the file's name. Null if it is no web address. */
export function imageOf(address: string | null | undefined, base: string | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null
  if (base === undefined) return address
  const name = new URL(address).pathname.split('/').at(-1)
  return name ? `${base.replace(/\/$/, '')}/${name}` : null
}

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
