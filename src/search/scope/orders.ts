/**
 * The orders of results. An order gives each card a key, and the card with the lowest key comes first. Cards with
 * unknown values come last. Cards with equal keys are sorted by card index.
 */
import { type ChangesFile, change, isKnown, percentTenths, week } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../indexes/lists-file.ts'
import type { SearchFile } from '../../indexes/search-file.ts'

/**
 * `relevance` sorts by rank and is only for searches, `newest` by card index, `change` by the percentage over seven
 * days.
 */
export const sorts = ['relevance', 'price', '-price', 'name', 'newest', 'change', '-change'] as const
export type Sort = (typeof sorts)[number]

export type KeyOf = (card: number) => number

const unknown = Number.POSITIVE_INFINITY

export function ordersOf(
  { cardName }: SearchFile,
  { cardMarket, nameRanks }: ListsFile,
  { changes }: ChangesFile,
): Readonly<Record<Sort, KeyOf>> {
  const byChange = (sign: number) => (card: number) => {
    const from = changes[card * change.size + change.from + week]!
    const to = changes[card * change.size + change.to]!
    return isKnown(from, to) ? sign * percentTenths(from, to) : unknown
  }
  return {
    relevance: () => 0,
    price: (card) => cardMarket[card]!,
    '-price': (card) => (cardMarket[card] === noPrice ? unknown : -cardMarket[card]!),
    name: (card) => nameRanks[cardName[card]!]!,
    newest: () => 0,
    change: byChange(1),
    '-change': byChange(-1),
  }
}
