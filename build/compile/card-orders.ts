/** Compiles the orders in which a game's cards are listed. */
import type { ChangesFile } from '../../src/indexes/changes-file.ts'
import { startsOfGames } from '../../src/indexes/lists-file.ts'
import { changeOrders, type KeyOf } from '../../src/search/scope/orders.ts'

/** The cards of each game, one game after the other, by ascending key. Cards with equal keys ascend by index. */
export function cardsInOrder(cardGame: Uint8Array, keyOf: KeyOf): Uint32Array {
  const keys = Float64Array.from(cardGame, (_, card) => keyOf(card))
  // The difference of two infinite keys is NaN, which is falsy, so these cards are compared by index.
  const sorted = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b)
  const ordered = new Uint32Array(sorted.length)
  const next = startsOfGames(cardGame)
  for (const card of sorted) ordered[next[cardGame[card]!]!++] = card
  return ordered
}

export function compileChanges(
  { changes, changedOn }: Pick<ChangesFile, 'changes' | 'changedOn'>,
  cardGame: Uint8Array,
): ChangesFile {
  const keys = changeOrders(changes)
  return {
    changes,
    changedOn,
    byChange: cardsInOrder(cardGame, keys.change),
    byChangeDown: cardsInOrder(cardGame, keys['-change']),
    byChangedOn: cardsInOrder(cardGame, (card) => -changedOn[card]!),
  }
}
