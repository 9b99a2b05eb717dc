/** What search, lists and the order of cards are compiled from, read in the cards' details. */
import { cardStart, textBytes, textOrder } from '../../src/indexes/cards-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import type { Card } from '../read/cards-and-sets.ts'
import type { TextsFile } from './texts-file.ts'

export interface SearchDocument {
  /** Where it stands in the files. */
  readonly place: number
  readonly id: string
  readonly name: string
  readonly game: number
  /** The place of its set in the list of sets. */
  readonly setNumber: number
  readonly number: string | null
  readonly rarity: string | null
  /** Cents, null if unknown. */
  readonly market: number | null
  readonly tcgplayerId: number | null
  readonly printing: string | null
  readonly scryfallId: string | null
  readonly mtgjsonId: string | null
}

/** What follows all that does not move with prices. A text has no quotation mark without a backslash before it. */
const steadyEnd = Buffer.from(',"image":')

/** Where of a card's details, which start there, the fields lie that do not move with prices: all up to its image. */
export function fingerprintedFields(texts: Buffer, detailsAt: number): { start: number; end: number } {
  const start = detailsAt + cardStart.length
  return { start, end: texts.indexOf(steadyEnd, start) }
}

/**
 * All cards, read again in their texts.
 * @param cards in the order of files and lines
 */
export function describeAll(cards: readonly Card[], texts: TextsFile): SearchDocument[] {
  const described: SearchDocument[] = []
  for (const { bytes, starts } of texts.read(cards, Uint32Array.from(cards.keys()))) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (const detailsAt of starts) {
      described.push(describe(cards[described.length]!, described.length, chunk, detailsAt))
    }
  }
  return described
}

function describe(card: Card, place: number, texts: Buffer, detailsAt: number): SearchDocument {
  const { block, place: row } = card
  const { start, end } = fingerprintedFields(texts, detailsAt)
  const { id, name, number, rarity } = JSON.parse(`${texts.toString('utf8', start, end)}}`) as SearchDocument
  let extrasAt = detailsAt
  for (const name of textOrder) if (name !== 'extras') extrasAt += textBytes(card, name)
  const extras = texts.toString('utf8', extrasAt + ','.length, extrasAt + textBytes(card, 'extras'))
  const { printing, tcgplayerId, scryfallId, mtgjsonId } = JSON.parse(`{${extras}`) as SearchDocument
  const market = block.markets[row]!
  return {
    ...{ place, id, name, game: block.games[row]!, setNumber: block.sets[row]!, number, rarity },
    ...{ market: market === noPrice ? null : market, tcgplayerId, printing, scryfallId, mtgjsonId },
  }
}
