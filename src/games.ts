/** The one table of games: all that a game needs, here and in each source. CONTRIBUTING.md says how to add one. */

interface GameRow {
  /** Its slug: every card's id begins with it. */
  readonly id: string
  readonly name: string
  /** Of its cards, and so of its prices. */
  readonly language: 'English' | 'Japanese'
  readonly tcgplayer: {
    /** TCGplayer's and TCGCSV's number. Names vary between files, numbers don't. */
    readonly category: number
    readonly names: readonly string[]
  }
  /** Cardmarket's number: of the price guide that has its cards. */
  readonly cardmarket: number
  readonly pricecharting: {
    /** The price guide that has its cards; `other-tcg-cards` has all games without one of their own. */
    readonly category: string
    /** How the names of its consoles, which are sets, begin. */
    readonly consoles: readonly string[]
    /** Products end with the number as it is printed: `Aqua Madoor LOB-027`, not `Charizard #4`. */
    readonly hasPrintedNumbers: boolean
  }
}

/** In the order of all lists. A game's number is its place here, so a new one goes to the end. */
export const games = [
  {
    id: 'pokemon',
    name: 'Pokémon',
    language: 'English',
    tcgplayer: { category: 3, names: ['Pokemon'] },
    cardmarket: 6,
    pricecharting: { category: 'pokemon-cards', consoles: ['Pokemon'], hasPrintedNumbers: false },
  },
  {
    id: 'pokemonjp',
    name: 'Pokémon Japan',
    language: 'Japanese',
    tcgplayer: { category: 85, names: ['Pokemon Japan'] },
    cardmarket: 6,
    pricecharting: { category: 'pokemon-cards', consoles: ['Pokemon Japanese'], hasPrintedNumbers: false },
  },
  {
    id: 'mtg',
    name: 'Magic: The Gathering',
    language: 'English',
    tcgplayer: { category: 1, names: ['Magic', 'Magic: The Gathering'] },
    cardmarket: 1,
    pricecharting: { category: 'magic-cards', consoles: ['Magic'], hasPrintedNumbers: false },
  },
  {
    id: 'yugioh',
    name: 'Yu-Gi-Oh!',
    language: 'English',
    tcgplayer: { category: 2, names: ['YuGiOh', 'Yu-Gi-Oh!'] },
    cardmarket: 3,
    pricecharting: { category: 'yugioh-cards', consoles: ['YuGiOh'], hasPrintedNumbers: true },
  },
  {
    id: 'lorcana',
    name: 'Disney Lorcana',
    language: 'English',
    tcgplayer: { category: 71, names: ['Lorcana TCG', 'Disney Lorcana'] },
    cardmarket: 19,
    pricecharting: { category: 'lorcana-cards', consoles: ['Lorcana', 'Disney Lorcana'], hasPrintedNumbers: false },
  },
  {
    id: 'onepiece',
    name: 'One Piece Card Game',
    language: 'English',
    tcgplayer: { category: 68, names: ['One Piece', 'One Piece Card Game'] },
    cardmarket: 18,
    pricecharting: { category: 'one-piece-cards', consoles: ['One Piece'], hasPrintedNumbers: true },
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
  },
] as const satisfies readonly GameRow[]

export type GameSlug = (typeof games)[number]['id']

export const gameSlugs: readonly GameSlug[] = games.map((game) => game.id)

/** The game's number, or -1 if there is no such game. */
export const gameNumber = (slug: string): number => gameSlugs.indexOf(slug as GameSlug)

export const gameRow = (slug: GameSlug): GameRow => games[gameNumber(slug)]!
