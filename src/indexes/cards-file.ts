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
 *
 * What holds: the offsets go from 0 to the run's end; a record has its card's number, and a length that fits it; all
 * three texts of a card start with the same id, which is one, and end as JSON objects do.
 */
import { idCharsMax, lineBytes } from '../limits.ts'
import { type Checking, checkOffsets, inSlices, must } from './checking.ts'
import { bytesColumn, type Column, type ColumnInPieces, decodeIndexFile, indexFilePieces, u32Column } from './format.ts'

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

/** What stands around the card in the answer of its details. */
export const cardStart = '{"data":'
export const cardEnd = '}'

/** What stands before the id in a text. */
export const itemStart = '{"id":"'
export const detailsStart = cardStart + itemStart

const kind = 'cards'
const columns = ['details', 'detailsAt', 'items', 'itemsAt', 'summaries', 'summariesAt']

/**
 * A card as it was rendered: its texts lie in a block's, in the order of `textOrder`, from the text `place * 3` on; `textsAt`
 * tells where each text starts, and where the last one ends.
 */
export interface RenderedCard {
  readonly block: { readonly texts: Uint8Array; readonly textsAt: Uint32Array }
  readonly place: number
}

export const textOrder = ['details', 'items', 'summaries'] as const satisfies (keyof CardsPart)[]
type TextName = (typeof textOrder)[number]

/** Which of a block's texts is the card's. */
export const textNumber = ({ place }: RenderedCard, name: TextName): number =>
  place * textOrder.length + textOrder.indexOf(name)

export function textBytes(card: RenderedCard, name: TextName): number {
  const { textsAt } = card.block
  const number = textNumber(card, name)
  return textsAt[number + 1]! - textsAt[number]!
}

/** Where each card's records and summary start in their runs, and where the last ones end. */
type CardsLayout = Readonly<Record<TextName, Uint32Array>>

export function layoutOf(cards: readonly RenderedCard[]): CardsLayout {
  const [details, items, summaries] = textOrder.map(() => new Uint32Array(cards.length + 1))
  cards.forEach((card, i) => {
    details![i + 1] = details![i]! + recordBytes(textBytes(card, 'details'))
    items![i + 1] = items![i]! + recordBytes(textBytes(card, 'items'))
    summaries![i + 1] = summaries![i]! + textBytes(card, 'summaries')
  })
  return { details: details!, items: items!, summaries: summaries! }
}

const recordBytes = (textBytes: number): number => Math.ceil((record.text + textBytes) / lineBytes) * lineBytes

/**
 * The pieces of a part's file; each is good until the next one is taken.
 * @param first the number of the first card
 * @param cards of the part, in card-number order
 */
export function writeCardsPart(
  first: number,
  cards: readonly RenderedCard[],
  layout = layoutOf(cards),
): Iterable<Uint8Array> {
  const run = (name: TextName, firstRecord?: number): Record<string, Column | ColumnInPieces> => ({
    [name]: { byteLength: layout[name].at(-1)!, pieces: runPieces(cards, name, layout[name], firstRecord) },
    [`${name}At`]: layout[name],
  })
  return indexFilePieces(kind, {}, { ...run('details', first), ...run('items', first), ...run('summaries') })
}

/** A run is laid together in memory of this size, over and over. */
const pieceBytes = 1024 * 1024

/** @param first of records, the number of the first card; undefined of plain texts */
function* runPieces(
  cards: readonly RenderedCard[],
  name: TextName,
  at: Uint32Array,
  first: number | undefined,
): Generator<Uint8Array> {
  const longest = at.reduce((most, start, i) => Math.max(most, at[i + 1]! - start || 0), 0)
  const piece = new Uint8Array(pieceBytes + longest)
  const view = new DataView(piece.buffer)
  let filled = 0
  for (let i = 0; i < cards.length; i++) {
    const card = cards[i]!
    const { texts, textsAt } = card.block
    const number = textNumber(card, name)
    const start = textsAt[number]!
    const end = textsAt[number + 1]!
    const size = at[i + 1]! - at[i]!
    let text = filled
    if (first !== undefined) {
      view.setUint32(filled + record.number * wordBytes, first + i, true)
      view.setUint32(filled + record.bytes * wordBytes, end - start, true)
      text += record.text
    }
    piece.set(texts.subarray(start, end), text)
    piece.fill(0, text + end - start, filled + size)
    filled += size
    if (filled < pieceBytes) continue
    yield piece.subarray(0, filled)
    filled = 0
  }
  yield piece.subarray(0, filled)
}

