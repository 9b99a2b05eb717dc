/**
 * `cards-000.msgpack`, `cards-001.msgpack`, …: the rendered texts of each card. A part holds the
 * 131,072 cards from `partCards * part` on (the last one: fewer), in card-number order, as five runs of bytes:
 *
 *   details    │ number, bytes │ {"data":{"id":"…",…}} │ padding │   the body of GET /v1/cards/{id}
 *   items      │ number, bytes │ {"id":"…",…}          │ padding │   an item of a batch
 *   summaries  {"id":"…","name":"…",…}                              an item of a search page
 *   extras     ,"printing":…,…}                                     replaces the details' last `}}` in the extended view;
 *                                                                   characters stand for frequent texts (phrases.ts)
 *   rows       pokemon-base1-4,Charizard,pokemon,…                  a line of CSV
 *
 * and for each run the offsets `…At`: text i is bytes[at[i]] up to bytes[at[i + 1]]. Look-ups by id read records: two
 * 32-bit numbers before the text, so that a look-up needs no offsets, and padding to whole cache lines. A record takes as
 * few lines as possible, because a look-up waits for each.
 *
 * Invariants: the offsets go from 0 to the run's end; a record has its card's index and a length that fits; details, item
 * and summary of a card start with the same valid id; all texts end as JSON objects do.
 */
import { bytesColumn, type Columns, each, indexFile, lineBytes, noMeta, offsets, offsetsOf } from './format.ts'

/** Texts one after the other, found by number. */
export interface Texts {
  readonly bytes: Uint8Array
  /** One more entry than there are texts. */
  readonly at: Uint32Array
}

const textNames = ['details', 'items', 'summaries', 'extras', 'rows'] as const
type TextName = (typeof textNames)[number]

export type CardsPart = Readonly<Record<TextName, Texts>>

/** Offsets in a record: those of 32-bit numbers in numbers, that of the text in bytes. */
export const record = { number: 0, bytes: 1, text: 8 } as const

/** The texts around a card in its details. */
export const cardStart = '{"data":'
export const cardEnd = '}'

/** The text before an id. */
export const itemStart = '{"id":"'
export const detailsStart = cardStart + itemStart

const columns = Object.fromEntries(
  textNames.flatMap((name) => [
    [name, bytesColumn],
    [`${name}At`, each('cards', offsetsOf(name))],
  ]),
) as Record<TextName, typeof bytesColumn> & Record<`${TextName}At`, ReturnType<typeof offsetsOf>>

const { write, read } = indexFile('cards', columns, noMeta)

/** A card's texts as they were rendered. */
export type CardTexts = Readonly<Record<TextName, Uint8Array>>

/** The starts of these texts' records in their run, and the end of the last one. */
export const recordsAt = (texts: readonly Uint8Array[]): Uint32Array =>
  offsets(texts.map(({ length }) => Math.ceil((record.text + length) / lineBytes) * lineBytes))

/**
 * The pieces of a part's file.
 * @param first the number of the first card
 * @param cards in card-number order
 */
export function writeCardsPart(first: number, cards: readonly CardTexts[]): Uint8Array[] {
  const written = textNames.flatMap((name) => {
    const texts = cards.map((card) => card[name])
    const inRecords = name === 'details' || name === 'items'
    const at = inRecords ? recordsAt(texts) : offsets(texts.map(({ length }) => length))
    return [
      [name, inRecords ? recordsOf(first, texts, at) : Buffer.concat(texts)],
      [`${name}At`, at],
    ]
  })
  return write(Object.fromEntries(written) as Columns<typeof columns>)
}

function recordsOf(first: number, texts: readonly Uint8Array[], at: Uint32Array): Uint8Array {
  const records = Buffer.alloc(at.at(-1)!)
  for (const [i, text] of texts.entries()) {
    records.writeUInt32LE(first + i, at[i]! + record.number * wordBytes)
    records.writeUInt32LE(text.length, at[i]! + record.bytes * wordBytes)
    records.set(text, at[i]! + record.text)
  }
  return records
}

/** Throws IndexError. */
export function readCardsPart(bytes: Uint8Array): CardsPart {
  const file = read(bytes)
  const texts = (name: TextName): Texts => ({ bytes: file[name], at: file[`${name}At`] })
  return Object.fromEntries(textNames.map((name) => [name, texts(name)])) as CardsPart
}

const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const quote = 0x22
/** 1 for each byte that an id may hold, else 0. */
const isIdByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[a-z0-9._~-]/.test(String.fromCharCode(byte))))

/** The length of the id that stands there and ends with a quotation mark, -1 if there is none. */
export function idBytesAt(bytes: Uint8Array, start: number): number {
  let at = start
  while (isIdByte[bytes[at]!] === 1) at++
  return bytes[at] === quote ? at - start : -1
}
