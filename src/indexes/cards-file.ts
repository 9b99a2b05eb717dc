/**
 * `cards-000.msgpack`, `cards-001.msgpack`, …: the rendered texts of each card. A part holds the
 * 131,072 cards from `partCards * part` on (the last one: fewer), in card-number order, as four runs of bytes:
 *
 *   details    │ number, bytes │ {"data":{"id":"…",…}} │ padding │   the body of GET /v1/cards/{id}
 *   items      │ number, bytes │ {"id":"…",…}          │ padding │   an item of a batch
 *   summaries  {"id":"…","name":"…",…}                              an item of a search page
 *   extras     ,"printing":…,…}                                     replaces the details' last `}}` in the extended view;
 *                                                                   characters stand for frequent texts (phrases.ts)
 *
 * and for each run the offsets `…At`: text i is bytes[at[i]] up to bytes[at[i + 1]]. Look-ups by id read records: two
 * 32-bit numbers before the text, so that a look-up needs no offsets, and padding to whole cache lines. A record takes as
 * few lines as possible, because a look-up waits for each.
 *
 * Invariants: the offsets go from 0 to the run's end; a record has its card's number and a length that fits; details, item
 * and summary of a card start with the same valid id; all texts end as JSON objects do.
 */
import { lineBytes } from '../limits.ts'
import { bytesColumn, decodeIndexFile, indexFilePieces, noMeta, u32Column } from './format.ts'

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
  readonly extras: Texts
}

/** Offsets in a record: those of 32-bit numbers in numbers, that of the text in bytes. */
export const record = { number: 0, bytes: 1, text: 8 } as const

/** The texts around a card in its details. */
export const cardStart = '{"data":'
export const cardEnd = '}'

/** The text before an id. */
export const itemStart = '{"id":"'
export const detailsStart = cardStart + itemStart

const kind = 'cards'
const columns = {
  details: bytesColumn,
  detailsAt: u32Column,
  items: bytesColumn,
  itemsAt: u32Column,
  summaries: bytesColumn,
  summariesAt: u32Column,
  extras: bytesColumn,
  extrasAt: u32Column,
}

/**
 * A card as it was rendered: its texts lie among a block's, one after the other in the order of `textOrder`, from the text
 * `row * 4` on; `textsAt` tells where each text starts, and where the last one ends.
 */
export interface RenderedCard {
  readonly block: { readonly textsAt: Uint32Array }
  readonly row: number
}

export const textOrder = ['details', 'items', 'summaries', 'extras'] as const satisfies (keyof CardsPart)[]
type TextName = (typeof textOrder)[number]

/** Which of a block's texts is the card's. */
export const textNumber = ({ row }: RenderedCard, name: TextName): number =>
  row * textOrder.length + textOrder.indexOf(name)

export function textBytes(card: RenderedCard, name: TextName): number {
  const { textsAt } = card.block
  const number = textNumber(card, name)
  return textsAt[number + 1]! - textsAt[number]!
}

/** The texts of some cards: those of card i lie from `starts[i]` on. */
export interface TextsOfCards<Card extends RenderedCard = RenderedCard> {
  readonly cards: readonly Card[]
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
}

/** Where each card's records and summary start in their runs, and where the last ones end. */
type CardsLayout = Readonly<Record<TextName, Uint32Array>>

export function layoutOf(cards: readonly RenderedCard[]): CardsLayout {
  const [details, items, summaries, extras] = textOrder.map(() => new Uint32Array(cards.length + 1))
  cards.forEach((card, i) => {
    details![i + 1] = details![i]! + recordBytes(textBytes(card, 'details'))
    items![i + 1] = items![i]! + recordBytes(textBytes(card, 'items'))
    summaries![i + 1] = summaries![i]! + textBytes(card, 'summaries')
    extras![i + 1] = extras![i]! + textBytes(card, 'extras')
  })
  return { details: details!, items: items!, summaries: summaries!, extras: extras! }
}

const recordBytes = (textBytes: number): number => Math.ceil((record.text + textBytes) / lineBytes) * lineBytes

