/** A small catalog for lists of single lines: names of every kind, in sets whose names begin alike. */
export const sets = [
  { game: 'mtg', code: 'mma', name: 'Modern Masters', releaseDate: '2013-06-07' },
  { game: 'mtg', code: 'mm2', name: 'Modern Masters 2015', releaseDate: '2015-05-22' },
  { game: 'mtg', code: '2xm', name: 'Double Masters', releaseDate: '2020-08-07' },
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'pokemon', code: 'obf', name: 'SV03: Obsidian Flames', releaseDate: '2023-08-11' },
]
const namesOf = {
  mtg: [
    'Aether Vial',
    'Lightning Bolt',
    'Urza, Lord High Artificer',
    'Fire // Ice',
    'Ach! Hans, Run!',
    'Jötun Grunt',
    '1996 World Champion',
  ],
  pokemon: ['Charizard', 'Charizard ex', 'Pikachu VMAX', 'Mr. Mime', 'Nidoran♀', 'Nidoran♂', 'Farfetch’d'],
}
export const uuidOf = (number: number) => `0000579f-7b35-4ed3-b44c-${String(number).padStart(12, '0')}`
const rounded = (price: number) => Number(price.toFixed(2))

/**
 * Cards have each a second printing; in a set of Magic, the last one is a foil alone, and the one before of no known
 * printing.
 */
export const cards = sets.flatMap(({ game, code }, set) => {
  const isMagic = game === 'mtg'
  const names = isMagic ? namesOf.mtg : namesOf.pokemon
  const [plain, foil] = isMagic ? ['Normal', 'Foil'] : ['Holofoil', 'Reverse Holofoil']
  return names.flatMap((name, i) => {
    const printings = i === names.length - 1 && isMagic ? [foil] : i === names.length - 2 ? [null] : [plain, foil]
    return printings.map((printing, at) => {
      const market = 3 + set * 7 + i * 1.01 + at * 100.1
      const conditions = { near_mint: rounded(market + 0.17), lightly_played: rounded(market * 0.8) }
      return {
        id: `${game}-${code}-${i}-${at}`,
        game,
        name,
        setCode: code,
        number: `${i + 101}`,
        printing,
        scryfallId: isMagic ? uuidOf(set * 100 + i) : null,
        tcgplayerId: 5000 + set * 100 + i,
        prices: {
          market: i === 2 && set === 0 ? null : rounded(market),
          conditions: i % 2 === 0 ? conditions : {},
          graded: i === 0 ? { psa_10: rounded(market * 4), bgs_9_5: rounded(market * 3) } : {},
        },
      }
    })
  })
})
export type Card = (typeof cards)[number]
