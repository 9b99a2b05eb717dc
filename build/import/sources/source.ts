/** The interface of a source. CONTRIBUTING.md has the steps that add one. */
import type { GameSlug } from '../../../src/games.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import type { Ids } from '../ids.ts'
import type { ImportErrors } from '../import-errors.ts'
import type { Report } from '../import-report.ts'
import type { CatalogSource, ComposedCard, Layer, LayerPrice, SourceCatalog, SourceHistory } from '../source-catalog.ts'
import type { Choices, GivenChoices } from '../write/choices.ts'
import type { Holding } from '../write/held.ts'

export interface Reading {
  readonly catalog?: SourceCatalog
  readonly layer?: Layer
  /** Says whether a price of the layer's last import stays, although this import lacks it. */
  readonly keeps?: (price: LayerPrice) => boolean
  /** The name of a layer to remove. */
  readonly removes?: string | undefined
  readonly history?: SourceHistory
  /** The day of the newest prices, YYYY-MM-DD. */
  readonly date: string | null
  /** True if the source does not state the day of its prices. The prices may then be newer than `date`. */
  readonly isDateGuessed?: boolean
}

export interface ImportOptions extends GivenChoices {
  /** Folders or files. */
  readonly paths: readonly string[]
  readonly out: string
  /** The games that the paths have; by default, all games that are chosen. */
  readonly gamesOfPaths?: ReadonlySet<GameSlug> | undefined
  readonly date: string | undefined
  readonly partial: boolean
  /** Imports prices even if they fail the plausibility check, or are of an earlier day. */
  readonly force: boolean
  /** Held sets to import as they are, as `acceptedSets` names them. */
  readonly accept: ReadonlySet<string>
  /** The name of an overlay's layer; by default, the name of its file. */
  readonly as?: string | undefined
  /** The name of a layer to remove. There are then no paths. */
  readonly remove?: string | undefined
  readonly report: string | undefined
  /** True if the result's report must have its records. By default, records are only in the report's file. */
  readonly keepsRecords?: boolean
}

export interface Import {
  /** All games of the folder. */
  readonly folder: FolderGames
  readonly options: ImportOptions & Choices
  readonly errors: ImportErrors
  readonly report: Report
  readonly ids: Ids
  /** The source's catalog after its last import; empty at first. */
  readonly before: SourceCatalog
  /** The folder's cards as its sources have them, without layers. */
  readonly cards: () => readonly ComposedCard[]
  /**
   * Leaves sets with implausible prices as they were after the last import (write/held.ts). A source of cards calls it
   * once, after it has read all prices.
   */
  readonly hold: Holding['hold']
}

export interface Source {
  /** The catalog source that it imports, null if its prices are a layer. */
  readonly catalog: CatalogSource | null
  readonly isHistoryOnly?: true
  /** True if the source takes any number of paths. */
  readonly takesMany?: true
  /** Two parts of the usage text: the source's paths, and what the source adds. */
  readonly paths: string
  readonly adds: string
  /** Undefined if the source may have any game. */
  readonly games?: readonly GameSlug[]
  readonly read: (task: Import) => Promise<Reading>
}
