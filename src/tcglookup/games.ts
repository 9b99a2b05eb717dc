/** The slugs of games in this form. They are ours, except that Japanese Pokémon cards are a game of another slug. */
import { ParameterError } from '../api/parameter-kinds.ts'
import type { Games } from '../games.ts'
import { game } from './parameters.ts'

const ours = 'pokemonjp'
const theirs = 'pokemon-jp'

/** A game's slug in this form. @param slug our slug */
export const slugOf = (slug: string): string => (slug === ours ? theirs : slug)

/** The number of the game with that slug, ours or of this form; -1 if there is none. */
export const gameNumber = (games: Games, slug: string): number => games.numberOf(slug === theirs ? ours : slug)

/** The number of the game that is asked for, -1 for all games. Throws ParameterError if the version lacks it. */
export function gameAsked(games: Games, slug: string | undefined): number {
  if (slug === undefined) return -1
  const number = gameNumber(games, slug)
  if (number === -1) throw new ParameterError(game.name, `one of ${games.slugs.map(slugOf).join(', ')}`, slug)
  return number
}
