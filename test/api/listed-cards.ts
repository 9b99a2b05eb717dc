/** A few cards that differ in every filter and order of lists, and their sets. */
import { snapshotOf } from '../support/snapshot.ts'

export const sets = [
  { game: 'pokemon', code: 'neo', name: 'Neo Genesis', releaseDate: '2000-12-16' },
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'mtg', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'mtg', code: 'lea', name: 'Limited Edition Alpha', releaseDate: '1993-08-05' },
  { game: 'fab', code: 'wtr', name: 'Welcome to Rathe', releaseDate: null },
]
type Row = [
  key: string,
  game: string,
  set: string,
  name: string,
  number: string | null,
  market: number | null,
  product?: number,
]
/** In the order of equals. */
const rows: Row[] = [
  ['a', 'pokemon', 'neo', 'Charizard', '4/111', 20, 7],
  ['b', 'pokemon', 'neo', 'Dark Charizard', '004a', 0.1],
  ['c', 'pokemon', 'neo', 'Pikachu', 'SV001', null],
  ['d', 'mtg', 'base1', 'Charizard Hunter', '004', 5],
  ['e', 'pokemon', 'base1', 'Charizard', '004', 350.13, 42_382],
  ['f', 'pokemon', 'base1', 'Pokémon Flute', '4', 0, 42_382],
  ['g', 'pokemon', 'base1', 'Charizard', '40', 20, Number.MAX_SAFE_INTEGER],
  ['h', 'pokemon', 'base1', 'Unknown', null, null, 42_382],
  ['i', 'mtg', 'lea', 'Forest', '4', 5.01],
  ['j', 'mtg', 'lea', '_____', 'SV1', 10_000_000],
  ['k', 'fab', 'wtr', 'Ægis', 'sv001', 1],
]
export const cards = rows.map(([key, game, setCode, name, number, market, tcgplayerId = null], i) => ({
  id: `${game}-${key}`,
  ...{ game, setCode, name, number, tcgplayerId },
  rarity: i % 2 === 0 ? 'Rare' : null,
  prices: { market, low: market, conditions: { near_mint: market, damaged: 0.5 }, graded: { psa_10: 9 } },
}))
/** By the key of its row. */
export const idOf = (key: string) => cards.find(({ id }) => id.endsWith(`-${key}`))!.id

/** Writes the snapshot; returns its folder. */
export const listedSnapshot = (): string => snapshotOf({ 'sets/s.ndjson': sets, 'cards/c.ndjson': cards.toReversed() })
