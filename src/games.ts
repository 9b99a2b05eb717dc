/** The eight games, in the order of all lists. A game's number is its place here. */
export const games = [
  { id: 'pokemon', name: 'Pokémon' },
  { id: 'pokemonjp', name: 'Pokémon Japan' },
  { id: 'mtg', name: 'Magic: The Gathering' },
  { id: 'yugioh', name: 'Yu-Gi-Oh!' },
  { id: 'lorcana', name: 'Disney Lorcana' },
  { id: 'onepiece', name: 'One Piece Card Game' },
  { id: 'swu', name: 'Star Wars: Unlimited' },
  { id: 'fab', name: 'Flesh and Blood' },
] as const

export type GameSlug = (typeof games)[number]['id']

export const gameSlugs: readonly GameSlug[] = games.map((game) => game.id)

/** The game's number, or -1 if there is no such game. */
export const gameNumber = (slug: string): number => gameSlugs.indexOf(slug as GameSlug)
