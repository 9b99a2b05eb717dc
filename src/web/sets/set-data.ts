/** Sets and their cards as the pages of sets show them. */
import type { Dataset } from '../../api/dataset.ts'
import type { SetValue } from '../../catalog/set-figures.ts'
import { searchLimitMax, setCardsShownMax, setsLimitMax } from '../../limits.ts'
import { foldNumber } from '../../names/numbers.ts'
import { type Card, type Change, cardsOfSetFrom, changesOf, type ListedSet, setsFrom } from '../cards/card-data.ts'
import type { Turns } from '../shared/turns.ts'

export interface PricedSet extends ListedSet {
  /** The set's number, from 0, in the order of `/v1/sets`. */
  readonly number: number
  readonly value: SetValue
}

const known = new WeakMap<Dataset, Promise<readonly PricedSet[]>>()

/** Returns all sets of the version, the newest first. They are read once for each version. */
export function pricedSetsOf(data: Dataset, turns: Turns): Promise<readonly PricedSet[]> {
  const read = known.get(data) ?? readSets(data, turns)
  known.set(data, read)
  return read
}

async function readSets(data: Dataset, turns: Turns): Promise<readonly PricedSet[]> {
  const sets: PricedSet[] = []
  for (;;) {
    const page = setsFrom(data, sets.length, setsLimitMax)
    for (const set of page) sets.push({ ...set, number: sets.length, value: data.setFigures.valueOf(sets.length) })
    if (page.length < setsLimitMax) return sets
    await turns.pause()
  }
}

export interface SetCard {
  readonly card: Card
  /** The change of the card's price over 30 days. */
  readonly change: Change
}

/** Returns the cards of a set in the order of their numbers, at most `setCardsShownMax`. */
export async function cardsOfSet(
  data: Dataset,
  set: Pick<ListedSet, 'game' | 'code'>,
  turns: Turns,
): Promise<readonly SetCard[]> {
  const cards: SetCard[] = []
  for (let offset = 0; offset < setCardsShownMax; offset += searchLimitMax) {
    const page = cardsOfSetFrom(data, set, offset)
    for (const card of page) {
      cards.push({ card, change: changesOf(data, card.id).changes['30d'] ?? null })
      await turns.pause()
    }
    if (page.length < searchLimitMax) break
  }
  return cards
}

export interface SetNumber {
  /** The ids of the number's printings. */
  readonly ids: readonly string[]
  /** The price of the cheapest printing, in cents; null if no printing has a price. */
  readonly cents: number | null
}

/** Returns the collector's numbers of a set, grouped as the build groups them (build/compile/set-figures.ts). */
export function numbersOf(cards: readonly SetCard[]): readonly SetNumber[] {
  const byNumber = Map.groupBy(cards, ({ card: { id, number } }) => (number === null ? id : `#${foldNumber(number)}`))
  return [...byNumber.values()].map((printings) => {
    const prices = printings.flatMap(({ card: { prices } }) => prices.market ?? [])
    const ids = printings.map(({ card }) => card.id)
    return { ids, cents: prices.length === 0 ? null : Math.round(Math.min(...prices) * 100) }
  })
}

/** For each column by which a table of a set's cards can be sorted: the value that is compared. */
const sortKeys: Readonly<Record<string, (card: SetCard) => number | string | null>> = {
  name: ({ card }) => card.name,
  rarity: ({ card }) => card.rarity,
  printing: ({ card }) => card.printing ?? null,
  price: ({ card }) => card.prices.market,
  change: ({ change }) => change?.percent ?? null,
}

/** Returns the order that an address names; by default, the order of the numbers. */
export const cardSortOf = (asked: string): string =>
  Object.hasOwn(sortKeys, columnOf(asked)) || asked === '-number' ? asked : 'number'

/**
 * Returns the cards in the order of a column. Cards whose value is unknown come last, and equal cards stay in the order
 * of their numbers.
 * @param sort the column's name, with a hyphen before it for the opposite order
 */
export function sortedCards(cards: readonly SetCard[], sort: string): readonly SetCard[] {
  if (sort === 'number') return cards
  if (sort === '-number') return cards.toReversed()
  return inOrder(cards, sortKeys[columnOf(sort)]!, sort.startsWith('-'))
}

/** A column's name without the hyphen of the opposite order. */
export const columnOf = (sort: string): string => sort.replace(/^-/, '')

/** Sorts by a key, unknown keys last in both directions. */
export function inOrder<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => number | string | null,
  isReverse: boolean,
): readonly Item[] {
  const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)
  return items.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return isReverse ? compare(b, a) : compare(a, b)
  })
}
