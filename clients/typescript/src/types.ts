/** The API's types by the names that callers use, derived from its description. */
import type { CallOptions } from './connection.ts'
import type { components, operations } from './description.ts'

export type { Game, KnownGame } from './description.ts'

type Schemas = components['schemas']

export type View = NonNullable<Schemas['batchRequest']['view']>
export type Card = Schemas['fullCard']
/** A full card with printing, currency and external ids. */
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
/** A card in a view. Summaries of searches have more fields than those of batches. */
export type Viewed<V extends View, Summary = CardSummary> = CardOfView<Summary>[V]

export interface Page<Item> {
  data: Item[]
  total: number
  limit: number
  offset: number
}

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>
/** Optional parameters may also be undefined. */
type Loose<Params> = { [Name in keyof Params]: Params[Name] | (undefined extends Params[Name] ? undefined : never) }
type Params<Operation extends keyof operations> = CallOptions & Loose<Omit<Query<Operation>, 'format' | 'bom'>>

interface ChangedSince {
  /** The same as `changed_since`: only cards whose price changed after this date, YYYY-MM-DD. */
  readonly changedSince?: string | undefined
}

/** Returns the text of a CSV. */
export interface CsvOption {
  readonly csv: true
}

export interface WalkOptions {
  /**
   * Called before the walk begins again with its first item, because the data has changed: drop the items so far. It begins
   * again once. Without it, and the second time, the walk throws `DataChangedError`.
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

/** Returns a page; `all` iterates over the items of all pages, which are of one version of the data. */
export interface Listing<Given, Item> {
  (params?: Given): Promise<Page<Item>>
  all(params?: Given & WalkOptions): AsyncGenerator<Item, void, undefined>
}

export interface MoversListing extends Listing<MoversParams, Mover> {
  (params: MoversParams & CsvOption): Promise<string>
  (params?: MoversParams): Promise<Page<Mover>>
}

/** The same for cards, whose view decides their fields. */
export interface CardListing<Given> {
  (params: Given & CsvOption): Promise<string>
  <V extends View = 'summary'>(params: Given & ViewOptions<V>): Promise<Page<Viewed<V>>>
  all<V extends View = 'summary'>(
    params: Given & ViewOptions<V> & WalkOptions,
  ): AsyncGenerator<Viewed<V>, void, undefined>
}
