/** The input of search, lists and the order of cards. The content fingerprint covers it. */
import { noPrice } from '../../src/indexes/lists-file.ts'
import type { CardRecord } from '../read/schema.ts'
import type { Card } from './card-block.ts'

/** A card's fields that do not change with prices, but those that only its texts show. */
type DocumentFields = Pick<
  CardRecord,
  'id' | 'name' | 'game' | 'setCode' | 'number' | 'rarity' | 'tcgplayerId' | 'printing' | 'scryfallId' | 'mtgjsonId'
>

export interface SearchDocument extends DocumentFields {
  /** In the snapshot's files. */
  readonly position: number
  /** The index of its set in list order. */
  readonly setNumber: number
  /** Cents, null if unknown. */
  readonly market: number | null
}

export function documentFields(card: CardRecord): DocumentFields {
  const { id, name, game, setCode, number, rarity, tcgplayerId, printing, scryfallId, mtgjsonId } = card
  return { id, name, game, setCode, number, rarity, tcgplayerId, printing, scryfallId, mtgjsonId }
}

/** @param cards in the order of files and lines */
export function searchDocuments(cards: readonly Card[]): SearchDocument[] {
  const documents: SearchDocument[] = []
  for (const block of new Set(cards.map((card) => card.block))) {
    const fieldsOfCards: DocumentFields[] = JSON.parse(new TextDecoder().decode(block.documents))
    for (const [row, fields] of fieldsOfCards.entries()) {
      const market = block.markets[row]!
      const setNumber = block.sets[row]!
      documents.push({ ...fields, position: documents.length, setNumber, market: market === noPrice ? null : market })
    }
  }
  return documents
}
