/** The records of a checked snapshot. Prices are whole cents, null if unknown. */
import type { Condition } from '../../src/api/schemas.ts'

export interface SetRecord {
  /** The game's number (src/games.ts). */
  readonly game: number
  readonly code: string
  readonly name: string
  /** YYYY-MM-DD */
  readonly releaseDate: string | null
}

interface Prices {
  readonly market: number | null
  readonly low: number | null
  readonly mid: number | null
  readonly high: number | null
  /** Only known ones, in the order of the API. */
  readonly conditions: readonly (readonly [condition: Condition, cents: number])[]
  /** Only known ones, in the order of the snapshot. */
  readonly graded: readonly (readonly [grade: string, cents: number])[]
}

export interface CardRecord {
  readonly id: string
  readonly game: number
  readonly name: string
  readonly setCode: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image: string | null
  readonly prices: Prices
  readonly sources: readonly string[]
  readonly updatedAt: string | null
  /** TCGplayer's product number, above 0; printings may share one. */
  readonly tcgplayerId: number | null
  /** The finish or edition that distinguishes it from other printings of the card. */
  readonly printing: string | null
  /** UUIDs in lower case. */
  readonly scryfallId: string | null
  readonly mtgjsonId: string | null
}
