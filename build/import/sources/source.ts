/** What a source is to the importer, and what it gives. A new source is a folder beside this file and a row in the table of command-line.ts. */
import type { GameSlug } from '../../../src/games.ts'
import type { ImportErrors } from '../errors.ts'
import type { Report } from '../report.ts'
import type { Ids } from '../write/ids.ts'

/** The sources that give cards, as files and options name them, in the order of preference. */
export const catalogSources = ['tcgcsv', 'scryfall', 'mtgjson'] as const
export type CatalogSource = (typeof catalogSources)[number]

/** As `sources` of a card names them. */
export const sourceLabels: Readonly<Record<CatalogSource, string>> = {
  tcgcsv: 'tcgplayer',
  scryfall: 'scryfall',
  mtgjson: 'mtgjson',
}

/** A set as its source has it. */
export interface SourceSet {
  /** The source's own: TCGplayer's group, else the set's code there. */
  readonly key: string
  readonly game: GameSlug
  /** What its code is made of; empty if it has none. */
  readonly abbreviation: string
  readonly name: string
  /** YYYY-MM-DD */
  readonly releaseDate: string | null
  /** TCGplayer's group, where the source knows it. */
  readonly group: number | null
}

/** A printing as its source has it. Prices are whole cents, null where unknown. */
export interface SourceCard {
  /**
   * The source's own, as `import/ids.ndjson` remembers it: TCGplayer's product and sub-type parted by a space (without
   * both if it is unpriced), MTGJSON's uuid and finish, Scryfall's id and finish.
   */
  readonly key: string
  readonly set: string
  readonly game: GameSlug
  readonly name: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image: string | null
  /** TCGplayer's product and sub-type, by which two sources have one card. */
  readonly product: number | null
  readonly subType: string | null
  /** Whether this is the product's first sub-type: `Normal`, else the first by name. */
  readonly first: boolean
  readonly market: number | null
  readonly low: number | null
  readonly mid: number | null
  readonly high: number | null
  /** Of the prices, YYYY-MM-DD; null if there are none. */
  readonly day: string | null
  /** Scryfall's id of it, where another source knows that. */
  readonly scryfallId?: string
}

/** All that the source has from now on: what was read, and what stays of before. */
export interface SourceCatalog {
  readonly sets: readonly SourceSet[]
  readonly cards: readonly SourceCard[]
}

/** A price laid over a card that is there: cents by `market`, a condition (`near_mint`) or a grade (`psa_10`). */
export interface LayerPrice {
  readonly id: string
  readonly key: string
  readonly cents: number
}

/** A row that names its card as people do. */
export interface NamedPrices {
  readonly game: GameSlug
  readonly setName: string
  readonly number: string
  readonly name: string
  readonly prices: readonly (readonly [key: string, cents: number])[]
}

export interface Layer {
  /** As `sources` names it. */
  readonly label: string
  /** Its name, without the folder: the same file gives the same bytes wherever it lies. */
  readonly file: string
  /** Of the prices, YYYY-MM-DD. */
  readonly day: string
  readonly byId: readonly LayerPrice[]
  readonly byName: readonly NamedPrices[]
}

/** The prices of a day, in columns: cents, or `unknownCents`. */
export interface DayPrices {
  readonly day: string
  readonly market: Int32Array
  readonly low: Int32Array | null
  readonly high: Int32Array | null
}

export const unknownCents = -1

export interface SourceHistory {
  /** Ids by column place, in an order that stays; called when all ids are given, with those of the catalog's cards. */
  readonly ids: (given: readonly string[]) => readonly string[]
  /** The days, each made when it is asked for: only one need be held. */
  readonly days: () => Iterable<DayPrices> | AsyncIterable<DayPrices>
  /** Whether an earlier row of such a day stays, as its card is none of those that were imported. */
  readonly staying: ((id: string) => boolean) | null
}

export interface Reading {
  readonly catalog?: SourceCatalog
  readonly layer?: Layer
  readonly history?: SourceHistory
  /** Of the newest prices, YYYY-MM-DD. */
  readonly date: string | null
  /** Whether the prices may be of a later day, as nothing told theirs. */
  readonly isDateGuessed?: boolean
}

export interface ImportOptions {
  /** What the command line names: folders or files. */
  readonly paths: readonly string[]
  readonly out: string
  readonly games: ReadonlySet<GameSlug>
  readonly date: string | undefined
  readonly imageBase: string | undefined
  readonly partial: boolean
  /** Whether prices are imported that are far from those imported last. */
  readonly force: boolean
  readonly prefer: readonly CatalogSource[]
  readonly report: string | undefined
}

/** What a source reads with. */
export interface Import {
  readonly options: ImportOptions
  readonly errors: ImportErrors
  readonly report: Report
  readonly ids: Ids
  /** What the source gave last; empty at first. */
  readonly before: SourceCatalog
}

export interface Source {
  /** Its name in files and on the command line; what it gives is this catalog source's, null if it is laid over cards. */
  readonly catalog: CatalogSource | null
  /** Whether sets and cards change, or history alone is added. */
  readonly composes: boolean
  /** How many paths it takes. */
  readonly pathsMin: number
  readonly pathsMax: number
  /** For the usage: the paths, and what they give. */
  readonly paths: string
  readonly adds: string
  readonly games: readonly GameSlug[]
  /** Before what is remembered is read: whatever can be read without it may begin. */
  readonly start: (options: ImportOptions) => Started
}

/** An import of a source that has begun. */
export interface Started {
  readonly read: (task: Import) => Promise<Reading>
  /** Ends what may still be going on. */
  readonly close: () => Promise<void>
}

/** A source that reads all when it is asked to. */
export const readAtOnce = (read: Started['read']) => (): Started => ({ read, close: async () => {} })
