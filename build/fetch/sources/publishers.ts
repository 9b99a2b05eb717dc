/** The publishers by name. */
import { mtgjson } from './fetch-mtgjson.ts'
import { pricecharting } from './fetch-pricecharting.ts'
import { scryfall } from './fetch-scryfall.ts'
import { tcgcsv } from './fetch-tcgcsv.ts'
import type { FetchedSource } from './fetched-source.ts'

export const fetchedSources = { tcgcsv, scryfall, mtgjson, pricecharting } satisfies Record<string, FetchedSource>

export type SourceName = keyof typeof fetchedSources
export const sourceNames = Object.keys(fetchedSources) as SourceName[]
