/** A description and an example of each field of a snapshot. A test compares them with the schemas. */

export interface Meaning {
  readonly meaning: string
  readonly example: unknown
}

export const aboutMeanings: Readonly<Record<string, Meaning>> = {
  currency: { meaning: 'What prices are in.', example: 'USD' },
  title: { meaning: 'A name for the service.', example: 'Card prices' },
  contact: {
    meaning: 'Whom to ask: a mail or web address. The page `/` has a button *Ask for an account* that leads there.',
    example: 'prices@shop.example',
  },
  public: { meaning: 'Whether people without an account may look cards up. Default: true.', example: true },
  plans: {
    meaning: 'What a plan costs a month, in `currency`.',
    example: { free: 0, trader: 14.99, business: 89.99 },
  },
  'plans.free': { meaning: 'The price of Free.', example: 0 },
  'plans.trader': { meaning: 'The price of Trader.', example: 14.99 },
  'plans.business': { meaning: 'The price of Business.', example: 89.99 },
  images: {
    meaning: 'Hosts whose pictures of cards the pages show. A picture from any other host is a link.',
    example: ['https://images.example'],
  },
  'images.*': { meaning: 'A host.', example: 'https://images.example' },
  accent: { meaning: 'The colour of links and buttons. The dark theme lightens it.', example: '#3149c6' },
  logo: { meaning: 'A picture beside the title: the name of a file in the snapshot folder.', example: 'logo.svg' },
  terms: {
    meaning: 'The address of your terms of use. The foot of each page links to it.',
    example: 'https://shop.example/terms',
  },
  status: {
    meaning: 'The address of your own status page. Without it the foot of each page links to `/status`.',
    example: 'https://status.shop.example',
  },
}

export const setMeanings: Readonly<Record<string, Meaning>> = {
  game: { meaning: 'The game.', example: 'pokemon' },
  code: { meaning: 'Its code, unique in its game. Callers ask for it in any case.', example: 'base1' },
  name: { meaning: 'Its name, as it is shown.', example: 'Base Set' },
  releaseDate: { meaning: 'The day of its release.', example: '1999-01-09' },
  printedTotal: { meaning: 'The number behind the slash of its cards’ numbers, as in `4/102`.', example: 102 },
}

export const cardMeanings: Readonly<Record<string, Meaning>> = {
  id: {
    meaning: 'The card, unique in the snapshot, and the same for ever: callers keep it.',
    example: 'pokemon-base1-004',
  },
  game: { meaning: 'The game.', example: 'pokemon' },
  name: { meaning: 'Its name, as it is shown and searched.', example: 'Charizard' },
  setCode: { meaning: 'The code of its set, of the same game.', example: 'base1' },
  number: { meaning: 'Its number, as printed.', example: '004' },
  rarity: { meaning: 'Its rarity, as callers filter by.', example: 'Rare Holo' },
  image: { meaning: 'The address of its image.', example: 'https://images.example/base1-004.webp' },
  prices: { meaning: 'Its prices.', example: { market: 350.12 } },
  'prices.market': { meaning: 'What it sells for.', example: 350.12 },
  'prices.low': { meaning: 'The lowest offer.', example: 200 },
  'prices.mid': { meaning: 'The middle of the offers.', example: 340 },
  'prices.high': { meaning: 'The highest offer; often parked, far from any sale.', example: 900 },
  'prices.conditions': { meaning: 'Market prices by condition.', example: { near_mint: 350.12 } },
  'prices.conditions.near_mint': { meaning: 'Near mint.', example: 350.12 },
  'prices.conditions.lightly_played': { meaning: 'Lightly played.', example: 290 },
  'prices.conditions.moderately_played': { meaning: 'Moderately played.', example: 240 },
  'prices.conditions.heavily_played': { meaning: 'Heavily played.', example: 180 },
  'prices.conditions.damaged': { meaning: 'Damaged.', example: 120 },
  'prices.graded': { meaning: 'Market prices by grader and grade.', example: { psa_10: 12000, bgs_9_5: 5000 } },
  'prices.graded.*': { meaning: 'A grader and a grade; half a grade is `_5`.', example: 12000 },
  sources: { meaning: 'Whose prices these are, the one of the market price first.', example: ['tcgplayer', 'ebay'] },
  'sources.*': { meaning: 'A source.', example: 'tcgplayer' },
  updatedAt: { meaning: 'When the prices were taken, UTC.', example: '2026-11-20T06:00:00Z' },
  tcgplayerId: { meaning: 'TCGplayer’s number of the product; printings may share one.', example: 42382 },
  printing: {
    meaning: 'The finish or edition, where the same card has several: `Normal`, `Holofoil`, `Foil`, `Etched`.',
    example: 'Holofoil',
  },
  scryfallId: { meaning: 'Scryfall’s id of the card.', example: '0000579f-7b35-4ed3-b44c-db2a538066fe' },
  mtgjsonId: { meaning: 'MTGJSON’s id of the card.', example: '00010d56-fe38-5e35-8aed-518019aa36a5' },
  cardmarketId: { meaning: 'Cardmarket’s number of the product; printings may share one.', example: 273699 },
  markets: {
    meaning: 'Its prices at other markets, each market and currency once.',
    example: [{ market: 'cardmarket', currency: 'EUR', price: 310.5, low: 180, updatedAt: '2026-11-20' }],
  },
  'markets.*': {
    meaning: 'A market with one known price at least.',
    example: { market: 'cardmarket', currency: 'EUR', price: 310.5 },
  },
  'markets.*.market': { meaning: 'Its name.', example: 'cardmarket' },
  'markets.*.currency': { meaning: 'The currency of its prices.', example: 'EUR' },
  'markets.*.price': { meaning: 'The price at which the card sells.', example: 310.5 },
  'markets.*.low': { meaning: 'The lowest offer.', example: 180 },
  'markets.*.buylist': { meaning: 'The price that a shop pays for the card.', example: 200 },
  'markets.*.updatedAt': { meaning: 'When the prices were taken: a day, or a time in UTC.', example: '2026-11-20' },
}

export const rowMeanings: Readonly<Record<string, Meaning>> = {
  date: { meaning: 'The day, UTC.', example: '2026-11-20' },
  id: {
    meaning: 'The card. Rows of unknown cards are dropped, and counted in the report.',
    example: 'pokemon-base1-004',
  },
  market: { meaning: 'What it sold for; empty if unknown.', example: '350.12' },
  low: { meaning: 'The lowest offer; empty if unknown.', example: '200' },
  high: { meaning: 'The highest offer; empty if unknown.', example: '900' },
}
