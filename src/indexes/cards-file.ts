/**
 * `cards-000.msgpack`, `cards-001.msgpack`, …: what is sent of each card, already rendered. A part holds the
 * 131,072 cards from `partCards * part` on (the last one: fewer), in card-number order, as three runs of bytes:
 *
 *   details    │ number, bytes │ {"data":{"id":"…",…}} │ padding │   the whole answer of GET /v1/cards/{id}
 *   items      │ number, bytes │ {"id":"…",…}          │ padding │   an item of a batch
 *   summaries  {"id":"…","name":"…",…}                              an item of a search page
 *
 * and for each run the offsets `…At`: text i is bytes[at[i]] up to bytes[at[i + 1]]. What is looked up by id is a record:
 * two 32-bit numbers before the text, so that a look-up needs no offsets, and padding to whole cache lines: a record
 * takes as few of them as it can, since each is waited for.
 */
import { lineBytes } from '../limits.ts'
import { bytesColumn, type Column, decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'

/** Texts one after the other, found by number. */
export interface Texts {
  readonly bytes: Uint8Array
  /** One more entry than there are texts. */
  readonly at: Uint32Array
}

export interface CardsPart {
  readonly details: Texts
  readonly items: Texts
  readonly summaries: Texts
}

/** Where things are in a record: 32-bit numbers, then the text, in bytes. */
export const record = { number: 0, bytes: 1, text: 8 } as const

/** What stands before the id in a text. */
export const detailsStart = '{"data":{"id":"'
export const itemStart = '{"id":"'

const kind = 'cards'

/** @param first the number of the first card */
export function joinRecords(first: number, texts: readonly string[]): Texts {
  const records = texts.map((text, i) => {
    const size = record.text + Buffer.byteLength(text)
    const bytes = Buffer.alloc(Math.ceil(size / lineBytes) * lineBytes)
    bytes.writeUInt32LE(first + i, record.number * Uint32Array.BYTES_PER_ELEMENT)
    bytes.writeUInt32LE(size - record.text, record.bytes * Uint32Array.BYTES_PER_ELEMENT)
    bytes.write(text, record.text)
    return bytes
  })
  return join(records)
}

export const joinTexts = (texts: readonly string[]): Texts => join(texts.map((text) => Buffer.from(text)))

function join(pieces: readonly Buffer[]): Texts {
  const at = new Uint32Array(pieces.length + 1)
  pieces.forEach((piece, i) => {
    at[i + 1] = at[i]! + piece.length
  })
  return { bytes: Buffer.concat(pieces), at }
}

export function writeCardsPart({ details, items, summaries }: CardsPart): Uint8Array[] {
  const columns = {
    ...textColumns('details', details),
    ...textColumns('items', items),
    ...textColumns('summaries', summaries),
  }
  return encodeIndexFile(kind, {}, columns)
}

/** Throws IndexError. */
export function readCardsPart(bytes: Uint8Array): CardsPart {
  const file = decodeIndexFile(kind, bytes)
  const texts = (name: string): Texts => ({ bytes: bytesColumn(file, name), at: u32Column(file, `${name}At`) })
  return { details: texts('details'), items: texts('items'), summaries: texts('summaries') }
}

const textColumns = (name: string, texts: Texts): Record<string, Column> => ({
  [name]: texts.bytes,
  [`${name}At`]: texts.at,
})
