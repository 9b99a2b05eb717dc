/**
 * Whether anything but prices moved since the last version: names, words, sets, numbers and the order of cards mostly stay, and
 * what was compiled from them alone is taken as it is.
 */
import { createHash } from 'node:crypto'
import type { SetRecord } from '../read/records.ts'

interface SteadyCard {
  readonly id: string
  readonly setNumber: number
  readonly name: string
  readonly number: string | null
  readonly rarity: string | null
  readonly tcgplayerId: number | null
}

/** So many cards' words are hashed at a time. */
const cardsAtOnce = 1024

/**
 * SHA-256, hexadecimal.
 * @param sets in list order
 * @param cards by card number
 */
export function steadyOf(sets: readonly SetRecord[], cards: readonly SteadyCard[]): string {
  const sum = createHash('sha256')
  sum.update(JSON.stringify(sets.map(({ game, code, name }) => [game, code, name])))
  for (let first = 0; first < cards.length; first += cardsAtOnce) {
    const some = cards.slice(first, first + cardsAtOnce)
    sum.update(
      JSON.stringify(
        some.map(({ id, setNumber, name, number, rarity, tcgplayerId }) => {
          return [id, setNumber, name, number, rarity, tcgplayerId]
        }),
      ),
    )
  }
  return sum.digest('hex')
}
