/** Gaps in the sample that real sources have, too: unknown values, and corrected ones. */

/** Cards that nobody has priced: the card's `prices` is null, absent, or holds nothing but nulls. No history. */
export const unpriced: Readonly<Record<string, 'null' | 'absent' | 'all null'>> = {
  'mtg-lea-262': 'null',
  'mtg-lea-264': 'absent',
  'fab-wtr-wtr003': 'absent',
  'onepiece-op-01-op01-026': 'all null',
}

/** Cards of which a price of the last day is unknown; without a low and a high there is no mid either. */
export const unknownPrices: Readonly<Record<string, readonly ('market' | 'low' | 'high')[]>> = {
  'mtg-arn-076': ['high'],
  'pokemonjp-pmcg1-032': ['low', 'high'],
  'lorcana-tfc-208': ['market'],
}

/**
 * Cards that lack another field: null in the snapshot, or not there at all (`sources`, `image`). The first Japanese
 * sets print no number.
 */
export const unknownFields: Readonly<
  Record<string, readonly ('number' | 'rarity' | 'image' | 'sources' | 'updatedAt')[]>
> = {
  'pokemonjp-pmcg1-005': ['number'],
  'pokemonjp-neo1-036': ['number', 'rarity'],
  'onepiece-p-p-001': ['rarity'],
  'onepiece-op-01-op01-026': ['updatedAt'],
  'mtg-unh-023': ['image'],
  'mtg-lea-262': ['updatedAt', 'sources'],
  'mtg-lea-264': ['updatedAt', 'sources'],
  'yugioh-mams-mams-en001': ['image'],
  'lorcana-f-242': ['sources'],
  'swu-sor-225': ['image'],
  'fab-wtr-wtr003': ['updatedAt', 'sources', 'image'],
}

/** Days on which a source misplaced the decimal point: ten times the market price, put right in the later file. */
export const misplaced: Readonly<Record<string, readonly string[]>> = {
  'pokemon-base1-004': ['2026-11-09', '2026-11-10', '2026-11-11'],
  'mtg-dst-091': ['2026-11-10'],
  'yugioh-lob-lob-001': ['2026-11-10', '2026-11-11'],
}

/** Real cards that a price source knows and this catalog doesn't: their history rows are dropped and counted. */
export const strangers = ['pokemon-basep-001', 'mtg-leb-233', 'yugioh-lob-lob-037']
