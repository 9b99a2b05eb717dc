/** The price of a line: its grade's, its condition's, or the market price. */
import type { Condition, ListCard } from './cards.ts'
import type { ListLine } from './match-questions.ts'

export interface Price {
  /** Whose price this is; null if it is the market price. */
  readonly condition: Condition | null
  /** That the line names, as a key of `graded`: `psa_10`. Only the grade's own price counts then. */
  readonly grade: string | null
  /** True if the line names a condition and its price is the market price. */
  readonly atMarket: boolean
  /** Null if it is unknown. */
  readonly unitPrice: number | null
  readonly amount: number | null
}

/**
 * The price of a line's grade; else that of its condition, else the card's market price. @param quantity of the valued
 * line
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
