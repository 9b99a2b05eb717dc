/** Cards under new ids of their source: MTGJSON and Scryfall replace ids now and then, and the cards stay the same. */
import { productsOf, type SourceCard } from '../source-catalog.ts'
import { finishOf, idOfKey } from '../sources/finishes.ts'

/**
 * The keys that replace those of the last import, by the earlier key. The earlier id is gone from the source and the later one is new;
 * set, number and finish are equal, and a product of TCGplayer or Scryfall's id. If two cards could be the same one, neither is.
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

/** Finds what a card of the last import is now, under its own key or a later one; undefined if it is gone. */
export function cardNow(
  before: readonly SourceCard[],
  now: readonly SourceCard[],
): (card: SourceCard) => SourceCard | undefined {
  const byKey = new Map(now.map((card) => [card.key, card]))
  const later = successors(before, now)
  return ({ key }) => byKey.get(key) ?? byKey.get(later.get(key) ?? '')
}
