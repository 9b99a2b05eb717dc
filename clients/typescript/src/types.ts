/** The API's types, derived from its description, under the names that callers use. */
import type { CallOptions } from './connection.ts'
import type { components, operations } from './description.ts'

export type { Game, KnownGame } from './description.ts'

type Schemas = components['schemas']

export type View = NonNullable<Schemas['batchRequest']['view']>
export type Card = Schemas['fullCard']
/** A full card, with its printing, currency and external ids. */
export type ExtendedCard = Schemas['extendedCard']
export type CardSummary = Pick<Card, 'id' | 'name' | 'game' | 'set' | 'rarity'> & {
  prices: Pick<Card['prices'], 'market'> & {
    conditions: Pick<Card['prices']['conditions'], 'near_mint' | 'lightly_played'>
  }
}
export type BatchCard = Pick<Card, 'id' | 'name' | 'game'> & { prices: Pick<Card['prices'], 'market'> }
export type Mover = Schemas['mover']
export type GameInfo = Schemas['games']['data'][number]
export type CardSet = Schemas['cardSet']
export type SetDetails = Schemas['setDetails']['data']
export type Suggestion = Schemas['suggestion']
export type HistoryByPeriod = Schemas['historyByPeriod']['data']
export type HistoryByDays = Schemas['historyByDays']['data']
export type Changes = Schemas['changes']['data']
export type MatchLine = Loose<Schemas['matchRequest']['cards'][number]>
export interface Match {
  match: Schemas['matches']['data'][number]['match']
  card: ExtendedCard | null
  candidates: ExtendedCard[]
}

interface CardOfView<Summary> {
  summary: Summary
  full: Card
  extended: ExtendedCard
}
/** A card's type in each view. Summaries have more fields in searches than in batches. */
export type Viewed<V extends View, Summary = CardSummary> = CardOfView<Summary>[V]

export interface Page<Item> {
  data: Item[]
  total: number
  limit: number
  offset: number
}

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>
/** The same parameters. Optional ones may also be undefined. */
type Loose<Params> = { [Name in keyof Params]: Params[Name] | (undefined extends Params[Name] ? undefined : never) }
type Params<Operation extends keyof operations> = CallOptions & Loose<Omit<Query<Operation>, 'format' | 'bom'>>

interface ChangedSince {
  /** Returns only cards whose price changed after this date, YYYY-MM-DD. The same as `changed_since`. */
  readonly changedSince?: string | undefined
}

/** With this option, a call returns the text of a CSV. */
export interface CsvOption {
  readonly csv: true
}

export interface WalkOptions {
  /**
   * Called before the walk starts over, because the data has changed. It must drop all items so far. A walk starts over
   * at most once. If the data changes again, or if there is no `onRestart`, the walk throws `DataChangedError`.
   */
  readonly onRestart?: (() => void) | undefined
}

export type SearchParams = Params<'searchCards'> & ChangedSince
export type ListParams = Params<'listCards'> & ChangedSince
export type SuggestParams = Params<'suggestNames'>
export type GamesParams = Params<'listGames'>
export type SetsParams = Params<'listSets'>
export type MoversParams = Params<'listMovers'>
export type HistoryParams = Params<'getCardHistory'>
export type PricesParams = Params<'getCardPrices'>

export interface ViewOptions<V extends View> extends CallOptions {
  readonly view?: V | undefined
}

/** Returns a page. `all` yields the items of all pages, which are of one version of the data. */
export interface Listing<Given, Item> {
  (params?: Given): Promise<Page<Item>>
  all(params?: Given & WalkOptions): AsyncGenerator<Item, void, undefined>
}

export interface MoversListing extends Listing<MoversParams, Mover> {
  (params: MoversParams & CsvOption): Promise<string>
  (params?: MoversParams): Promise<Page<Mover>>
}

/** A `Listing` of cards. The view decides their fields. */
export interface CardListing<Given> {
  (params: Given & CsvOption): Promise<string>
  <V extends View = 'summary'>(params: Given & ViewOptions<V>): Promise<Page<Viewed<V>>>
  all<V extends View = 'summary'>(
    params: Given & ViewOptions<V> & WalkOptions,
  ): AsyncGenerator<Viewed<V>, void, undefined>
}
