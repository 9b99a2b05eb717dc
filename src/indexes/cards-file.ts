/**
 * `cards-000.msgpack`, `cards-001.msgpack`, …: what is sent of each card, already rendered. A part holds the
 * 131,072 cards from `partCards * part` on (the last one: fewer), in card-number order, as three runs of bytes:
 *
 *   details    {"data":{"id":"…","name":"…",…}}   the whole answer of GET /v1/cards/{id}
 *   summaries  {"id":"…","name":"…",…}            an item of a search page
 *   items      {"id":"…","name":"…",…}            an item of a batch
 *
 * and for each run the offsets `…At`: the text of the part's card i is bytes[at[i]] up to bytes[at[i + 1]].
 */
import { bytesColumn, type Column, decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'

/** Texts one after the other, found by number. */
export interface Texts {
  readonly bytes: Uint8Array
  /** One more entry than there are texts. */
  readonly at: Uint32Array
}

export interface CardsPart {
  readonly details: Texts
  readonly summaries: Texts
  readonly items: Texts
}

/** Where a card's id starts in its details, and in its item. */
export const detailsIdStart = '{"data":{"id":"'.length
export const itemsIdStart = '{"id":"'.length

const kind = 'cards'

export function writeCardsPart(part: CardsPart): Uint8Array[] {
  return encodeIndexFile(
    kind,
    {},
    {
      ...textColumns('details', part.details),
      ...textColumns('summaries', part.summaries),
      ...textColumns('items', part.items),
    },
  )
}

/** Throws IndexError. */
export function readCardsPart(bytes: Uint8Array): CardsPart {
  const file = decodeIndexFile(kind, bytes)
  const texts = (name: string): Texts => ({ bytes: bytesColumn(file, name), at: u32Column(file, `${name}At`) })
  return { details: texts('details'), summaries: texts('summaries'), items: texts('items') }
}

const textColumns = (name: string, texts: Texts): Record<string, Column> => ({
  [name]: texts.bytes,
  [`${name}At`]: texts.at,
})
