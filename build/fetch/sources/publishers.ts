/** The publishers by name. */
import { mtgjson } from './mtgjson.ts'
import { pricecharting } from './pricecharting.ts'
import { scryfall } from './scryfall.ts'
import type { FetchedSource } from './source.ts'
import { tcgcsv } from './tcgcsv.ts'

export const fetchedSources = { tcgcsv, scryfall, mtgjson, pricecharting } satisfies Record<string, FetchedSource>

export type SourceName = keyof typeof fetchedSources
export const sourceNames = Object.keys(fetchedSources) as SourceName[]
