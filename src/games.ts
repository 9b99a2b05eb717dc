/**
 * The table of games. It has everything that fetch, import, build and server must know of a game. CONTRIBUTING.md says
 * how to add a game.
 */

interface GameRow {
  /** The game's slug. The ids of all its cards begin with it. */
  readonly id: string
  readonly name: string
  /**
   * The language of the game's cards. If somebody sends a list to have it valued, lines in other languages get no
   * price.
   */
  readonly language: 'English' | 'Japanese'
  readonly tcgplayer: {
    /** The game's number at TCGplayer and TCGCSV. The game has the same number in all files, but not the same name. */
    readonly category: number
    /** The game's names in these files. */
    readonly names: readonly string[]
  }
  /** The number of the Cardmarket price guide that has the game's cards. */
  readonly cardmarket: number
  readonly pricecharting: {
    /**
     * The price guide that has the game's cards. `other-tcg-cards` has the cards of all games that lack a guide of
     * their own.
     */
    readonly category: string
    /** PriceCharting calls a set a console. The names of the game's consoles begin with one of these texts. */
    readonly consoles: readonly string[]
    /**
     * True if names of products end with the number as it is printed: `Aqua Madoor LOB-027`, and not `Charizard #4`.
     */
    readonly hasPrintedNumbers: boolean
  }
}

/** All lists of games have this order. A game's number is its index here, so a new game goes to the end. */
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
