/** The price of a line: its grade's, its condition's, or the market price. */
import type { Condition, ListCard } from './cards.ts'
import type { ListLine } from './match-questions.ts'

export interface Price {
  /** The condition whose price this is; null if it is the market price or the price of a grade. */
  readonly condition: Condition | null
  /** The grade that the line names, as a key of `graded`: `psa_10`. The line then has the grade's price or none. */
  readonly grade: string | null
  /** True if the line names a condition and its price is the market price. */
  readonly atMarket: boolean
  /** In the card's currency; null if it is unknown. */
  readonly unitPrice: number | null
  readonly amount: number | null
}

/**
 * Returns the price of the line's grade. If the line names none, it is the price of its condition, or else the card's
 * market price.
 * @param quantity the valued line's quantity, which may differ from the listed line's
 */
export function priceOf(
  card: ListCard | null,
  {
    quantity: listed,
    condition,
    namesCondition,
    grade,
  }: Pick<ListLine, 'quantity' | 'condition' | 'namesCondition' | 'grade'>,
  quantity: number = listed,
): Price {
  const { conditions = {}, graded = {}, market = null } = card?.prices ?? {}
  const own =
    grade === undefined && condition !== undefined && Object.hasOwn(conditions, condition)
      ? conditions[condition]
      : undefined
  const unitPrice = grade === undefined ? (own ?? market) : Object.hasOwn(graded, grade) ? graded[grade]! : null
  return {
    condition: own === undefined ? null : condition!,
    grade: grade ?? null,
    atMarket: grade === undefined && own === undefined && namesCondition && unitPrice !== null,
    unitPrice,
    amount: unitPrice === null ? null : (Math.round(unitPrice * 100) * quantity) / 100,
  }
}
