/** The games that every snapshot folder has. A line of `games.ndjson` with the id of one of them replaces its row. */
import type { GameRow } from './game-rows.ts'

/** The default games. Every version begins with them, in this order. */
export const defaultGames = [
  {
    id: 'pokemon',
    name: 'Pokémon',
    language: 'English',
    tcgplayer: { category: 3, names: ['Pokemon'] },
    cardmarket: 6,
    pricecharting: { category: 'pokemon-cards', consoles: ['Pokemon'], hasPrintedNumbers: false },
    words: ['Pokemon TCG'],
  },
  {
    id: 'pokemonjp',
    name: 'Pokémon Japan',
    language: 'Japanese',
    tcgplayer: { category: 85, names: ['Pokemon Japan'] },
    cardmarket: 6,
    pricecharting: { category: 'pokemon-cards', consoles: ['Pokemon Japanese'], hasPrintedNumbers: false },
    words: ['Pokemon Japanese'],
  },
  {
    id: 'mtg',
    name: 'Magic: The Gathering',
    language: 'English',
    tcgplayer: { category: 1, names: ['Magic', 'Magic: The Gathering'] },
    cardmarket: 1,
    pricecharting: { category: 'magic-cards', consoles: ['Magic'], hasPrintedNumbers: false },
    words: [],
  },
  {
    id: 'yugioh',
    name: 'Yu-Gi-Oh!',
    language: 'English',
    tcgplayer: { category: 2, names: ['YuGiOh', 'Yu-Gi-Oh!'] },
    cardmarket: 3,
    pricecharting: { category: 'yugioh-cards', consoles: ['YuGiOh'], hasPrintedNumbers: true },
    words: ['YGO', 'Yu-Gi-Oh! TCG'],
  },
  {
    id: 'lorcana',
    name: 'Disney Lorcana',
    language: 'English',
    tcgplayer: { category: 71, names: ['Lorcana TCG', 'Disney Lorcana'] },
    cardmarket: 19,
    pricecharting: { category: 'lorcana-cards', consoles: ['Lorcana', 'Disney Lorcana'], hasPrintedNumbers: false },
    words: [],
  },
  {
    id: 'onepiece',
    name: 'One Piece Card Game',
    language: 'English',
    tcgplayer: { category: 68, names: ['One Piece', 'One Piece Card Game'] },
    cardmarket: 18,
    pricecharting: { category: 'one-piece-cards', consoles: ['One Piece'], hasPrintedNumbers: true },
    words: ['One Piece TCG'],
  },
  {
    id: 'swu',
    name: 'Star Wars: Unlimited',
    language: 'English',
    tcgplayer: { category: 79, names: ['Star Wars Unlimited', 'Star Wars: Unlimited'] },
    cardmarket: 21,
    pricecharting: {
      category: 'other-tcg-cards',
      consoles: ['Star Wars Unlimited', 'Star Wars: Unlimited'],
      hasPrintedNumbers: false,
    },
    words: [],
  },
  {
    id: 'fab',
    name: 'Flesh and Blood',
    language: 'English',
    tcgplayer: { category: 62, names: ['Flesh & Blood TCG', 'Flesh and Blood TCG'] },
    cardmarket: 16,
    pricecharting: {
      category: 'other-tcg-cards',
      consoles: ['Flesh and Blood', 'Flesh & Blood'],
      hasPrintedNumbers: false,
    },
    words: [],
  },
] as const satisfies readonly GameRow[]

export const games = defaultGames
export const gameSlugs: readonly string[] = games.map(({ id }) => id)
export const gameRow = (slug: string): (typeof games)[number] => games.find(({ id }) => id === slug)!
