/** The card that the first page shows: a real one of the served version, whose price has moved. */
import type { Dataset } from '../api/dataset.ts'
import { type Card, type CardChanges, changesOf, type Day, findCards, historyOf } from './cards.ts'

export interface Example {
  readonly card: Card
  readonly changes: CardChanges
  /** A year of its prices, oldest first. */
  readonly year: readonly Day[]
}

/** What people who have never collected cards know. The requests on our pages ask for it too. */
export const exampleQuery = 'charizard'

const examples = new WeakMap<Dataset, { readonly example: Example | undefined }>()

/** Found once a version. Undefined if no such card has a price. */
export function exampleOf(data: Dataset): Example | undefined {
  const known = examples.get(data)
  if (known !== undefined) return known.example
  const example = find(data)
  examples.set(data, { example })
  return example
}

/** The dearest of those whose change in a week is known; if it is known of none, the dearest. */
function find(data: Dataset): Example | undefined {
  const found = findCards(data, exampleQuery, 0)
    .cards.filter(({ prices }) => prices.market !== null)
    .map((card) => ({ card, changes: changesOf(data, card.id) }))
    .sort((a, b) => b.card.prices.market! - a.card.prices.market!)
  const best = found.find(({ changes }) => changes.changes['7d']?.amount != null) ?? found[0]
  return best && { ...best, year: historyOf(data, best.card.id, 365) }
}
