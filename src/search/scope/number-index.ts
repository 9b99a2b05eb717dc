/** Finds the index of a collector's number or an external id, by binary search. */
import { endOf } from '../../indexes/bounds.ts'
import { compareUuids, type ListsFile, numbersOfUuid, uuidNumbers } from '../../indexes/lists-file.ts'
import { foldNumber } from '../../names/numbers.ts'

/** The index of the collector's number, folded or not; -1 if no card has it. */
export const numberIndex = ({ numberText, numberTextAt }: ListsFile, number: string): number =>
  textIndex(numberText, numberTextAt, foldNumber(number))

/** The index of the text in a column of ascending texts; -1 if the column does not have the text. */
export function textIndex(text: Uint16Array, textAt: Uint32Array, wanted: string): number {
  const place = firstFrom(text, textAt, wanted)
  const isThere = place < textAt.length - 1 && compareText(text, textAt[place]!, textAt[place + 1]!, wanted) === 0
  return isThere ? place : -1
}

/** The index of the first text of the column that equals `other` or comes after it. */
export const firstFrom = (text: Uint16Array, textAt: Uint32Array, other: string): number =>
  firstWhere(textAt.length - 1, (at) => compareText(text, textAt[at]!, textAt[at + 1]!, other) >= 0)

/** The folded text of the collector's number with this index; null for the index that cards without a number have. */
export function numberText({ numberText, numberTextAt }: ListsFile, index: number): string | null {
  if (index === numberTextAt.length - 1) return null
  const end = endOf(numberTextAt, index, numberText.length)
  let text = ''
  // For texts as short as these, a loop takes a tenth of the time of a Buffer.
  for (let i = numberTextAt[index]!; i < end; i++) text += String.fromCharCode(numberText[i]!)
  return text
}

/**
 * Negative if the text from `start` up to `end` comes before `other`, 0 if both are equal, positive if it comes after.
 */
export function compareText(text: Uint16Array, start: number, end: number, other: string): number {
  const length = Math.min(end - start, other.length)
  for (let i = 0; i < length; i++) {
    const difference = text[start + i]! - other.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return end - start - other.length
}

/** The index of the id in `ids`, -1 if it is not there. @param ids ascending */
export function idIndex(ids: Float64Array, id: number): number {
  const place = firstWhere(ids.length, (at) => ids[at]! >= id)
  return ids[place] === id ? place : -1
}

/** The index of the UUID in `uuids`, -1 if it is not there. */
export function uuidIndex(uuids: Uint32Array, uuid: string): number {
  const asked = numbersOfUuid(uuid)
  const count = uuids.length / uuidNumbers
  const place = firstWhere(count, (at) => compareUuids(uuids, at, asked) >= 0)
  return place < count && compareUuids(uuids, place, asked) === 0 ? place : -1
}

/**
 * The first number below `count` for which `holds` is true; `count` if there is none. Once true, `holds` must stay
 * true.
 */
export function firstWhere(count: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
