/** Questions to `match` and cards of its answers, with the fields that lists need. The API's types have more fields. */

/** A line as fields. A field that is missing or null is unknown. */
export interface Question {
  readonly name?: string | null | undefined
  readonly number?: string | null | undefined
  readonly set?: string | null | undefined
  readonly game?: string | null | undefined
  readonly printing?: string | null | undefined
  readonly rarity?: string | null | undefined
  readonly id?: string | null | undefined
  readonly tcgplayerId?: number | string | null | undefined
  readonly scryfallId?: string | null | undefined
  readonly mtgjsonId?: string | null | undefined
  readonly cardmarketId?: number | string | null | undefined
}

export const conditionNames = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const
export type Condition = (typeof conditionNames)[number]

export interface ListCard {
  readonly id: string
  readonly name: string
  readonly game: string
  readonly set: string
  readonly setCode: string
  readonly number: string | null
  readonly rarity: string | null
  readonly printing?: string | null
  readonly currency?: string | null
  readonly tcgplayerId?: number | null
  readonly scryfallId?: string | null
  readonly prices: {
    readonly market: number | null
    readonly conditions: Readonly<Partial<Record<Condition, number>>>
    readonly graded: Readonly<Record<string, number>>
  }
}

export interface Match<Card extends ListCard = ListCard> {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  readonly card: Card | null
  readonly candidates: readonly Card[]
}

/** The most candidates in an answer of `match`. There may be more, which only the website's pages list. */
export const candidatesMax = 5
