/** The texts of cards and the tables that find them by id. */

import { dayOfDate } from '../../../src/calendar.ts'
import { cardsHead, csvField, lineEnd } from '../../../src/catalog/card-fields.ts'
import {
  type CardsPart,
  cardEnd,
  detailsStart,
  idBytesAt,
  itemStart,
  record,
  type Texts,
} from '../../../src/indexes/cards-file.ts'
import { lineBytes } from '../../../src/indexes/format.ts'
import { addSlot, idHash, placeOf } from '../../../src/indexes/ids-file.ts'
import { withPhrases } from '../../../src/indexes/phrases.ts'
import { idCharsMax } from '../../../src/limits.ts'
import { checkOffsets, each, must, startsWith } from './columns.ts'

export const extrasStart = ',"printing":'

/**
 * @param first the number of the part's first card
 * @param count how many cards it has
 * @returns the days of `updatedAt`, `noDay` if unknown
 */
export function checkCardsPart(
  { details, items, summaries, extras, rows }: CardsPart,
  first: number,
  count: number,
): number[] {
  const detailsTexts = checkRecords('details', details, first, count)
  const itemTexts = checkRecords('items', items, first, count)
  const summaryTexts = checkTexts('summaries', summaries, count)
  const extrasTexts = checkTexts('extras', extras, count).map(withPhrases)
  each(count, 'all texts of a card are JSON of one id', (i) => {
    const { data } = JSON.parse(detailsTexts[i]!)
    const [item, summary] = [JSON.parse(itemTexts[i]!), JSON.parse(summaryTexts[i]!)]
    const isId = idBytesAt(Buffer.from(`${data.id}"`), 0) === data.id.length && data.id.length <= idCharsMax
    return (
      isId &&
      detailsTexts[i]!.startsWith(`${detailsStart}${data.id}"`) &&
      itemTexts[i]!.startsWith(`${itemStart}${data.id}"`) &&
      summaryTexts[i]!.startsWith(`${itemStart}${data.id}"`) &&
      item.name === data.name &&
      summary.name === data.name
    )
  })
  const rowTexts = checkTexts('rows', rows, count)
  each(count, 'extras end a card, and its line of CSV has the same values', (i) => {
    const { data } = JSON.parse(detailsTexts[i]!.slice(0, -2) + extrasTexts[i]! + cardEnd)
    const values = { ...data, ...data.prices, ...data.prices?.conditions }
    const cells = cardsHead
      .trimEnd()
      .split(',')
      .map((field) => csvField(String(values[field] ?? '')))
    return extrasTexts[i]!.startsWith(extrasStart) && rowTexts[i] === cells.join() + lineEnd
  })
  return detailsTexts.map((text) => dayOfDate(JSON.parse(text).data.updatedAt?.slice(0, 10) ?? ''))
}

function checkTexts(name: string, { bytes, at }: Texts, count: number): string[] {
  must(at.length === count + 1, `${name} are of each card`)
  checkOffsets({ bytes, at }, { at: 'bytes' })
  const all = Buffer.from(bytes)
  return Array.from({ length: count }, (_, i) => all.toString('utf8', at[i], at[i + 1]))
}

/** @returns their texts */
function checkRecords(name: string, { bytes, at }: Texts, first: number, count: number): string[] {
  must(at.length === count + 1, `${name} are of each card`)
  checkOffsets({ bytes, at }, { at: 'bytes' })
  const all = Buffer.from(bytes)
  const texts: string[] = []
  each(count, `${name} have their cards' numbers, and lengths that fit whole lines`, (i) => {
    const [start, end] = [at[i]!, at[i + 1]!]
    const size = record.text + all.readUInt32LE(start + record.bytes * 4)
    texts.push(all.toString('utf8', start + record.text, start + size))
    const takes = Math.ceil(size / lineBytes) * lineBytes
    return all.readUInt32LE(start + record.number * 4) === first + i && start % lineBytes === 0 && end - start === takes
  })
  return texts
}

/** The table finds each record, and has nothing else. @param parts checked before */
export function checkSlots(name: 'details' | 'items', slots: Uint32Array, parts: readonly CardsPart[]): void {
  const count = parts.reduce((sum, part) => sum + part[name].at.length - 1, 0)
  must(Number.isInteger(Math.log2(slots.length)) && slots.length >= 2 * count, `${name} are a power of two, half empty`)
  must(slots.reduce((sum, slot) => sum + Number(slot !== 0), 0) === count, `${name} have a slot for each card`)
  const textStart = name === 'details' ? detailsStart : itemStart
  const alone = new Uint32Array(slots.length)
  parts.forEach(({ [name]: { bytes, at } }, part) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    each(at.length - 1, `${name} name each card's record`, (i) => {
      const idAt = at[i]! + record.text + textStart.length
      must(startsWith(bytes, at[i]! + record.text, textStart), `${name} begin with an id`)
      const hash = idHash(view, idAt, idBytesAt(bytes, idAt))
      const first = hash & (slots.length - 1)
      addSlot(alone, hash, placeOf(part, at[i]!))
      const entry = alone[first]!
      alone[first] = 0
      let slot = first
      while (slots[slot] !== 0 && slots[slot] !== entry) slot = (slot + 1) & (slots.length - 1)
      return slots[slot] === entry
    })
  })
}
