/**
 * `cards-000.msgpack`, `cards-001.msgpack`, …: the rendered texts of each card. A part has 131,072 cards, by card index
 * from `partCards * part` on; the last part has fewer. The texts are five runs of bytes:
 *
 *   details    │ index, length │ {"data":{"id":"…",…}} │ padding │   the body of GET /v1/cards/{id}
 *   items      │ index, length │ {"id":"…",…}          │ padding │   an item of a batch
 *   summaries  {"id":"…","name":"…",…}                              an item of a search page
 *   extras     ,"printing":…,…}                                     replaces the details' last `}}` in the extended
 *                                                                   view; a character stands for each phrase
 *                                                                   (phrases.ts)
 *   rows       pokemon-base1-4,Charizard,pokemon,…                  a line of CSV
 *
 * Each run has offsets, `…At`: text i is bytes[at[i]] up to bytes[at[i + 1]]. Details and items are records: the card's
 * index and the text's length as 32-bit numbers, the text, and padding to whole cache lines. So look-ups by id need no
 * offsets. A record takes as few cache lines as possible, because a look-up waits for each line.
 *
 * Invariants: the offsets go from 0 to the run's end. A record has its card's index, and its length is within the
 * record. Details, item and summary of a card start with the same valid id. They are whole JSON objects, and a row is
 * one line.
 */
import { bytesColumn, type Columns, indexFile, lineBytes, noMeta, offsets, u32Column } from './format.ts'

/** Texts in one run of bytes, and the offset of each. */
export interface Texts {
  readonly bytes: Uint8Array
  /** One more entry than there are texts. */
  readonly at: Uint32Array
}

const textNames = ['details', 'items', 'summaries', 'extras', 'rows'] as const
type TextName = (typeof textNames)[number]

export type CardsPart = Readonly<Record<TextName, Texts>>

/**
 * Where the fields of a record are. The card's index and the text's length are given as 32-bit words, the text as
 * bytes.
 */
export const record = { number: 0, bytes: 1, text: 8 } as const

/** The texts before and after a card in its details. */
export const cardStart = '{"data":'
export const cardEnd = '}'

/** The text before an id. */
export const itemStart = '{"id":"'
export const detailsStart = cardStart + itemStart

const columns = Object.fromEntries(
  textNames.flatMap((name) => [
    [name, bytesColumn],
    [`${name}At`, u32Column],
  ]),
) as Record<TextName, typeof bytesColumn> & Record<`${TextName}At`, typeof u32Column>

const { write, read } = indexFile('cards', columns, noMeta)

/** A card's texts as they were rendered. */
export type CardTexts = Readonly<Record<TextName, Uint8Array>>

/** Where the record of each text starts in its run, and where the last record ends. */
export const recordsAt = (texts: readonly Uint8Array[]): Uint32Array =>
  offsets(texts.map(({ length }) => Math.ceil((record.text + length) / lineBytes) * lineBytes))

/**
 * The pieces of a part's file.
 * @param first the index of the part's first card
 * @param cards by card index
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
/** 1 for each byte that an id may contain, else 0. */
const isIdByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[a-z0-9._~-]/.test(String.fromCharCode(byte))))

/** The length of the id from `start` up to a quotation mark; -1 if there is no such id. */
export function idBytesAt(bytes: Uint8Array, start: number): number {
  let at = start
  while (isIdByte[bytes[at]!] === 1) at++
  return bytes[at] === quote ? at - start : -1
}