/** Throws IndexError. */
export function readCardsPart(bytes: Uint8Array): CardsPart {
  const file = decodeIndexFile(kind, bytes, columns)
  const texts = (name: string): Texts => ({ bytes: bytesColumn(file, name), at: u32Column(file, `${name}At`) })
  return { details: texts('details'), items: texts('items'), summaries: texts('summaries') }
}

const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const quote = 0x22
const objectEnd = 0x7d
/** By byte: whether an id may hold it. */
const isIdByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[a-z0-9._~-]/.test(String.fromCharCode(byte))))

/**
 * @param first the number of the part's first card
 * @param count how many cards it has
 */
export function* checkCardsPart({ details, items, summaries }: CardsPart, first: number, count: number): Checking {
  yield* checkRecords('details', details, first, count, '}}')
  yield* checkRecords('items', items, first, count, '}')
  yield* checkOffsets('summariesAt', summaries.at, count, summaries.bytes.length)
  const detailsText = record.text + detailsStart.length
  const itemText = record.text + itemStart.length
  const detailsBeginning = Buffer.from(detailsStart)
  const itemBeginning = Buffer.from(itemStart)
  const check = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const detailsAt = details.at[i]!
      const itemAt = items.at[i]!
      const summaryAt = summaries.at[i]!
      const end = summaries.at[i + 1]!
      const begin =
        startsWith(details.bytes, detailsAt + record.text, detailsBeginning) &&
        startsWith(items.bytes, itemAt + record.text, itemBeginning) &&
        startsWith(summaries.bytes, summaryAt, itemBeginning)
      if (!begin) must(false, 'texts begin with an id')
      const idBytes = idBytesAt(details.bytes, detailsAt + detailsText)
      if (idBytes < 1 || idBytes > idCharsMax) must(false, 'ids are ids')
      const same =
        sameBytes(details.bytes, detailsAt + detailsText, items.bytes, itemAt + itemText, idBytes + 1) &&
        sameBytes(details.bytes, detailsAt + detailsText, summaries.bytes, summaryAt + itemStart.length, idBytes + 1)
      if (!same) must(false, 'the texts of a card have the same id')
      if (summaryAt + itemStart.length + idBytes + 1 >= end || summaries.bytes[end - 1] !== objectEnd) {
        must(false, 'summaries end as objects do')
      }
    }
  }
  yield* inSlices(count, check, 100)
}

/** @param ending of each text */
function* checkRecords(name: string, { bytes, at }: Texts, first: number, count: number, ending: string): Checking {
  yield* checkOffsets(`${name}At`, at, count, bytes.length)
  must(bytes.length % lineBytes === 0, `${name} takes whole lines`)
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / wordBytes)
  const check = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const start = at[i]!
      const taken = at[i + 1]! - start
      if (start % lineBytes !== 0) must(false, `${name} start on a line`)
      if (taken === 0 || words[start / wordBytes + record.number] !== first + i) {
        must(false, `${name} have their cards' numbers`)
      }
      const size = record.text + words[start / wordBytes + record.bytes]!
      if (size > taken || size + lineBytes <= taken) must(false, `${name} have their lengths`)
      for (let k = 0; k < ending.length; k++) {
        if (bytes[start + size - ending.length + k] !== ending.charCodeAt(k)) must(false, `${name} end as objects do`)
      }
    }
  }
  yield* inSlices(count, check, 20)
}

function startsWith(bytes: Uint8Array, at: number, beginning: Uint8Array): boolean {
  return sameBytes(bytes, at, beginning, 0, beginning.length)
}

function sameBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aAt + i] !== b[bAt + i]) return false
  return true
}

/** The length of the id that stands there and ends with a quotation mark, -1 if there is none. */
export function idBytesAt(bytes: Uint8Array, start: number): number {
  let at = start
  while (isIdByte[bytes[at]!] === 1) at++
  return bytes[at] === quote ? at - start : -1
}
