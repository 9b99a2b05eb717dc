/** The card on the first page: a real one of the served version, if possible with a change in the last week. */
import type { Dataset } from '../api/dataset.ts'
import { type Card, type CardChanges, changesOf, type Day, findCards, historyOf, moversOfWeek } from './cards.ts'

export interface Example {
  readonly card: Card
  readonly changes: CardChanges
  /** A year of its prices, oldest first. */
  readonly year: readonly Day[]
}

/** Known to people who have never collected cards. */
export const exampleQuery = 'charizard'

const examples = new WeakMap<Dataset, { readonly example: Example | undefined }>()

/** Computed once for each version. Undefined if no such card has a price. */
export function exampleOf(data: Dataset): Example | undefined {
  const known = examples.get(data)
  if (known !== undefined) return known.example
  const example = find(data)
  examples.set(data, { example })
  return example
}

/** From the best hits, or else the week's mover: the most expensive one with a known change over a week, or else the most expensive one. */
function find(data: Dataset): Example | undefined {
  const { cards } = findCards(data, exampleQuery, 0)
  const movers = () => moversOfWeek(data, -1, 'up', 1).flatMap(({ id }) => findCards(data, id, 0).cards)
  const found = (cards.length > 0 ? cards : movers())
    .filter(({ prices }) => prices.market !== null)
    .map((card) => ({ card, changes: changesOf(data, card.id) }))
    .sort((a, b) => b.card.prices.market! - a.card.prices.market!)
  const best = found.find(({ changes }) => changes.changes['7d']?.amount != null) ?? found[0]
  return best && { ...best, year: historyOf(data, best.card.id, 365) }
}
