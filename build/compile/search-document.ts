/** The input of search, lists and the order of cards, read from the cards' rendered texts. */
import { cardStart, textBytes, textOrder } from '../../src/indexes/cards-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { bytesWithPhrases, marketsStart, withoutPhrases, writePhrases } from '../../src/indexes/phrases.ts'
import type { Card } from './card-block.ts'
import type { TextsFile } from './texts-file.ts'

export interface SearchDocument {
  /** In the snapshot's files. */
  readonly position: number
  readonly id: string
  readonly name: string
  readonly game: number
  /** The index of its set in list order. */
  readonly setNumber: number
  readonly number: string | null
  readonly rarity: string | null
  /** Cents, null if unknown. */
  readonly market: number | null
  readonly tcgplayerId: number | null
  readonly cardmarketId: number | null
  readonly printing: string | null
  readonly scryfallId: string | null
  readonly mtgjsonId: string | null
}

/** Behind the fields that do not change with prices. No text can hold it: a quotation mark in a text has a backslash before it. */
const fingerprintedEnd = Buffer.from(',"image":')

/** The span of a card's details that does not change with prices: all up to its image. */
export function fingerprintedFields(texts: Buffer, detailsAt: number): { start: number; end: number } {
  const start = detailsAt + cardStart.length
  return { start, end: texts.indexOf(fingerprintedEnd, start) }
}

const extrasEnd = withoutPhrases(marketsStart).charCodeAt(0)

/** Where a card's extras begin to change with prices. */
export const fingerprintedExtrasEnd = (texts: Uint8Array, extrasAt: number): number =>
  texts.indexOf(extrasEnd, extrasAt)

/** @param cards in the order of files and lines */
export function searchDocuments(cards: readonly Card[], texts: TextsFile): SearchDocument[] {
  const documents: SearchDocument[] = []
  for (const { bytes, starts } of texts.read(cards, Uint32Array.from(cards.keys()))) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (const detailsAt of starts) {
      documents.push(searchDocument(cards[documents.length]!, documents.length, chunk, detailsAt))
    }
  }
  return documents
}

function searchDocument(card: Card, position: number, texts: Buffer, detailsAt: number): SearchDocument {
  const { block, row } = card
  const { start, end } = fingerprintedFields(texts, detailsAt)
  const { id, name, number, rarity } = JSON.parse(`${texts.toString('utf8', start, end)}}`) as SearchDocument
  let extrasAt = detailsAt
  for (const name of textOrder) if (name !== 'extras') extrasAt += textBytes(card, name)
  const extrasEnd = fingerprintedExtrasEnd(texts, extrasAt)
  const extras = Buffer.alloc(bytesWithPhrases(texts, extrasAt, extrasEnd))
  writePhrases(texts, extrasAt, extrasEnd, extras, 0)
  const ids = JSON.parse(`{${extras.toString('utf8', ','.length)}}`) as SearchDocument
  const { printing, tcgplayerId, scryfallId, mtgjsonId, cardmarketId } = ids
  const market = block.markets[row]!
  return {
    ...{ position, id, name, game: block.games[row]!, setNumber: block.sets[row]!, number, rarity },
    ...{ market: market === noPrice ? null : market, tcgplayerId, printing, scryfallId, mtgjsonId, cardmarketId },
  }
}
