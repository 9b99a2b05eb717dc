/** The publishers: addresses, rate limits, and terms. The code of each is loaded when it is used. */
import { gameSlugs } from '../../../src/games.ts'
import { mtgjsonPauseMs, pricechartingPauseMs, scryfallPauseMs, tcgcsvPauseMs } from '../fetch-limits.ts'
import type { FetchedSource } from './source.ts'

const hourMs = 3_600_000

export const fetchedSources = {
  tcgcsv: {
    address: 'https://tcgcsv.com',
    domains: ['tcgcsv.com'],
    pauseMs: tcgcsvPauseMs,
    intervalMs: 24 * hourMs,
    games: gameSlugs,
    terms:
      "TCGCSV: TCGplayer's products and prices, published without a licence; one pull in 24 hours, fewer than 10,000 requests.",
    load: async () => (await import('./tcgcsv.ts')).tcgcsv,
  },
  scryfall: {
    address: 'https://api.scryfall.com',
    domains: ['scryfall.com', 'scryfall.io'],
    pauseMs: scryfallPauseMs,
    intervalMs: 12 * hourMs,
    games: ['mtg'],
    terms:
      "Scryfall's bulk data, new twice a day; it forbids putting its data behind payment: read docs/data.md if you sell plans.",
    load: async () => (await import('./scryfall.ts')).scryfall,
  },
  mtgjson: {
    address: 'https://mtgjson.com',
    domains: ['mtgjson.com'],
    pauseMs: mtgjsonPauseMs,
    intervalMs: 12 * hourMs,
    games: ['mtg'],
    terms: 'MTGJSON: Magic sets, cards and prices, MIT licence, new once a day.',
    load: async () => (await import('./mtgjson.ts')).mtgjson,
  },
  pricecharting: {
    address: 'https://www.pricecharting.com',
    domains: ['pricecharting.com'],
    pauseMs: pricechartingPauseMs,
    intervalMs: 24 * hourMs,
    games: gameSlugs,
    tokenSetting: 'PRICECHARTING_TOKEN',
    terms: "PriceCharting's price guides, by your own subscription and under its terms; a file every ten minutes.",
    load: async () => (await import('./pricecharting.ts')).pricecharting,
  },
} satisfies Record<string, FetchedSource>

export type SourceName = keyof typeof fetchedSources
export const sourceNames = Object.keys(fetchedSources) as SourceName[]
