/**
 * The orders of results. An order gives each card a key, and the card with the lowest key comes first. Cards with
 * unknown values come last. Cards with equal keys are sorted by card index.
 */
import { type ChangesFile, change, isKnown, percentTenths, week } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../indexes/lists-file.ts'
import type { SearchFile } from '../../indexes/search-file.ts'

/** `newest` sorts by card index, `change` by the percentage over seven days. */
export const listSorts = ['price', '-price', 'name', 'newest', 'change', '-change'] as const
export type ListSort = (typeof listSorts)[number]
/** `relevance` sorts by rank. */
export const sorts = ['relevance', ...listSorts] as const
export type Sort = (typeof sorts)[number]

export type KeyOf = (card: number) => number

const unknown = Number.POSITIVE_INFINITY

export const ordersOf = (
  search: SearchFile,
  lists: ListsFile,
  { changes }: ChangesFile,
): Readonly<Record<Sort, KeyOf>> => ({
  relevance: () => 0,
  ...fieldOrders(search, lists),
  ...changeOrders(changes),
})

type OrderColumns = Pick<ListsFile, 'cardMarket' | 'nameRanks'>

/** The orders of `lists.msgpack`. */
export const fieldOrders = (
  { cardName }: Pick<SearchFile, 'cardName'>,
  { cardMarket, nameRanks }: OrderColumns,
): Readonly<Record<Exclude<ListSort, 'change' | '-change'>, KeyOf>> => ({
  price: (card) => cardMarket[card]!,
  '-price': (card) => (cardMarket[card] === noPrice ? unknown : -cardMarket[card]!),
  name: (card) => nameRanks[cardName[card]!]!,
  newest: () => 0,
})

/** The orders of `changes.msgpack`. */
export function changeOrders(changes: Uint32Array): Readonly<Record<'change' | '-change', KeyOf>> {
  const byChange = (sign: number) => (card: number) => {
    const from = changes[card * change.size + change.from + week]!
    const to = changes[card * change.size + change.to]!
    return isKnown(from, to) ? sign * percentTenths(from, to) : unknown
  }
  return { change: byChange(1), '-change': byChange(-1) }
}
