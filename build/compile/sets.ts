/** The sets in list order and the games, rendered, with the cards and sets of each counted. */
import type { ResponseOf } from '../../src/api/schemas.ts'
import { gameSlugs, games } from '../../src/games.ts'
import { writeSetsFile } from '../../src/indexes/sets-file.ts'
import type { SetRecord } from '../read/records.ts'

/**
 * @param sets in list order
 * @param setsOfCards the place of each card's set in it
 */
export function compileSets(
  sets: readonly SetRecord[],
  setsOfCards: Uint32Array,
  newestUpdate: string | null,
): Uint8Array[] {
  const cardCounts = new Uint32Array(sets.length)
  for (const setNumber of setsOfCards) cardCounts[setNumber]!++
  const rendered = sets.map(({ code, name, game, releaseDate }, number) => {
    const cardCount = cardCounts[number]!
    const answer: ResponseOf<'cardSet'> = { code, name, game: gameSlugs[game]!, cardCount, releaseDate }
    return { game, cardCount, json: JSON.stringify(answer) }
  })
  const byGame = games.map((_, game) => rendered.filter((set) => set.game === game))
  const gamesAnswer: ResponseOf<'games'> = {
    data: games.map(({ id, name }, game) => ({
      id,
      name,
      cardCount: byGame[game]!.reduce((sum, set) => sum + set.cardCount, 0),
      setCount: byGame[game]!.length,
    })),
  }
  return writeSetsFile(
    JSON.stringify(gamesAnswer),
    [rendered, ...byGame].map((list) => list.map(({ json }) => json)),
    newestUpdate,
  )
}
