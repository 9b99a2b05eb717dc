/** A small snapshot with a case for every rule of the responses, and the expected responses. */
import { snapshotOf } from './snapshot.ts'

const sets = [
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09', printedTotal: 102 },
  { game: 'pokemon', code: 'base2', name: 'Jungle', releaseDate: '1999-06-16' },
  { game: 'pokemon', code: 'mcd', name: 'Happy Meal', releaseDate: null },
  { game: 'pokemonjp', code: 'PMCG1', name: '拡張パック', releaseDate: '1996-10-20' },
  { game: 'mtg', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'mtg', code: 'lea', name: 'Limited Edition Alpha', releaseDate: '1993-08-05' },
]

/** The sets in list order, as responses show them. */
export const listedSets = [
  { code: 'base2', name: 'Jungle', game: 'pokemon', cardCount: 1, releaseDate: '1999-06-16' },
  { code: 'base1', name: 'Base Set', game: 'pokemon', cardCount: 2, releaseDate: '1999-01-09' },
  { code: 'base1', name: 'Base Set', game: 'mtg', cardCount: 1, releaseDate: '1999-01-09' },
  { code: 'PMCG1', name: '拡張パック', game: 'pokemonjp', cardCount: 1, releaseDate: '1996-10-20' },
  { code: 'lea', name: 'Limited Edition Alpha', game: 'mtg', cardCount: 25, releaseDate: '1993-08-05' },
  { code: 'mcd', name: 'Happy Meal', game: 'pokemon', cardCount: 0, releaseDate: null },
]

const named = { id: 'pokemon-base1-004', name: 'Charizard', game: 'pokemon' }
const image = 'https://images.example/charizard.webp'
const printed = { setCode: 'base1', number: '004', rarity: 'Rare Holo', image }
const taken = { sources: ['tcgplayer', 'ebay'], updatedAt: '2026-11-20T06:00:00Z' }
const graded = { psa_10: 12000, bgs_9_5: 5000 }

const charizard = {
  ...named,
  ...printed,
  ...taken,
  tcgplayerId: 42382,
  cardmarketId: 273699,
  artist: 'not a field of the service',
  prices: {
    market: 350.125,
    low: 200,
    mid: 1.005,
    high: 10_000_000,
    conditions: { damaged: 0, lightly_played: 300.5, near_mint: 350.12, heavily_played: null, mint: 1 },
    graded: { ...graded, cgc_9: null },
  },
  markets: [
    { market: 'tcgplayer', currency: 'USD', price: 1.005 },
    { market: 'cardmarket', currency: 'EUR', price: 310.5, low: 180, updatedAt: '2026-11-20' },
  ],
}

const bare = { id: 'pokemon-base1-x', game: 'pokemon', name: 'Unknown All', setCode: 'base1' }

const forests = Array.from({ length: 25 }, (_, i) => ({
  id: `mtg-lea-${i + 1}`,
  game: 'mtg',
  name: 'Forest',
  setCode: 'lea',
  number: String(i + 1),
  rarity: i % 2 === 0 ? 'Common' : 'Basic Land',
  printing: i % 3 === 0 ? 'Normal' : 'Foil',
}))

const cards = [
  charizard,
  bare,
  { ...bare, id: 'pokemon-base2-1', name: 'Pikachu', setCode: 'base2', updatedAt: '2026-11-21T23:00:00.5Z' },
  { ...bare, id: 'pokemonjp-pmcg1-006', game: 'pokemonjp', name: 'リザードン', setCode: 'PMCG1', rarity: '★' },
  { ...bare, id: 'mtg-base1-1', game: 'mtg', name: 'Charizard Hunter', setCode: 'base1' },
  ...forests,
]

// The fields have the order of responses.
export const charizardDetails = {
  ...named,
  set: 'Base Set',
  ...printed,
  prices: {
    market: 350.13,
    low: 200,
    mid: 1.01,
    high: 10_000_000,
    conditions: { near_mint: 350.12, lightly_played: 300.5, damaged: 0 },
    graded,
  },
  ...taken,
}

export const charizardSummary = {
  ...named,
  set: 'Base Set',
  rarity: 'Rare Holo',
  prices: { market: 350.13, conditions: { near_mint: 350.12, lightly_played: 300.5 } },
}

export const charizardItem = { ...named, prices: { market: 350.13 } }

export const bareDetails = {
  id: 'pokemon-base1-x',
  name: 'Unknown All',
  game: 'pokemon',
  set: 'Base Set',
  setCode: 'base1',
  number: null,
  rarity: null,
  image: null,
  prices: { market: null, low: null, mid: null, high: null, conditions: {}, graded: {} },
  sources: [],
  updatedAt: null,
}

/** Charizard's history, oldest first. The newest date of the data is 2026-11-20. */
export const charizardHistory = [
  { date: '2025-11-20', market: 1, low: 1, high: 1 },
  { date: '2025-11-21', market: 2, low: null, high: 3 },
  { date: '2026-08-23', market: 3, low: 3, high: 3 },
  { date: '2026-10-22', market: 4.5, low: 4, high: 10_000_000 },
  { date: '2026-11-14', market: 5, low: 0, high: 6 },
  { date: '2026-11-19', market: 6.01, low: 6, high: 6 },
]

const row = (
  id: string,
  { date, market, low, high }: { date: string; market: number | null; low: number | null; high: number | null },
) => [date, id, market ?? '', low ?? '', high ?? ''].join(',')

/** Writes the snapshot. Returns its folder. */
export const fixtureSnapshot = (): string =>
  snapshotOf({
    'sets/sets.ndjson': sets,
    'cards/cards.ndjson': cards,
    'history/1.csv': [
      'high,id,date,low,market',
      ...charizardHistory.map((entry) => {
        const [date, id, market, low, high] = row(charizard.id, entry).split(',')
        return [high, id, date, low, entry.date === '2026-11-19' ? '99' : market].join(',')
      }),
      '1,pokemon-no-such-card,2026-11-20,1,1',
      '',
    ].join('\n'),
    'history/2.csv': `date,id,market,low,high\n${row(charizard.id, charizardHistory.at(-1)!)}\n2026-11-20,pokemon-base2-1,1,1,1\n`,
  })
