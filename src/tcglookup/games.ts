/** The slugs of games in the compatibility API. They equal ours, except the slug of Japanese Pokémon cards. */
import { ParameterError } from '../api/parameter-kinds.ts'
import type { Games } from '../games.ts'
import { game } from './parameters.ts'

const ours = 'pokemonjp'
const theirs = 'pokemon-jp'

/** Returns a game's slug in the compatibility API. @param slug our slug */
export const slugOf = (slug: string): string => (slug === ours ? theirs : slug)

/** Returns the number of the game with that slug, ours or the compatibility API's; -1 if there is none. */
export const gameNumber = (games: Games, slug: string): number => games.numberOf(slug === theirs ? ours : slug)

/**
 * Returns the number of the game with that slug, and -1 for all games. Throws ParameterError if there is no such game.
 */
export function gameAsked(games: Games, slug: string | undefined): number {
  if (slug === undefined) return -1
  const number = gameNumber(games, slug)
  if (number === -1) throw new ParameterError(game.name, `one of ${games.slugs.map(slugOf).join(', ')}`, slug)
  return number
}