/**
 * The pieces of a part's file; each is good until the next one is taken. Texts are taken once: all but
 * the details wait in memory until the details, of which there is more, are through.
 * @param first the number of the first card
 * @param texts of the part's cards, in card-number order
 * @param room for what waits, of `roomFor` bytes or more
 */
export function writeCardsPart(
  first: number,
  layout: CardsLayout,
  texts: Iterable<TextsOfCards>,
  room = new ArrayBuffer(roomFor(layout)),
): Iterable<Uint8Array> {
  const itemsBytes = layout.items.at(-1)!
  const items = new Uint8Array(room, 0, itemsBytes)
  const summariesBytes = layout.summaries.at(-1)!
  const summaries = new Uint8Array(room, itemsBytes, summariesBytes)
  const extras = new Uint8Array(room, itemsBytes + summariesBytes, layout.extras.at(-1)!)
  const details = {
    byteLength: layout.details.at(-1)!,
    pieces: detailsPieces(first, layout, texts, { items, summaries, extras }),
  }
  return indexFilePieces(
    kind,
    {},
    {
      ...{ details, detailsAt: layout.details, items, itemsAt: layout.items },
      ...{ summaries, summariesAt: layout.summaries, extras, extrasAt: layout.extras },
    },
  )
}

export const roomFor = ({ items, summaries, extras }: CardsLayout): number =>
  items.at(-1)! + summaries.at(-1)! + extras.at(-1)!

function* detailsPieces(
  first: number,
  layout: CardsLayout,
  texts: Iterable<TextsOfCards>,
  { items, summaries, extras }: Readonly<Record<'items' | 'summaries' | 'extras', Uint8Array<ArrayBuffer>>>,
): Generator<Uint8Array> {
  const putItem = recordWriter(items)
  let room = new Uint8Array(0)
  let i = 0
  for (const { cards, bytes, starts } of texts) {
    const start = layout.details[i]!
    const size = layout.details[i + cards.length]! - start
    if (room.length < size) room = new Uint8Array(size)
    const putDetails = recordWriter(room)
    cards.forEach((card, k) => {
      const detailsEnd = starts[k]! + textBytes(card, 'details')
      const itemEnd = detailsEnd + textBytes(card, 'items')
      const summaryEnd = itemEnd + textBytes(card, 'summaries')
      const end = layout.details[i + 1]! - start
      putDetails(layout.details[i]! - start, end, first + i, bytes.subarray(starts[k]!, detailsEnd))
      putItem(layout.items[i]!, layout.items[i + 1]!, first + i, bytes.subarray(detailsEnd, itemEnd))
      summaries.set(bytes.subarray(itemEnd, summaryEnd), layout.summaries[i]!)
      extras.set(bytes.subarray(summaryEnd, summaryEnd + textBytes(card, 'extras')), layout.extras[i]!)
      i++
    })
    yield room.subarray(0, size)
  }
}

/** Puts a record of that number and text there, from `start` up to `end`. */
function recordWriter(room: Uint8Array<ArrayBuffer>) {
  const numbers = new DataView(room.buffer, room.byteOffset, room.byteLength)
  return (start: number, end: number, number: number, text: Uint8Array): void => {
    numbers.setUint32(start + record.number * wordBytes, number, true)
    numbers.setUint32(start + record.bytes * wordBytes, text.length, true)
    room.set(text, start + record.text)
    room.fill(0, start + record.text + text.length, end)
  }
}

/** Throws IndexError. */
export function readCardsPart(bytes: Uint8Array): CardsPart {
  const file = decodeIndexFile(kind, bytes, columns, noMeta)
  const texts = (name: TextName): Texts => ({ bytes: file[name], at: file[`${name}At`] })
  return { details: texts('details'), items: texts('items'), summaries: texts('summaries'), extras: texts('extras') }
}

const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const quote = 0x22
/** By byte: whether an id may hold it. */
const isIdByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[a-z0-9._~-]/.test(String.fromCharCode(byte))))

/** The length of the id that stands there and ends with a quotation mark, -1 if there is none. */
export function idBytesAt(bytes: Uint8Array, start: number): number {
  let at = start
  while (isIdByte[bytes[at]!] === 1) at++
  return bytes[at] === quote ? at - start : -1
}
