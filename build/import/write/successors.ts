/**
 * Finds cards that have a new id in their source. MTGJSON and Scryfall replace ids now and then, and the cards stay the
 * same.
 */

import { finishOf, idOfKey } from '../finishes.ts'
import { productsOf, type SourceCard } from '../source-catalog.ts'

/**
 * The keys that replace keys of the last import, by the earlier key. The earlier id is gone from the source, and the
 * later id is new. Both cards have the same set, number and finish, and share a product of TCGplayer or an id of
 * Scryfall. If several cards fit, none of them is matched.
 */
export function successors(before: readonly SourceCard[], now: readonly SourceCard[]): ReadonlyMap<string, string> {
  const idsOf = (cards: readonly SourceCard[]) => new Set(cards.map(({ key }) => idOfKey(key)))
  const [idsBefore, idsNow] = [idsOf(before), idsOf(now)]
  const gone = Map.groupBy(
    before.filter(({ key }) => !idsNow.has(idOfKey(key))),
    placeOf,
  )
  const found = new Map<string, string>()
  if (gone.size === 0) return found
  const claimed = new Set<string>()
  for (const card of now) {
    if (idsBefore.has(idOfKey(card.key))) continue
    const same = gone.get(placeOf(card))?.filter((earlier) => areLinked(earlier, card)) ?? []
    for (const { key } of same) {
      if (same.length > 1 || claimed.has(key)) found.delete(key)
      else found.set(key, card.key)
      claimed.add(key)
    }
  }
  return found
}

const placeOf = ({ key, set, number }: SourceCard): string => [set, number ?? '', finishOf(key)].join('\n')

function areLinked(earlier: SourceCard, card: SourceCard): boolean {
  const products = productsOf(card)
  const isOfProduct = productsOf(earlier).some((product) => products.includes(product))
  return isOfProduct || (card.scryfallId !== undefined && card.scryfallId === earlier.scryfallId)
}

/**
 * Returns a function that finds a card of the last import among the cards of now, under the same key or a later key.
 * The function returns undefined if the card is gone.
 */
export function cardNow(
  before: readonly SourceCard[],
  now: readonly SourceCard[],
): (card: SourceCard) => SourceCard | undefined {
  const byKey = new Map(now.map((card) => [card.key, card]))
  const later = successors(before, now)
  return ({ key }) => byKey.get(key) ?? byKey.get(later.get(key) ?? '')
}
